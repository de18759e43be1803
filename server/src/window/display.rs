//! Where windows can be shown.

use std::{collections::HashMap, env, ffi::OsString};

use browse_proto::Reason;

use browse_base::{Error, Result};

/// Variables that name a screen and open it.
const DISPLAY_VARIABLES: [&str; 4] =
    ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"];

/// What Chromium says when it cannot open the screen.
const DISPLAY_ERRORS: [&str; 5] = [
    "Missing X server",
    "cannot open display",
    "Unable to open X display",
    "Failed to connect to Wayland",
    "The platform failed to initialize",
];

/// A screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DisplayEnvironment {
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
pub fn find_display(caller: &HashMap<String, String>) -> Result<DisplayEnvironment> {
    let of_daemon = |name: &str| env::var_os(name);
    let screen = choose_display(|name| caller.get(name).map(OsString::from), of_daemon);
    if screen.is_none() && cfg!(target_os = "macos") {
        return Ok(DisplayEnvironment::default());
    }
    screen.ok_or_else(|| {
        let message = "neither `DISPLAY` nor `WAYLAND_DISPLAY` names a screen";
        Error::new(Reason::ScreenMissing, message)
    })
}

fn choose_display(
    caller: impl Fn(&str) -> Option<OsString>,
    daemon: impl Fn(&str) -> Option<OsString>,
) -> Option<DisplayEnvironment> {
    let read = |from: &dyn Fn(&str) -> Option<OsString>| {
        let filled = |name: &str| from(name).filter(|value| !value.is_empty());
        let (x, wayland) =
            (filled(DISPLAY_VARIABLES[0]).is_some(), filled(DISPLAY_VARIABLES[1]).is_some());
        let named = |name: &&str| filled(name).map(|value| ((*name).to_owned(), value));
        let variables: Vec<_> = DISPLAY_VARIABLES.iter().filter_map(named).collect();
        (x || wayland).then_some(DisplayEnvironment { variables, wayland: !x })
    };
    read(&caller).or_else(|| read(&daemon))
}

/// Names the screen as the cause, when it is why the browser did not start.
pub(super) fn explain_display_error(
    error: Error,
    output: &str,
    screen: &DisplayEnvironment,
) -> Error {
    if !DISPLAY_ERRORS.iter().any(|words| output.contains(words)) {
        return error;
    }
    let name = screen.variables.first().map(|(name, value)| format!("{name}={}", value.display()));
    let message = format!("the screen `{}` does not open", name.unwrap_or_default());
    Error::new(Reason::ScreenMissing, message)
}

#[cfg(test)]
mod tests {
    use super::{DisplayEnvironment, OsString, choose_display};

    fn from<'a>(all: &'a [(&str, &str)]) -> impl Fn(&str) -> Option<OsString> + 'a {
        |name| all.iter().find(|(other, _)| *other == name).map(|(_, value)| value.into())
    }

    #[test]
    fn the_screen_of_the_caller_comes_first() {
        let daemon = [("DISPLAY", ":1"), ("XAUTHORITY", "daemon")];
        let names = |screen: Option<DisplayEnvironment>| {
            let screen = screen.unwrap_or_default();
            let named = |(name, value): (String, OsString)| format!("{name}={}", value.display());
            (screen.variables.into_iter().map(named).collect::<Vec<_>>(), screen.wayland)
        };
        let caller = [("DISPLAY", ":2"), ("HOME", "/x")];
        let chosen = names(choose_display(from(&caller), from(&daemon)));
        assert_eq!(chosen, (vec!["DISPLAY=:2".to_owned()], false));
        let chosen = names(choose_display(from(&[("DISPLAY", "")]), from(&daemon)));
        assert_eq!(chosen.0, ["DISPLAY=:1", "XAUTHORITY=daemon"]);
        let chosen = names(choose_display(from(&[("WAYLAND_DISPLAY", "w")]), from(&daemon)));
        assert_eq!(chosen, (vec!["WAYLAND_DISPLAY=w".to_owned()], true));
        assert_eq!(choose_display(from(&[]), from(&[])), None);
    }
}
