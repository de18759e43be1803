//! The table of settings: name in `config.toml`, flag, variable.

/// One setting.
#[derive(Debug)]
pub struct SettingKey {
    /// Name in `config.toml`; the flag is the same with dashes.
    pub name: &'static str,
    /// Environment variable.
    pub variable: &'static str,
    /// Which `config.toml` may hold it.
    pub config_scope: ConfigScope,
    /// What `--help` says.
    pub help: &'static str,
}

/// Which `config.toml` may hold a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigScope {
    /// None: places cannot name themselves.
    None,
    /// That of the user. A project's file comes with whatever repository was
    /// cloned, so it may choose neither programs nor what guards its user.
    User,
    /// Both.
    Any,
}

/// Every setting.
pub static KEYS: &[SettingKey] = &[
    SettingKey {
        name: "project",
        variable: "BROWSE_PROJECT",
        config_scope: ConfigScope::None,
        help: "folder of the project (git top level, else the working directory)",
    },
    SettingKey {
        name: "home",
        variable: "BROWSE_HOME",
        config_scope: ConfigScope::None,
        help: "home of browse (~/.browse)",
    },
    SettingKey {
        name: "state_file",
        variable: "BROWSE_STATE_FILE",
        config_scope: ConfigScope::None,
        help: "state file (<project>/.browse/daemon.json)",
    },
    SettingKey {
        name: "port",
        variable: "BROWSE_PORT",
        config_scope: ConfigScope::Any,
        help: "port on 127.0.0.1; 0 lets the system choose (0)",
    },
    SettingKey {
        name: "idle_timeout",
        variable: "BROWSE_IDLE_TIMEOUT",
        config_scope: ConfigScope::Any,
        help: "time without a call after which the daemon stops (30m)",
    },
    SettingKey {
        name: "chromium",
        variable: "BROWSE_CHROMIUM",
        config_scope: ConfigScope::User,
        help: "Chromium to use (the first that is found)",
    },
    SettingKey {
        name: "chromium_args",
        variable: "BROWSE_CHROMIUM_ARGS",
        config_scope: ConfigScope::User,
        help: "arguments for Chromium, quoted as for a shell",
    },
    SettingKey {
        name: "no_browser",
        variable: "BROWSE_NO_BROWSER",
        config_scope: ConfigScope::None,
        help: "start no browser (for tests)",
    },
    SettingKey {
        name: "bundled_skills",
        variable: "BROWSE_BUNDLED_SKILLS",
        config_scope: ConfigScope::User,
        help: "folder of the bundled skills",
    },
    SettingKey {
        name: "skill_sandbox",
        variable: "BROWSE_SKILL_SANDBOX",
        config_scope: ConfigScope::User,
        help: "what untrusted skills are held to: auto, namespaces, landlock or none (auto)",
    },
    SettingKey {
        name: "skill_memory",
        variable: "BROWSE_SKILL_MEMORY",
        config_scope: ConfigScope::User,
        help: "bytes of memory that all processes of an untrusted skill take together (4294967296)",
    },
    SettingKey {
        name: "max_html_bytes",
        variable: "BROWSE_MAX_HTML_BYTES",
        config_scope: ConfigScope::Any,
        help: "bytes that `load-html` takes (52428800)",
    },
    SettingKey {
        name: "max_windows",
        variable: "BROWSE_MAX_WINDOWS",
        config_scope: ConfigScope::User,
        help: "windows that the pages of a session may have open; `newtab` does not count (100)",
    },
    SettingKey {
        name: "deny",
        variable: "BROWSE_DENY",
        config_scope: ConfigScope::User,
        help: "commands that nobody may call, the owner included: `fetch,js` (none)",
    },
    SettingKey {
        name: "fetch_allow",
        variable: "BROWSE_FETCH_ALLOW",
        config_scope: ConfigScope::User,
        help: "hosts that `fetch` reaches without approval, and where they are not public",
    },
    SettingKey {
        name: "keychain",
        variable: "BROWSE_KEYCHAIN",
        config_scope: ConfigScope::User,
        help: "keep the key of states in the keychain, not in a file (true)",
    },
    SettingKey {
        name: "dialogs",
        variable: "BROWSE_DIALOGS",
        config_scope: ConfigScope::Any,
        help: "questions of pages (confirm, prompt): ask, accept or dismiss (ask)",
    },
    SettingKey {
        name: "library",
        variable: "BROWSE_LIBRARY",
        config_scope: ConfigScope::User,
        help: "public collection of notes, owner/name, or off (browser-use/browser-harness)",
    },
    SettingKey {
        name: "library_branch",
        variable: "BROWSE_LIBRARY_BRANCH",
        config_scope: ConfigScope::User,
        help: "branch of the collection (main)",
    },
    SettingKey {
        name: "library_prefix",
        variable: "BROWSE_LIBRARY_PREFIX",
        config_scope: ConfigScope::User,
        help: "folder of the collection that holds its sites (agent-workspace/domain-skills)",
    },
    SettingKey {
        name: "library_url",
        variable: "BROWSE_LIBRARY_URL",
        config_scope: ConfigScope::User,
        help: "address that serves the collection in place of GitHub",
    },
    SettingKey {
        name: "tunnel_cert",
        variable: "BROWSE_TUNNEL_CERT",
        config_scope: ConfigScope::User,
        help: "certificate of the listener for paired agents, as PEM (one is made)",
    },
    SettingKey {
        name: "tunnel_key",
        variable: "BROWSE_TUNNEL_KEY",
        config_scope: ConfigScope::User,
        help: "key of that certificate, as PEM, mode 0600",
    },
    SettingKey {
        name: "tunnel",
        variable: "BROWSE_TUNNEL",
        config_scope: ConfigScope::User,
        help: "tunnel to start with the daemon: ngrok, command or none",
    },
    SettingKey {
        name: "tunnel_cmd",
        variable: "BROWSE_TUNNEL_CMD",
        config_scope: ConfigScope::User,
        help: "command of that tunnel, quoted as for a shell",
    },
    SettingKey {
        name: "tunnel_local_only",
        variable: "BROWSE_TUNNEL_LOCAL_ONLY",
        config_scope: ConfigScope::User,
        help: "open the listener for paired agents on this machine, and no tunnel (false)",
    },
    SettingKey {
        name: "skillify_prompts",
        variable: "BROWSE_SKILLIFY_PROMPTS",
        config_scope: ConfigScope::Any,
        help: "say a word on skills after 20 commands on a host that has none (false)",
    },
    SettingKey {
        name: "security_datamark",
        variable: "BROWSE_SECURITY_DATAMARK",
        config_scope: ConfigScope::User,
        help: "put a watermark into what paired agents read (true)",
    },
    SettingKey {
        name: "security_hidden",
        variable: "BROWSE_SECURITY_HIDDEN",
        config_scope: ConfigScope::User,
        help: "leave out what no person sees on a page (true)",
    },
    SettingKey {
        name: "security_egress",
        variable: "BROWSE_SECURITY_EGRESS",
        config_scope: ConfigScope::User,
        help: "text that leaves its site: off, warn or block (warn; block for paired agents)",
    },
    SettingKey {
        name: "telemetry",
        variable: "BROWSE_TELEMETRY",
        config_scope: ConfigScope::User,
        help: "count what becomes of notes on sites, in a local file (false)",
    },
    SettingKey {
        name: "telemetry_off",
        variable: "BROWSE_TELEMETRY_OFF",
        config_scope: ConfigScope::Any,
        help: "keep no analytics, whatever `telemetry` says (false)",
    },
    SettingKey {
        name: "security_patterns",
        variable: "BROWSE_SECURITY_PATTERNS",
        config_scope: ConfigScope::User,
        help: "warn of text that speaks to an agent (true)",
    },
    SettingKey {
        name: "security_off",
        variable: "BROWSE_SECURITY_OFF",
        config_scope: ConfigScope::User,
        help: "switch the classifiers of page text off; canaries and rules stay (false)",
    },
    SettingKey {
        name: "security_model_dir",
        variable: "BROWSE_SECURITY_MODEL_DIR",
        config_scope: ConfigScope::User,
        help: "folder of a second classifier, as ONNX, or off (off)",
    },
    SettingKey {
        name: "security_model_runtime",
        variable: "BROWSE_SECURITY_MODEL_RUNTIME",
        config_scope: ConfigScope::User,
        help: "library of ONNX Runtime (that in the folder, or an installed one)",
    },
    SettingKey {
        name: "security_model_program",
        variable: "BROWSE_SECURITY_MODEL_PROGRAM",
        config_scope: ConfigScope::User,
        help: "program that runs the model (browse-onnx beside browsed)",
    },
    SettingKey {
        name: "security_model_url",
        variable: "BROWSE_SECURITY_MODEL_URL",
        config_scope: ConfigScope::User,
        help: "address that serves packages in place of PyPI, for `security install-model`",
    },
    SettingKey {
        name: "security_transcript_check",
        variable: "BROWSE_SECURITY_TRANSCRIPT_CHECK",
        config_scope: ConfigScope::User,
        help: "ask a language model where the classifiers are unsure: off, openai or anthropic (off)",
    },
    SettingKey {
        name: "security_transcript_url",
        variable: "BROWSE_SECURITY_TRANSCRIPT_URL",
        config_scope: ConfigScope::User,
        help: "its address: https, or on this machine",
    },
    SettingKey {
        name: "security_transcript_model",
        variable: "BROWSE_SECURITY_TRANSCRIPT_MODEL",
        config_scope: ConfigScope::User,
        help: "the model that is asked there",
    },
    SettingKey {
        name: "security_transcript_key",
        variable: "BROWSE_SECURITY_TRANSCRIPT_KEY",
        config_scope: ConfigScope::User,
        help: "name of the environment variable that holds the key (none)",
    },
];

#[cfg(test)]
mod tests {
    use super::{ConfigScope, KEYS};

    const README: &str = include_str!("../../../../README.md");

    #[test]
    fn the_readme_says_of_each_setting_where_it_may_stand() {
        for key in KEYS {
            let begin = format!("| `{}`", key.variable);
            let row = README.lines().find(|row| row.starts_with(&begin));
            let row = row.unwrap_or_else(|| panic!("`{}` has no row", key.variable));
            let file = row.split('|').nth(3).unwrap_or_default().trim();
            let expected = match key.config_scope {
                ConfigScope::None => "none",
                ConfigScope::User => "yours",
                ConfigScope::Any => "yours, the project's",
            };
            assert_eq!(file, expected, "{}", key.name);
        }
    }
}
