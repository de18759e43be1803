//! The MCP server with a fleet: its token, its session, and what it gives up.

use serde_json::{Value, json};
use tonic::Code;

use crate::{
    fleet_login::{single_use_tokens, world},
    fleet_renewal::store_pairing,
    mcp::{Server, handle},
    project::Project,
};

const FLEET: [&str; 2] = ["--remote", "fleet"];

fn list() -> Value {
    json!({ "action": "list" })
}

#[test]
fn each_call_has_a_good_token_and_the_rights_of_an_agent() {
    let (_issuer, gateway) = world(single_use_tokens());
    let person = Project::new();
    person.ok(&["login", &gateway.url()]);
    let mut server = Server::start(&person, &FLEET);
    let session = handle(&server.ok("tabs", list()));
    assert!(session.starts_with("agent-") && session.len() == 38, "{session}");
    server.ok("run", json!({ "command": "url" }));
    let calls = gateway.calls();
    // The first one checked the token of the sign-in.
    let [_, first, second] = calls.as_slice() else { panic!("{calls:?}") };
    assert_eq!((first.token.as_str(), second.token.as_str()), ("good-2", "good-3"));
    for call in [first, second] {
        assert_eq!(call.session.as_deref(), Some(session.as_str()));
        assert_eq!(call.scopes.as_deref(), Some("read,write,meta"));
    }
    // Another server goes on there, and reads alone.
    let mut reader = Server::start(&person, &[&FLEET[..], &["--read-only"]].concat());
    reader.ok("snapshot", json!({ "session": session }));
    let last = gateway.calls().pop().expect("a call");
    assert_eq!((last.session, last.scopes.as_deref()), (Some(session.clone()), Some("read")));
    assert_ne!(handle(&reader.ok("tabs", list())), session);
    let refused = reader.fail("snapshot", json!({ "session": "work" }));
    assert!(refused.contains("AGENT_SESSION_ENDED"), "a name is not a handle: {refused}");
    assert_eq!(person.daemon_pid(), None, "no daemon is started here");
}

#[test]
fn the_environment_and_the_command_line_name_fleet_and_session() {
    let (_issuer, gateway) = world(single_use_tokens());
    let person = Project::new();
    person.ok(&["login", &gateway.url()]);
    let list = list().to_string();
    let call = ["mcp", "call", "tabs", list.as_str()];
    person.ok(&[&FLEET[..], &["--session", "night"], &call].concat());
    let mut named = person.command(&call);
    named.env("BROWSE_REMOTE", "fleet").env("BROWSE_SESSION", "work");
    let output = named.output().expect("browse is built");
    assert!(output.status.success(), "{output:?}");
    let sessions: Vec<_> = gateway.calls().into_iter().map(|call| call.session).collect();
    assert_eq!(sessions, [None, Some("night".to_owned()), Some("work".to_owned())]);
}

#[test]
fn what_a_gateway_refuses_comes_through_and_the_session_stays() {
    let (_issuer, gateway) = world(single_use_tokens());
    let person = Project::new();
    person.ok(&["login", &gateway.url()]);
    let mut server = Server::start_for(&person, &FLEET, json!({ "elicitation": {} }));
    let session = handle(&server.ok("tabs", list()));
    let login = format!("browse login {} --name fleet", gateway.url());
    for (code, reason, hint) in [
        (Code::Unauthenticated, "TOKEN_INVALID", login.as_str()),
        (Code::PermissionDenied, "FLEET_DENIED", "the next step"),
        (Code::ResourceExhausted, "FLEET_BUSY", "the next step"),
        (Code::Aborted, "SESSION_LOST", "the next step"),
        (Code::NotFound, "SESSION_NOT_FOUND", "it opens the session"),
    ] {
        gateway.fail(code, reason, "the next step");
        let refused = server.fail("tabs", list());
        assert!(refused.contains(reason) && refused.contains(hint), "{refused}");
        assert_eq!(handle(&refused), session, "{reason}");
    }
    // The user is not asked: a fleet has no approvals.
    let values = [("id", "1"), ("hint", "the next step")];
    gateway.fail_with(Code::PermissionDenied, "EGRESS_DENIED", &values);
    let refused = server.fail("tabs", list());
    assert!(refused.contains("EGRESS_DENIED"), "{refused}");
}

#[test]
fn what_cannot_be_driven_is_an_error_of_the_tool() {
    let (_issuer, gateway) = world(single_use_tokens());
    let person = Project::new();
    person.ok(&["login", &gateway.url()]);
    store_pairing(&person, "paired");
    for (args, reason) in [
        (&["--remote", "fleet", "--host", "example.com"][..], "FLEET_DENIED"),
        (&["--remote", "paired"][..], "TUNNEL_DENIED"),
        (&["--remote", "nobody"][..], "REMOTE_UNKNOWN"),
    ] {
        let refused = Server::start(&person, args).fail("tabs", list());
        assert!(refused.contains(reason) && refused.contains("hint: "), "{refused}");
    }
    let wrong = person.run(&["mcp", "--remote", "../fleet", "call", "tabs"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}
