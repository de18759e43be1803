//! The shell of a terminal: which program, where, and with which variables.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

/// The shell where the user has chosen none.
const DEFAULT_SHELL: &str = "/bin/sh";

/// What the variables of this product begin with.
const OWN_PREFIX: &str = "BROWSE_";

/// Keys of the daemon that are in variables of other products.
const KEYS_OF_DAEMON: [&str; 2] = ["NGROK_AUTHTOKEN", "NGROK_API_KEY"];

/// What describes the terminal in which the daemon was started, and not this one.
const OF_ANOTHER_TERMINAL: [&str; 13] = [
    "COLUMNS",
    "LINES",
    "OLDPWD",
    "PWD",
    "SHLVL",
    "STY",
    "TERMCAP",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TMUX",
    "TMUX_PANE",
    "VTE_VERSION",
    "WINDOWID",
];

/// `browse` sets it for the daemon, whose programs would be slowed down by it.
const ARENAS_OF_DAEMON: (&str, &str) = ("MALLOC_ARENA_MAX", "1");

/// Secrets of so many bytes are also found within longer values.
const MIN_CONTAINED_SECRET_BYTES: usize = 8;

/// What a terminal starts.
#[derive(Clone, Debug)]
pub struct ShellPlan {
    /// Absolute path of the shell.
    pub program: PathBuf,
    /// Where it starts.
    pub folder: PathBuf,
    /// Its variables.
    pub environment: BTreeMap<String, String>,
}

/// What a shell does not get of the environment of the daemon.
#[derive(Debug, Default)]
pub struct WithheldVariables<'a> {
    /// Variables of this product that hold no secret. All others of it are withheld.
    pub harmless: Vec<&'a str>,
    /// Secrets: a variable that holds one is withheld, whatever its name is.
    pub secrets: Vec<&'a str>,
}

/// The shell that the user has chosen by SHELL, when it is the absolute path of a program.
pub fn shell_program(chosen: Option<&OsStr>) -> PathBuf {
    let chosen = chosen.map(Path::new).filter(|path| path.is_absolute() && is_program(path));
    chosen.map_or_else(|| PathBuf::from(DEFAULT_SHELL), Path::to_owned)
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

/// The environment of `shell`: that of the daemon without its secrets. Variables that are not
/// UTF-8 are left out.
pub fn shell_environment(
    inherited: impl IntoIterator<Item = (OsString, OsString)>,
    withheld: &WithheldVariables<'_>,
    shell: &Path,
) -> BTreeMap<String, String> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    let inherited = inherited.into_iter().filter_map(text);
    let kept = inherited.filter(|(name, value)| {
        let is_malformed = name.is_empty() || name.contains(['=', '\0']) || value.contains('\0');
        !is_malformed
            && !withheld.covers(name, value)
            && !OF_ANOTHER_TERMINAL.contains(&name.as_str())
            && (name.as_str(), value.as_str()) != ARENAS_OF_DAEMON
    });
    let own = [
        ("COLORTERM", "truecolor".to_owned()),
        ("SHELL", shell.to_string_lossy().into_owned()),
        ("TERM", "xterm-256color".to_owned()),
    ];
    kept.chain(own.map(|(name, value)| (name.to_owned(), value))).collect()
}

impl WithheldVariables<'_> {
    fn covers(&self, name: &str, value: &str) -> bool {
        let is_ours = name.starts_with(OWN_PREFIX) && !self.harmless.contains(&name);
        is_ours || KEYS_OF_DAEMON.contains(&name) || self.holds_secret(value)
    }

    fn holds_secret(&self, value: &str) -> bool {
        self.secrets.iter().filter(|secret| !secret.is_empty()).any(|secret| {
            let is_within = secret.len() >= MIN_CONTAINED_SECRET_BYTES && value.contains(secret);
            is_within || value.trim() == *secret
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_of_the_user_is_an_absolute_program() {
        let of = |path: &str| shell_program(Some(OsStr::new(path)));
        assert_eq!(of("/bin/sh"), Path::new("/bin/sh"));
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("shell");
        crate::testing::write_program(&program, "#!/bin/sh\n");
        assert_eq!(of(&program.to_string_lossy()), program);
        for other in ["", "bash", "bin/sh", "/", "/etc/passwd", "/nowhere/sh"] {
            assert_eq!(of(other), Path::new(DEFAULT_SHELL), "{other}");
        }
        assert_eq!(shell_program(None), Path::new(DEFAULT_SHELL));
    }

    #[test]
    fn secrets_of_the_daemon_are_withheld_and_the_rest_is_not() {
        let inherited = [
            ("PATH", "/usr/bin"),
            ("HOME", "/home/ada"),
            ("API_KEY_OF_ADA", "hers"),
            ("BROWSE_HOME", "/home/ada/.browse"),
            ("BROWSE_TOKEN", "t1"),
            ("BROWSE_MCP_TOKEN", "t2"),
            ("BROWSE_LIBRARY_URL", "https://ada:pw@example.com"),
            ("BROWSE_NEW_ONE", "x"),
            ("NGROK_AUTHTOKEN", "t3"),
            ("JUDGE_KEY", " short\n"),
            ("HEADER", "Bearer root-token-1"),
            ("TMUX", "/tmp/tmux"),
            ("TERM", "dumb"),
            ("MALLOC_ARENA_MAX", "1"),
            ("BAD=NAME", "x"),
        ];
        let inherited = inherited.map(|(name, value)| (name.into(), value.into()));
        let harmless = vec!["BROWSE_HOME", "BROWSE_PROJECT"];
        let withheld = WithheldVariables { harmless, secrets: vec!["root-token-1", "short", ""] };
        let environment = shell_environment(inherited, &withheld, Path::new("/bin/zsh"));
        let pairs: Vec<_> =
            environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(
            pairs,
            [
                "API_KEY_OF_ADA=hers",
                "BROWSE_HOME=/home/ada/.browse",
                "COLORTERM=truecolor",
                "HOME=/home/ada",
                "PATH=/usr/bin",
                "SHELL=/bin/zsh",
                "TERM=xterm-256color",
            ]
        );
    }
}
