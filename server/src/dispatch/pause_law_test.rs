//! A law over the registry: while the person has paused the agents of a session, they look at it
//! and write to the person, and do nothing else.

use browse_policy::ClientId;
use browse_proto::{Command, Reason, Requires, Scope};
use browse_sessions::SessionName;

use super::test_calls::{call, daemon};

/// Commands that are not for reading, and that a paused agent has: they reach no page.
const ALLOWED: [&str; 14] = [
    "approve",
    "ask",
    "handoff",
    "inbox",
    "inbox picture",
    "resume",
    "say",
    "tabs",
    "trace list",
    "trace picture",
    "trace save",
    "trace show",
    "trace step",
    "watch stop",
];

#[tokio::test]
async fn a_paused_agent_looks_and_does_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let daemon = daemon(&folder);
    let name = SessionName::default_session();
    let session = daemon.sessions().get_or_open(&name, &ClientId::root());
    let commands = || Command::all().iter().filter(|command| command.service == "BrowserService");
    let refused = || -> Vec<&str> {
        let is_refused = |command: &&'static Command| {
            let checked = call(&daemon, command, false).check_not_paused();
            checked.is_err_and(|error| error.reason() == Reason::HandedOff)
        };
        commands().filter(is_refused).map(|command| command.name).collect()
    };
    assert!(refused().is_empty(), "nobody is paused");
    session.control().pause(Vec::new());
    let refused_now = refused();
    for command in commands() {
        let looks = command.scope == Scope::Read
            && !command.has_side_effects
            && command.requires != Requires::Navigation;
        let may = looks || ALLOWED.contains(&command.name);
        assert_eq!(refused_now.contains(&command.name), !may, "{}", command.name);
    }
    for name in ["goto", "newtab", "closetab", "click", "cookie", "js", "state load", "viewport"] {
        assert!(refused_now.contains(&name), "{name} acts");
    }
    for name in ["snapshot", "text", "screenshot", "tabs", "say", "ask", "inbox", "resume"] {
        assert!(!refused_now.contains(&name), "{name} only looks");
    }
    session.control().end_pause();
    assert!(refused().is_empty(), "the person lets them go on");
}
