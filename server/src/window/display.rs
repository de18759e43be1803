//! Where windows can be shown.

use std::{collections::HashMap, env, ffi::OsString};

use browse_proto::Reason;

use crate::error::{Error, Result};

/// Variables that name a screen and open it.
const NAMES: [&str; 4] = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"];

/// What Chromium says when it cannot open the screen.
const WORDS: [&str; 5] = [
    "Missing X server",
    "cannot open display",
    "Unable to open X display",
    "Failed to connect to Wayland",
    "The platform failed to initialize",
];

/// A screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// Variables that the browser gets instead of the daemon's own.
    pub variables: Vec<(String, OsString)>,
    /// Whether there is no X server, only Wayland.
    pub wayland: bool,
}

/// The screen of the caller, who may sit at another than the daemon was started
/// from; else that of the daemon.
///
/// # Errors
/// `SCREEN_MISSING`.
pub fn find(caller: &HashMap<String, String>) -> Result<Screen> {
    let of_daemon = |name: &str| env::var_os(name);
    let screen = choose(|name| caller.get(name).map(OsString::from), of_daemon);
    if screen.is_none() && cfg!(target_os = "macos") {
        return Ok(Screen::default());
    }
    screen.ok_or_else(|| {
        let message = "neither `DISPLAY` nor `WAYLAND_DISPLAY` names a screen";
        Error::new(Reason::ScreenMissing, message)
    })
}

fn choose(
    caller: impl Fn(&str) -> Option<OsString>,
    daemon: impl Fn(&str) -> Option<OsString>,
) -> Option<Screen> {
    let read = |from: &dyn Fn(&str) -> Option<OsString>| {
        let filled = |name: &str| from(name).filter(|value| !value.is_empty());
        let (x, wayland) = (filled(NAMES[0]).is_some(), filled(NAMES[1]).is_some());
        let named = |name: &&str| filled(name).map(|value| ((*name).to_owned(), value));
        let variables: Vec<_> = NAMES.iter().filter_map(named).collect();
        (x || wayland).then_some(Screen { variables, wayland: !x })
    };
    read(&caller).or_else(|| read(&daemon))
}

/// Names the screen as the cause, when it is why the browser did not start.
pub(super) fn explain(error: Error, said: &str, screen: &Screen) -> Error {
    if !WORDS.iter().any(|words| said.contains(words)) {
        return error;
    }
    let name = screen.variables.first().map(|(name, value)| format!("{name}={}", value.display()));
    let message = format!("the screen `{}` does not open", name.unwrap_or_default());
    Error::new(Reason::ScreenMissing, message)
}

#[cfg(test)]
mod tests {
    use super::{OsString, Screen, choose};

    fn from<'a>(all: &'a [(&str, &str)]) -> impl Fn(&str) -> Option<OsString> + 'a {
        |name| all.iter().find(|(other, _)| *other == name).map(|(_, value)| value.into())
    }

    #[test]
    fn the_screen_of_the_caller_comes_first() {
        let daemon = [("DISPLAY", ":1"), ("XAUTHORITY", "daemon")];
        let names = |screen: Option<Screen>| {
            let screen = screen.unwrap_or_default();
            let named = |(name, value): (String, OsString)| format!("{name}={}", value.display());
            (screen.variables.into_iter().map(named).collect::<Vec<_>>(), screen.wayland)
        };
        let caller = [("DISPLAY", ":2"), ("HOME", "/x")];
        let chosen = names(choose(from(&caller), from(&daemon)));
        assert_eq!(chosen, (vec!["DISPLAY=:2".to_owned()], false));
        let chosen = names(choose(from(&[("DISPLAY", "")]), from(&daemon)));
        assert_eq!(chosen.0, ["DISPLAY=:1", "XAUTHORITY=daemon"]);
        let chosen = names(choose(from(&[("WAYLAND_DISPLAY", "w")]), from(&daemon)));
        assert_eq!(chosen, (vec!["WAYLAND_DISPLAY=w".to_owned()], true));
        assert_eq!(choose(from(&[]), from(&[])), None);
    }
}
