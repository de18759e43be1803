//! The table of settings: name in `config.toml`, flag, variable.

/// One setting.
#[derive(Debug)]
pub struct Key {
    /// Name in `config.toml`; the flag is the same with dashes.
    pub name: &'static str,
    /// Environment variable.
    pub variable: &'static str,
    /// Which `config.toml` may hold it.
    pub file: File,
    /// What `--help` says.
    pub help: &'static str,
}

/// Which `config.toml` may hold a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    /// None: places cannot name themselves.
    None,
    /// That of the user. A project's file comes with whatever repository was
    /// cloned, so it may choose neither programs nor what guards its user.
    User,
    /// Both.
    Any,
}

/// Every setting.
pub static KEYS: &[Key] = &[
    Key {
        name: "project",
        variable: "BROWSE_PROJECT",
        file: File::None,
        help: "folder of the project (git top level, else the working directory)",
    },
    Key {
        name: "home",
        variable: "BROWSE_HOME",
        file: File::None,
        help: "home of browse (~/.browse)",
    },
    Key {
        name: "state_file",
        variable: "BROWSE_STATE_FILE",
        file: File::None,
        help: "state file (<project>/.browse/daemon.json)",
    },
    Key {
        name: "port",
        variable: "BROWSE_PORT",
        file: File::Any,
        help: "port on 127.0.0.1; 0 lets the system choose (0)",
    },
    Key {
        name: "idle_timeout",
        variable: "BROWSE_IDLE_TIMEOUT",
        file: File::Any,
        help: "time without a call after which the daemon stops (30m)",
    },
    Key {
        name: "chromium",
        variable: "BROWSE_CHROMIUM",
        file: File::User,
        help: "Chromium to use (the first that is found)",
    },
    Key {
        name: "chromium_args",
        variable: "BROWSE_CHROMIUM_ARGS",
        file: File::User,
        help: "arguments for Chromium, quoted as for a shell",
    },
    Key {
        name: "no_browser",
        variable: "BROWSE_NO_BROWSER",
        file: File::None,
        help: "start no browser (for tests)",
    },
    Key {
        name: "bundled_skills",
        variable: "BROWSE_BUNDLED_SKILLS",
        file: File::User,
        help: "folder of the bundled skills",
    },
    Key {
        name: "skill_sandbox",
        variable: "BROWSE_SKILL_SANDBOX",
        file: File::User,
        help: "what untrusted skills are held to: auto, namespaces, landlock or none (auto)",
    },
    Key {
        name: "skill_memory",
        variable: "BROWSE_SKILL_MEMORY",
        file: File::User,
        help: "bytes of memory that all processes of an untrusted skill take together (4294967296)",
    },
    Key {
        name: "max_html_bytes",
        variable: "BROWSE_MAX_HTML_BYTES",
        file: File::Any,
        help: "bytes that `load-html` takes (52428800)",
    },
    Key {
        name: "max_windows",
        variable: "BROWSE_MAX_WINDOWS",
        file: File::User,
        help: "windows that the pages of a session may have open; `newtab` does not count (100)",
    },
    Key {
        name: "deny",
        variable: "BROWSE_DENY",
        file: File::User,
        help: "commands that nobody may call, the owner included: `fetch,js` (none)",
    },
    Key {
        name: "fetch_allow",
        variable: "BROWSE_FETCH_ALLOW",
        file: File::User,
        help: "hosts that `fetch` reaches without approval, and where they are not public",
    },
    Key {
        name: "keychain",
        variable: "BROWSE_KEYCHAIN",
        file: File::User,
        help: "keep the key of states in the keychain, not in a file (true)",
    },
    Key {
        name: "dialogs",
        variable: "BROWSE_DIALOGS",
        file: File::Any,
        help: "questions of pages (confirm, prompt): ask, accept or dismiss (ask)",
    },
    Key {
        name: "library",
        variable: "BROWSE_LIBRARY",
        file: File::User,
        help: "public collection of notes, owner/name, or off (browser-use/browser-harness)",
    },
    Key {
        name: "library_branch",
        variable: "BROWSE_LIBRARY_BRANCH",
        file: File::User,
        help: "branch of the collection (main)",
    },
    Key {
        name: "library_prefix",
        variable: "BROWSE_LIBRARY_PREFIX",
        file: File::User,
        help: "folder of the collection that holds its sites (agent-workspace/domain-skills)",
    },
    Key {
        name: "library_url",
        variable: "BROWSE_LIBRARY_URL",
        file: File::User,
        help: "address that serves the collection in place of GitHub",
    },
    Key {
        name: "tunnel_cert",
        variable: "BROWSE_TUNNEL_CERT",
        file: File::User,
        help: "certificate of the listener for paired agents, as PEM (one is made)",
    },
    Key {
        name: "tunnel_key",
        variable: "BROWSE_TUNNEL_KEY",
        file: File::User,
        help: "key of that certificate, as PEM, mode 0600",
    },
    Key {
        name: "tunnel",
        variable: "BROWSE_TUNNEL",
        file: File::User,
        help: "tunnel to start with the daemon: ngrok, command or none",
    },
    Key {
        name: "tunnel_cmd",
        variable: "BROWSE_TUNNEL_CMD",
        file: File::User,
        help: "command of that tunnel, quoted as for a shell",
    },
    Key {
        name: "tunnel_local_only",
        variable: "BROWSE_TUNNEL_LOCAL_ONLY",
        file: File::User,
        help: "open the listener for paired agents on this machine, and no tunnel (false)",
    },
    Key {
        name: "skillify_prompts",
        variable: "BROWSE_SKILLIFY_PROMPTS",
        file: File::Any,
        help: "say a word on skills after 20 commands on a host that has none (false)",
    },
    Key {
        name: "security_datamark",
        variable: "BROWSE_SECURITY_DATAMARK",
        file: File::User,
        help: "put a watermark into what paired agents read (true)",
    },
    Key {
        name: "security_hidden",
        variable: "BROWSE_SECURITY_HIDDEN",
        file: File::User,
        help: "leave out what no person sees on a page (true)",
    },
    Key {
        name: "security_egress",
        variable: "BROWSE_SECURITY_EGRESS",
        file: File::User,
        help: "text that leaves its site: off, warn or block (warn; block for paired agents)",
    },
    Key {
        name: "telemetry",
        variable: "BROWSE_TELEMETRY",
        file: File::User,
        help: "count what becomes of notes on sites, in a local file (false)",
    },
    Key {
        name: "telemetry_off",
        variable: "BROWSE_TELEMETRY_OFF",
        file: File::Any,
        help: "keep no analytics, whatever `telemetry` says (false)",
    },
    Key {
        name: "security_patterns",
        variable: "BROWSE_SECURITY_PATTERNS",
        file: File::User,
        help: "warn of text that speaks to an agent (true)",
    },
    Key {
        name: "security_off",
        variable: "BROWSE_SECURITY_OFF",
        file: File::User,
        help: "switch the classifiers of page text off; canaries and rules stay (false)",
    },
    Key {
        name: "security_model_dir",
        variable: "BROWSE_SECURITY_MODEL_DIR",
        file: File::User,
        help: "folder of a second classifier, as ONNX, or off (off)",
    },
    Key {
        name: "security_model_runtime",
        variable: "BROWSE_SECURITY_MODEL_RUNTIME",
        file: File::User,
        help: "library of ONNX Runtime (that in the folder, or an installed one)",
    },
    Key {
        name: "security_model_program",
        variable: "BROWSE_SECURITY_MODEL_PROGRAM",
        file: File::User,
        help: "program that runs the model (browse-onnx beside browsed)",
    },
    Key {
        name: "security_model_url",
        variable: "BROWSE_SECURITY_MODEL_URL",
        file: File::User,
        help: "address that serves packages in place of PyPI, for `security install-model`",
    },
    Key {
        name: "security_transcript_check",
        variable: "BROWSE_SECURITY_TRANSCRIPT_CHECK",
        file: File::User,
        help: "ask a language model where the classifiers are unsure: off, openai or anthropic (off)",
    },
    Key {
        name: "security_transcript_url",
        variable: "BROWSE_SECURITY_TRANSCRIPT_URL",
        file: File::User,
        help: "its address: https, or on this machine",
    },
    Key {
        name: "security_transcript_model",
        variable: "BROWSE_SECURITY_TRANSCRIPT_MODEL",
        file: File::User,
        help: "the model that is asked there",
    },
    Key {
        name: "security_transcript_key",
        variable: "BROWSE_SECURITY_TRANSCRIPT_KEY",
        file: File::User,
        help: "name of the environment variable that holds the key (none)",
    },
];

#[cfg(test)]
mod tests {
    use super::{File, KEYS};

    const README: &str = include_str!("../../../../README.md");

    #[test]
    fn the_readme_says_of_each_setting_where_it_may_stand() {
        for key in KEYS {
            let begin = format!("| `{}`", key.variable);
            let row = README.lines().find(|row| row.starts_with(&begin));
            let row = row.unwrap_or_else(|| panic!("`{}` has no row", key.variable));
            let file = row.split('|').nth(3).unwrap_or_default().trim();
            let expected = match key.file {
                File::None => "none",
                File::User => "yours",
                File::Any => "yours, the project's",
            };
            assert_eq!(file, expected, "{}", key.name);
        }
    }
}
