//! The flags that every command takes, before or after its name.

use std::{env, path::PathBuf, time::Duration};

use browse_proto::Reason;

use crate::{
    duration,
    failure::{Failure, Result},
    remote_name,
};

/// The values of the global flags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Globals {
    /// Tab to act on.
    pub tab: Option<u64>,
    /// Session to act in.
    pub session: Option<String>,
    /// Time that the command gets.
    pub timeout: Option<Duration>,
    /// Prints one JSON document.
    pub json: bool,
    /// Prints page content as it is.
    pub raw: bool,
    /// Project folder.
    pub project: Option<PathBuf>,
    /// Address of a daemon that runs already.
    pub addr: Option<String>,
    /// Token to call it with.
    pub token: Option<String>,
    /// Name of a remote browser.
    pub remote: Option<String>,
    /// The trace that the call is part of, as a W3C `traceparent`. No flag sets it.
    pub traceparent: Option<String>,
    /// The scopes that the gateway of a fleet holds the call to, with commas between; those of
    /// the token without. No flag sets it.
    pub scopes: Option<&'static str>,
    /// Writes files below the project and the temp folder alone. No flag sets it.
    pub is_confined: bool,
    /// Prints help.
    pub help: bool,
    /// Prints the version.
    pub version: bool,
}

/// How a global flag looks.
#[derive(Debug)]
pub struct GlobalFlag {
    /// Long name.
    pub name: &'static str,
    /// One-letter name.
    pub short: Option<char>,
    /// What the help calls its value; empty for a switch.
    pub value: &'static str,
    /// Environment variable that stands in for it.
    pub variable: &'static str,
    /// What it does.
    pub help: &'static str,
}

const fn flag(name: &'static str, value: &'static str, help: &'static str) -> GlobalFlag {
    GlobalFlag { name, short: None, value, variable: "", help }
}

/// Every global flag.
pub const FLAGS: &[GlobalFlag] = &[
    flag("tab", "n", "Acts on this tab instead of the active one."),
    GlobalFlag {
        variable: "BROWSE_SESSION",
        ..flag("session", "name", "Acts in this session, which is opened when it does not exist.")
    },
    flag(
        "timeout",
        "duration",
        "Time that the command gets, such as 30s, 500ms or 2m; a bare number is milliseconds. 30s unless the command has its own.",
    ),
    flag("json", "", "Prints one JSON document."),
    flag("raw", "", "Prints page content as it is, without the envelope that marks it untrusted."),
    GlobalFlag {
        variable: "BROWSE_PROJECT",
        ..flag(
            "project",
            "dir",
            "Project folder; the top of the git repository, else the nearest parent with a `.browse` of yours, else the working directory.",
        )
    },
    GlobalFlag {
        variable: "BROWSE_ADDR",
        ..flag(
            "addr",
            "address",
            "Calls the daemon at this address, such as 127.0.0.1:4567 or unix:/path, and starts none.",
        )
    },
    GlobalFlag {
        variable: "BROWSE_TOKEN",
        ..flag("token", "token", "Token to call the daemon with.")
    },
    GlobalFlag {
        variable: "BROWSE_REMOTE",
        ..flag("remote", "name", "Drives the remote browser, or the fleet, of this name.")
    },
    GlobalFlag { short: Some('h'), ..flag("help", "", "Prints help.") },
    GlobalFlag { short: Some('V'), ..flag("version", "", "Prints the version.") },
];

impl GlobalFlag {
    /// The flag with this long or short spelling, dashes included.
    pub fn find(spelling: &str) -> Option<&'static Self> {
        match spelling.strip_prefix("--") {
            Some(name) => FLAGS.iter().find(|flag| flag.name == name),
            None => {
                let mut letters = spelling.strip_prefix('-')?.chars();
                let letter = letters.next()?;
                let alone = letters.next().is_none();
                FLAGS.iter().find(|flag| alone && flag.short == Some(letter))
            }
        }
    }

    /// Whether it stands alone.
    pub fn is_switch(&self) -> bool {
        self.value.is_empty()
    }
}

impl Globals {
    /// Sets `flag`; a switch takes no value.
    pub fn set(&mut self, flag: &GlobalFlag, value: &str) -> Result<()> {
        let text = || Some(value.to_owned());
        match flag.name {
            "tab" => self.tab = Some(parse_tab(value)?),
            "session" => self.session = Some(parse_session(value)?),
            "timeout" => self.timeout = Some(parse_timeout(value)?),
            "json" => self.json = true,
            "raw" => self.raw = true,
            "project" => self.project = Some(PathBuf::from(value)),
            "addr" => self.addr = text(),
            "token" => self.token = text(),
            "remote" => self.remote = Some(remote_name::check_name(value)?),
            "help" => self.help = true,
            _ => self.version = true,
        }
        Ok(())
    }

    /// Whether the daemon of a project is meant, and not one that was named.
    pub fn is_project_daemon(&self) -> bool {
        self.addr.is_none() && self.remote.is_none()
    }

    /// Fills what argv left open from the environment.
    pub fn fill_from_environment(&mut self) -> Result<()> {
        let read = |name| env::var(name).ok().filter(|value| !value.is_empty());
        if self.session.is_none() {
            self.session = read("BROWSE_SESSION").map(|name| parse_session(&name)).transpose()?;
        }
        if self.remote.is_none() && self.addr.is_none() {
            self.remote =
                read("BROWSE_REMOTE").map(|name| remote_name::check_name(&name)).transpose()?;
        }
        self.addr = self.addr.take().or_else(|| read("BROWSE_ADDR"));
        self.token = self.token.take().or_else(|| read("BROWSE_TOKEN"));
        if self.addr.is_some() && self.token.is_none() {
            // A skill may call us too: these two are what it is given.
            self.token = read("BROWSE_SKILL_TOKEN");
        }
        // The convention of OpenTelemetry for environment variables.
        self.traceparent = self.traceparent.take().or_else(|| read("TRACEPARENT"));
        self.project = self.project.take().or_else(|| read("BROWSE_PROJECT").map(PathBuf::from));
        Ok(())
    }
}

fn parse_tab(value: &str) -> Result<u64> {
    value.parse().map_err(|_| {
        let message = format!("`--tab` wants the number of a tab, and `{value}` is none");
        Failure::new(Reason::ArgumentInvalid, message).with_hint("Run `browse tabs`")
    })
}

/// Refuses what cannot name a session, so that no call lands in another one.
fn parse_session(value: &str) -> Result<String> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    if !value.is_empty() && value.len() <= 64 && value.chars().all(fits) {
        return Ok(value.to_owned());
    }
    let message = format!("`{value}` cannot name a session");
    Err(Failure::new(Reason::ArgumentInvalid, message)
        .with_hint("Use letters, digits, dash, dot and underscore, at most 64"))
}

/// Longest time that a call can be given.
const MAX_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 3600);

fn parse_timeout(value: &str) -> Result<Duration> {
    // A longer one does not fit into the header that carries it.
    duration::parse(value).filter(|time| *time <= MAX_TIMEOUT).ok_or_else(|| {
        let message =
            format!("`--timeout` wants a duration of at most a year, and `{value}` is none");
        Failure::new(Reason::ArgumentInvalid, message).with_hint("Write it as in `--timeout 30s`")
    })
}
