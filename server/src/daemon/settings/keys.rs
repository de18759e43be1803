//! The table of settings: name in `config.toml`, flag, variable.

/// One setting.
#[derive(Debug)]
pub struct Key {
    /// Name in `config.toml`; the flag is the same with dashes.
    pub name: &'static str,
    /// Environment variable.
    pub variable: &'static str,
    /// Whether `config.toml` may hold it; places cannot name themselves.
    pub in_file: bool,
    /// What `--help` says.
    pub help: &'static str,
}

/// Every setting.
pub static KEYS: &[Key] = &[
    Key {
        name: "project",
        variable: "BROWSE_PROJECT",
        in_file: false,
        help: "folder of the project (git top level, else the working directory)",
    },
    Key {
        name: "home",
        variable: "BROWSE_HOME",
        in_file: false,
        help: "home of browse (~/.browse)",
    },
    Key {
        name: "state_file",
        variable: "BROWSE_STATE_FILE",
        in_file: false,
        help: "state file (<project>/.browse/daemon.json)",
    },
    Key {
        name: "port",
        variable: "BROWSE_PORT",
        in_file: true,
        help: "port on 127.0.0.1; 0 lets the system choose (0)",
    },
    Key {
        name: "idle_timeout",
        variable: "BROWSE_IDLE_TIMEOUT",
        in_file: true,
        help: "time without a call after which the daemon stops (30m)",
    },
    Key {
        name: "chromium",
        variable: "BROWSE_CHROMIUM",
        in_file: true,
        help: "Chromium to use (the first that is found)",
    },
    Key {
        name: "chromium_args",
        variable: "BROWSE_CHROMIUM_ARGS",
        in_file: true,
        help: "arguments for Chromium, quoted as for a shell",
    },
    Key {
        name: "no_browser",
        variable: "BROWSE_NO_BROWSER",
        in_file: false,
        help: "start no browser (for tests)",
    },
    Key {
        name: "bundled_skills",
        variable: "BROWSE_BUNDLED_SKILLS",
        in_file: true,
        help: "folder of the bundled skills",
    },
    Key {
        name: "max_html_bytes",
        variable: "BROWSE_MAX_HTML_BYTES",
        in_file: true,
        help: "bytes that `load-html` takes (52428800)",
    },
    Key {
        name: "dialogs",
        variable: "BROWSE_DIALOGS",
        in_file: true,
        help: "answer to dialogs: accept or dismiss (accept)",
    },
];
