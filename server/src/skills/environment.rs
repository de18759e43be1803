//! The environment of a run.

use std::collections::{BTreeMap, HashMap};

/// What an untrusted skill sees of the daemon's environment.
const INHERITED_VARIABLES: [&str; 4] = ["LANG", "LC_ALL", "TERM", "TZ"];
const DEFAULT_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What no skill inherits: tokens, and where they are good.
const TOKEN_VARIABLES: [&str; 7] = [
    "BROWSE_TOKEN",
    "BROWSE_SKILL_TOKEN",
    "BROWSE_MCP_TOKEN",
    "BROWSE_ADDR",
    "BROWSE_STATE_FILE",
    "BROWSE_SESSION",
    "BROWSE_REMOTE",
];

/// The variables of a process.
pub type Environment = BTreeMap<String, String>;

/// The environment of an untrusted skill.
pub fn scrubbed() -> Environment {
    let kept = INHERITED_VARIABLES
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?)));
    kept.chain([("PATH".to_owned(), DEFAULT_PATH.to_owned())]).collect()
}

/// The environment of a trusted skill: that of the caller, without our tokens.
pub fn caller_environment(caller: HashMap<String, String>) -> Environment {
    let holds_token = |(name, value): &(String, String)| {
        let malformed = name.is_empty() || name.contains(['=', '\0']) || value.contains('\0');
        TOKEN_VARIABLES.contains(&name.as_str()) || malformed
    };
    let mut environment = scrubbed();
    environment.extend(caller.into_iter().filter(|pair| !holds_token(pair)));
    environment
}

/// The environment of a build: what compilers need to find themselves.
pub fn build_environment() -> Environment {
    let names = ["HOME", "PATH", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "TMPDIR"];
    let found =
        names.into_iter().filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?)));
    scrubbed().into_iter().chain(found).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{caller_environment, scrubbed};

    #[test]
    fn an_untrusted_skill_sees_five_names_at_most() {
        let names: Vec<_> = scrubbed().into_keys().collect();
        assert!(
            names
                .iter()
                .all(|name| ["LANG", "LC_ALL", "PATH", "TERM", "TZ"].contains(&name.as_str())),
            "{names:?}"
        );
        assert!(!scrubbed()["PATH"].contains("cargo"));
    }

    #[test]
    fn a_trusted_skill_sees_the_callers_without_tokens() {
        let caller = [
            ("API_KEY", "k"),
            ("BROWSE_TOKEN", "t"),
            ("BROWSE_ADDR", "a"),
            ("BROWSE_REMOTE", "r"),
            ("A=B", "c"),
            ("PATH", "/p"),
        ];
        let caller = HashMap::from(caller.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let environment = caller_environment(caller);
        assert_eq!((environment["API_KEY"].as_str(), environment["PATH"].as_str()), ("k", "/p"));
        assert!(
            !environment.contains_key("BROWSE_TOKEN") && !environment.contains_key("BROWSE_ADDR")
        );
        assert!(!environment.contains_key("BROWSE_REMOTE"));
        assert!(!environment.contains_key("A=B"));
    }
}
