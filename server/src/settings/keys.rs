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
    /// Its value when it is not set; a literal value stands in backticks.
    pub default: &'static str,
    /// Whether its value may hold a password or a token, so that it is not shown.
    pub may_hold_secret: bool,
    /// What it does, in `--help` and `docs/settings.md`.
    pub help: &'static str,
}

/// Which `config.toml` may hold a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigScope {
    /// None: the setting is needed to find the files.
    None,
    /// That of the user. A project's file comes with whatever repository was
    /// cloned, so it may choose neither programs nor what guards its user.
    User,
    /// Both.
    Any,
}

impl SettingKey {
    /// The setting with this name, or its variable's.
    pub fn find(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name || key.variable == name)
    }

    /// The setting whose name is nearest to `name`, when it is near enough for a misspelling.
    pub fn nearest(name: &str) -> Option<&'static Self> {
        let distance = |key: &Self| strsim::damerau_levenshtein(name, key.name);
        let near = KEYS.iter().map(|key| (distance(key), key)).min_by_key(|(edits, _)| *edits)?;
        (near.0 <= 2 && near.0 < near.1.name.len().div_ceil(2)).then_some(near.1)
    }

    /// The default when it is one literal value.
    pub fn literal_default(&self) -> Option<&'static str> {
        let inner = self.default.strip_prefix('`')?.strip_suffix('`')?;
        (!inner.contains('`')).then_some(inner)
    }
}

