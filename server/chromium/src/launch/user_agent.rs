//! What the browser says it is, before it runs: the user agent of the same
//! Chromium with a window.
//!
//! The overrides of each session cover pages, frames and workers, and not the
//! requests for the scripts of service workers and of nested workers, nor what
//! shared and service workers read of themselves. The command line covers those,
//! and it needs the version before the browser runs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use super::find::BrowserBinary;
use super::info::Flavour;
use super::options::{LaunchOptions, UserAgentMode};
use crate::emulation::brands::Brand;
use crate::emulation::identity::{Identity, Languages};
use browse_base::Lock;

/// How long the browser may take to print its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(5);

/// What its version is asked for once: a program file as it is.
type ProgramFile = (PathBuf, u64, Option<SystemTime>);

/// Whether the browser is to say what it says with a window, which it does by
/// itself when it has one. What the user wrote for Chromium wins.
pub(crate) fn says_plain(launch: &LaunchOptions, flavour: Flavour) -> bool {
    let own = launch.extra_args.iter().any(|argument| argument.starts_with("--user-agent"));
    launch.user_agent == UserAgentMode::Plain && flavour != Flavour::Headed && !own
}

/// The identity of a version of this program.
pub(crate) fn identity(found: &BrowserBinary, launch: &LaunchOptions, version: &str) -> Identity {
    let of_user = ["--lang", "--accept-lang"];
    let has_own = launch.extra_args.iter().any(|argument| {
        let name = argument.split('=').next().unwrap_or_default();
        of_user.contains(&name)
    });
    // The full browser sends languages of its own in `--headless` too.
    let languages = match found.flavour {
        Flavour::HeadlessShell if !has_own => Languages::English,
        _ => Languages::Own,
    };
    Identity::new(version, Brand::of_program(&found.executable), languages)
}

/// The version that a program prints, such as `156.0.8078.108`; none when it does
/// not, and then the browser says it once it runs.
pub(crate) async fn printed_version(program: &Path) -> Option<String> {
    static KNOWN: LazyLock<Lock<HashMap<ProgramFile, String>>> = LazyLock::new(Lock::default);
    let about = program.metadata().ok()?;
    let file = (program.to_owned(), about.len(), about.modified().ok());
    if let Some(version) = KNOWN.lock().get(&file) {
        return Some(version.clone());
    }
    let mut command = tokio::process::Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let printed = tokio::time::timeout(VERSION_TIMEOUT, command.output()).await.ok()?.ok()?;
    let version = version_in(&String::from_utf8_lossy(&printed.stdout))?.to_owned();
    KNOWN.lock().insert(file, version.clone());
    Some(version)
}

/// The first word of four numbers.
pub(crate) fn version_in(text: &str) -> Option<&str> {
    text.split([' ', '/', '\n']).find(|word| {
        let numbers = word.split('.').collect::<Vec<_>>();
        let is_number = |part: &&str| {
            (1..=6).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        numbers.len() == 4 && numbers.iter().all(is_number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_among_words() {
        for text in [
            "Chromium 156.0.8078.108 built on Debian GNU/Linux 12 (bookworm)\n",
            "HeadlessChrome/156.0.8078.108",
            "Google Chrome 156.0.8078.108 ",
        ] {
            assert_eq!(version_in(text), Some("156.0.8078.108"), "{text}");
        }
        for text in ["", "Chromium", "Chromium 156", "1.2.3.4.5", "1.2.x.4", "1..2.3"] {
            assert_eq!(version_in(text), None, "{text}");
        }
    }

    #[test]
    fn what_the_user_wrote_for_chromium_wins() {
        let with = |extra: &[&str]| LaunchOptions {
            extra_args: extra.iter().map(ToString::to_string).collect(),
            ..LaunchOptions::default()
        };
        assert!(says_plain(&with(&[]), Flavour::HeadlessShell));
        assert!(says_plain(&with(&["--lang=de"]), Flavour::Headless));
        assert!(!says_plain(&with(&[]), Flavour::Headed));
        assert!(!says_plain(&with(&["--user-agent=Mine"]), Flavour::Headless));
        let headless = LaunchOptions { user_agent: UserAgentMode::Headless, ..with(&[]) };
        assert!(!says_plain(&headless, Flavour::HeadlessShell));
    }
}