/// Every setting.
pub static KEYS: &[SettingKey] = &[
    SettingKey {
        name: "project",
        variable: "BROWSE_PROJECT",
        config_scope: ConfigScope::None,
        default: "the git top level, else the nearest parent below your home with a `.browse` folder of yours, else the working directory",
        may_hold_secret: false,
        help: "folder that the daemon serves",
    },
    SettingKey {
        name: "home",
        variable: "BROWSE_HOME",
        config_scope: ConfigScope::None,
        default: "`~/.browse`",
        may_hold_secret: false,
        help: "settings, skills and records of the user",
    },
    SettingKey {
        name: "state_file",
        variable: "BROWSE_STATE_FILE",
        config_scope: ConfigScope::None,
        default: "`<project>/.browse/daemon.json`",
        may_hold_secret: false,
        help: "file with the address and the root token of the daemon",
    },
    SettingKey {
        name: "port",
        variable: "BROWSE_PORT",
        config_scope: ConfigScope::Any,
        default: "`0`",
        may_hold_secret: false,
        help: "port on 127.0.0.1; the system chooses one for `0`",
    },
    SettingKey {
        name: "idle_timeout",
        variable: "BROWSE_IDLE_TIMEOUT",
        config_scope: ConfigScope::Any,
        default: "`30m`",
        may_hold_secret: false,
        help: "the daemon stops after this time without a call; a number without a unit is milliseconds",
    },
    SettingKey {
        name: "chromium",
        variable: "BROWSE_CHROMIUM",
        config_scope: ConfigScope::User,
        default: "the first one found",
        may_hold_secret: false,
        help: "path of the browser program",
    },
    SettingKey {
        name: "cdp_url",
        variable: "BROWSE_CDP_URL",
        config_scope: ConfigScope::User,
        default: "none",
        may_hold_secret: true,
        help: "browser that runs already, in which the session `default` is: as for `connect --cdp`, whose consent it needs too",
    },
    SettingKey {
        name: "chromium_args",
        variable: "BROWSE_CHROMIUM_ARGS",
        config_scope: ConfigScope::User,
        default: "none",
        may_hold_secret: true,
        help: "arguments for Chromium, quoted as in a shell; in `config.toml` a list",
    },
    SettingKey {
        name: "no_browser",
        variable: "BROWSE_NO_BROWSER",
        config_scope: ConfigScope::None,
        default: "`false`",
        may_hold_secret: false,
        help: "start no browser (for tests)",
    },
    SettingKey {
        name: "defer_browser",
        variable: "BROWSE_DEFER_BROWSER",
        config_scope: ConfigScope::User,
        default: "`false`",
        may_hold_secret: false,
        help: "start the browser with the first command that needs it, and not with the daemon",
    },
    SettingKey {
        name: "bundled_skills",
        variable: "BROWSE_BUNDLED_SKILLS",
        config_scope: ConfigScope::User,
        default: "beside `browsed`",
        may_hold_secret: false,
        help: "folder of the bundled skills",
    },
    SettingKey {
        name: "skill_sandbox",
        variable: "BROWSE_SKILL_SANDBOX",
        config_scope: ConfigScope::User,
        default: "`auto`",
        may_hold_secret: false,
        help: "sandbox of untrusted skills: `auto`, `namespaces`, `landlock`, or `none`, which refuses them",
    },
    SettingKey {
        name: "skill_memory",
        variable: "BROWSE_SKILL_MEMORY",
        config_scope: ConfigScope::User,
        default: "`4294967296`",
        may_hold_secret: false,
        help: "memory limit of all processes of an untrusted skill together, in bytes",
    },
    SettingKey {
        name: "max_html_bytes",
        variable: "BROWSE_MAX_HTML_BYTES",
        config_scope: ConfigScope::Any,
        default: "`52428800`",
        may_hold_secret: false,
        help: "largest file that `load-html` accepts, in bytes",
    },
    SettingKey {
        name: "max_windows",
        variable: "BROWSE_MAX_WINDOWS",
        config_scope: ConfigScope::User,
        default: "`100`",
        may_hold_secret: false,
        help: "largest number of windows that pages of a session can open; `newtab` does not count",
    },
    SettingKey {
        name: "deny",
        variable: "BROWSE_DENY",
        config_scope: ConfigScope::User,
        default: "none",
        may_hold_secret: false,
        help: "commands that nobody may call, the local user included: `fetch,js`; in `config.toml` a list; a name includes its subcommands",
    },
    SettingKey {
        name: "fetch_allow",
        variable: "BROWSE_FETCH_ALLOW",
        config_scope: ConfigScope::User,
        default: "none",
        may_hold_secret: false,
        help: "hosts that `fetch` reaches without approval, public or not: `example.com`, `*.example.com`, `127.0.0.1:3000`; names and addresses are not resolved to each other",
    },
    SettingKey {
        name: "keychain",
        variable: "BROWSE_KEYCHAIN",
        config_scope: ConfigScope::User,
        default: "`true`",
        may_hold_secret: false,
        help: "keep the key of saved states in the keychain of the system where that works; `false`: in a file",
    },
    SettingKey {
        name: "dialogs",
        variable: "BROWSE_DIALOGS",
        config_scope: ConfigScope::Any,
        default: "`ask`",
        may_hold_secret: false,
        help: "`confirm` and `prompt` dialogs of pages: `ask` keeps them open for up to 60 s, for `dialog-accept` or `dialog-dismiss`; `accept` or `dismiss` answers at once",
    },
    SettingKey {
        name: "user_agent",
        variable: "BROWSE_USER_AGENT",
        config_scope: ConfigScope::Any,
        default: "`plain`",
        may_hold_secret: false,
        help: "what the browser says it is: `plain` is what the same Chromium says with a window, client hints included; `headless` names `HeadlessChrome`",
    },
    SettingKey {
        name: "webmcp",
        variable: "BROWSE_WEBMCP",
        config_scope: ConfigScope::User,
        default: "`false`",
        may_hold_secret: false,
        help: "start Chromium with WebMCP, by which pages offer tools to `webmcp list` and `webmcp call`",
    },
    SettingKey {
        name: "dashboard_terminal",
        variable: "BROWSE_DASHBOARD_TERMINAL",
        config_scope: ConfigScope::User,
        default: "`false`",
        may_hold_secret: false,
        help: "let a dashboard with the scope `control` start a shell in the folder of the project",
    },
    SettingKey {
        name: "library",
        variable: "BROWSE_LIBRARY",
        config_scope: ConfigScope::User,
        default: "`browser-use/browser-harness`",
        may_hold_secret: false,
        help: "public collection of notes on GitHub, `owner/name`, or `off`",
    },
    SettingKey {
        name: "library_branch",
        variable: "BROWSE_LIBRARY_BRANCH",
        config_scope: ConfigScope::User,
        default: "`main`",
        may_hold_secret: false,
        help: "branch of the collection",
    },
    SettingKey {
        name: "library_prefix",
        variable: "BROWSE_LIBRARY_PREFIX",
        config_scope: ConfigScope::User,
        default: "`agent-workspace/domain-skills`",
        may_hold_secret: false,
        help: "folder of the collection with one folder per site",
    },
    SettingKey {
        name: "library_url",
        variable: "BROWSE_LIBRARY_URL",
        config_scope: ConfigScope::User,
        default: "GitHub",
        may_hold_secret: true,
        help: "base URL that serves `/repos/<collection>/git/trees/<branch>` and `/<collection>/<branch>/<file>`",
    },
    SettingKey {
        name: "tunnel_cert",
        variable: "BROWSE_TUNNEL_CERT",
        config_scope: ConfigScope::User,
        default: "generated",
        may_hold_secret: false,
        help: "certificate of the listener for paired agents, as PEM",
    },
    SettingKey {
        name: "tunnel_key",
        variable: "BROWSE_TUNNEL_KEY",
        config_scope: ConfigScope::User,
        default: "generated",
        may_hold_secret: false,
        help: "private key of that certificate, as PEM, mode 0600",
    },
    SettingKey {
        name: "tunnel",
        variable: "BROWSE_TUNNEL",
        config_scope: ConfigScope::User,
        default: "none",
        may_hold_secret: false,
        help: "tunnel that starts with the daemon: `ngrok`, `command` or `none`",
    },
    SettingKey {
        name: "tunnel_cmd",
        variable: "BROWSE_TUNNEL_CMD",
        config_scope: ConfigScope::User,
        default: "none",
        may_hold_secret: true,
        help: "command of the tunnel, quoted as in a shell",
    },
    SettingKey {
        name: "tunnel_local_only",
        variable: "BROWSE_TUNNEL_LOCAL_ONLY",
        config_scope: ConfigScope::User,
        default: "`false`",
        may_hold_secret: false,
        help: "open the listener for paired agents on this machine, without a tunnel",
    },
    SettingKey {
        name: "skillify_prompts",
        variable: "BROWSE_SKILLIFY_PROMPTS",
        config_scope: ConfigScope::Any,
        default: "`false`",
        may_hold_secret: false,
        help: "suggest a skill after 20 commands on a host without one",
    },
    SettingKey {
        name: "security_datamark",
        variable: "BROWSE_SECURITY_DATAMARK",
        config_scope: ConfigScope::User,
        default: "`true`",
        may_hold_secret: false,
        help: "add a watermark to text that paired agents read",
    },
    SettingKey {
        name: "security_hidden",
        variable: "BROWSE_SECURITY_HIDDEN",
        config_scope: ConfigScope::User,
        default: "`true`",
        may_hold_secret: false,
        help: "omit text that is not visible to a person",
    },
    SettingKey {
        name: "security_egress",
        variable: "BROWSE_SECURITY_EGRESS",
        config_scope: ConfigScope::User,
        default: "`warn`; `block` for paired agents",
        may_hold_secret: false,
        help: "text that leaves its site: `off`, `warn`, `ask` or `block`",
    },
    SettingKey {
        name: "telemetry",
        variable: "BROWSE_TELEMETRY",
        config_scope: ConfigScope::User,
        default: "`false`",
        may_hold_secret: false,
        help: "count events of notes on sites, in a local file",
    },
    SettingKey {
        name: "telemetry_off",
        variable: "BROWSE_TELEMETRY_OFF",
        config_scope: ConfigScope::Any,
        default: "`false`",
        may_hold_secret: false,
        help: "disable telemetry, whatever `telemetry` says",
    },
    SettingKey {
        name: "security_patterns",
        variable: "BROWSE_SECURITY_PATTERNS",
        config_scope: ConfigScope::User,
        default: "`true`",
        may_hold_secret: false,
        help: "warn of text that addresses an agent",
    },
    SettingKey {
        name: "security_off",
        variable: "BROWSE_SECURITY_OFF",
        config_scope: ConfigScope::User,
        default: "`false`",
        may_hold_secret: false,
        help: "disable the classifiers of page text; canaries and rules stay",
    },
    SettingKey {
        name: "security_model_dir",
        variable: "BROWSE_SECURITY_MODEL_DIR",
        config_scope: ConfigScope::User,
        default: "`off`",
        may_hold_secret: false,
        help: "folder of an ONNX classifier, or `off`",
    },
    SettingKey {
        name: "security_model_runtime",
        variable: "BROWSE_SECURITY_MODEL_RUNTIME",
        config_scope: ConfigScope::User,
        default: "in the model folder, else an installed one",
        may_hold_secret: false,
        help: "library of ONNX Runtime",
    },
    SettingKey {
        name: "security_model_program",
        variable: "BROWSE_SECURITY_MODEL_PROGRAM",
        config_scope: ConfigScope::User,
        default: "`browse-onnx` beside `browsed`",
        may_hold_secret: false,
        help: "program that runs the model",
    },
    SettingKey {
        name: "security_model_url",
        variable: "BROWSE_SECURITY_MODEL_URL",
        config_scope: ConfigScope::User,
        default: "PyPI",
        may_hold_secret: true,
        help: "base URL of the package index for `security install-model`",
    },
    SettingKey {
        name: "security_transcript_check",
        variable: "BROWSE_SECURITY_TRANSCRIPT_CHECK",
        config_scope: ConfigScope::User,
        default: "`off`",
        may_hold_secret: false,
        help: "ask a language model when the classifiers are unsure: `off`, `openai` or `anthropic` (the API that it speaks)",
    },
    SettingKey {
        name: "security_transcript_url",
        variable: "BROWSE_SECURITY_TRANSCRIPT_URL",
        config_scope: ConfigScope::User,
        default: "none",
        may_hold_secret: true,
        help: "URL of the language model: https, or a loopback address",
    },
    SettingKey {
        name: "security_transcript_model",
        variable: "BROWSE_SECURITY_TRANSCRIPT_MODEL",
        config_scope: ConfigScope::User,
        default: "none",
        may_hold_secret: false,
        help: "name of the language model",
    },
    SettingKey {
        name: "security_transcript_key",
        variable: "BROWSE_SECURITY_TRANSCRIPT_KEY",
        config_scope: ConfigScope::User,
        default: "none",
        may_hold_secret: false,
        help: "name of the environment variable that holds the API key",
    },
];

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::{ConfigScope, KEYS, SettingKey};

    const BEGIN: &str = "<!-- begin generated: UPDATE=1 cargo test -p browse-server settings -->\n";
    const END: &str = "<!-- end generated -->";

    #[test]
    fn docs_list_every_setting() {
        let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut pages = crate_folder.ancestors().map(|folder| folder.join("docs/settings.md"));
        let path = pages.find(|page| page.exists()).expect("docs/settings.md");
        let page = fs::read_to_string(&path).expect("readable docs");
        let (before, rest) = page.split_once(BEGIN).expect("the begin marker");
        let (_, after) = rest.split_once(END).expect("the end marker");
        let fresh = format!("{before}{BEGIN}{}{END}{after}", table());
        if std::env::var_os("UPDATE").is_some() {
            fs::write(path, fresh).expect("writable docs");
        } else {
            assert!(page == fresh, "docs/settings.md is stale: run with UPDATE=1");
        }
    }

    fn table() -> String {
        let head = "| variable | `config.toml` | set in | default | description |\n|---|---|---|---|---|\n";
        head.to_owned() + &KEYS.iter().map(row).collect::<String>()
    }

    fn row(key: &SettingKey) -> String {
        let (name, files) = match key.config_scope {
            ConfigScope::None => (String::new(), "environment"),
            ConfigScope::User => (format!("`{}`", key.name), "user"),
            ConfigScope::Any => (format!("`{}`", key.name), "user, project"),
        };
        let SettingKey { variable, default, help, .. } = key;
        format!("| `{variable}` | {name} | {files} | {default} | {help} |\n")
    }
}
