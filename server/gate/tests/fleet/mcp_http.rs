//! MCP over HTTP at the gateway: a client with a token of the fleet, and pods that are played.

use std::{collections::BTreeSet, path::Path};

use browse_base::hex;
use browse_fleet::{FleetIdentity, GATE_NAME, SessionScope};
use http::{Method, StatusCode, header};
use ring::hmac;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    mcp_client::{ID_HEADER, McpClient},
    support::{World, eventually},
};

/// The id of a session of the caller `ann` of `acme` that began at a time, in seconds since 1970, as
/// gateways with the certificate in `identity` make it.
fn id_of(identity: &Path, session: &str, began: u64) -> String {
    let identity = FleetIdentity::read(identity).expect("it is whole");
    let key = identity.derive_key("ids of sessions of mcp").expect("a key");
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
    let code = hmac::sign(&key, format!("acme\n{session}\n{began}\nann\n").as_bytes());
    format!("{session}.{began:x}.{}", hex(&code.as_ref()[..16]))
}

fn list() -> Value {
    json!({ "action": "list" })
}

#[tokio::test]
async fn an_agent_with_a_token_alone_drives_a_session() {
    let world = World::keeping_sessions(10).await;
    let pod = world.add_pod().await;
    let address = |replica: usize| world.replicas[replica].address;
    let agent = McpClient::begin(address(0), "acme-key").await;
    let listed = agent.request(address(1), "tools/list", json!({})).await;
    let tools = listed.body["result"]["tools"].as_array().expect("a list");
    let names: BTreeSet<_> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.contains("snapshot") && !names.contains("skill"), "{names:?}");
    let help = agent.ok(address(1), "help", json!({ "command": "click" })).await;
    assert!(help.contains("click"), "{help}");
    assert_eq!(pod.tenant(), None, "a client that only looks has no place");

    // Any replica serves it.
    let opened = agent.ok(address(2), "open", json!({ "url": "https://a.example/" })).await;
    assert!(opened.contains(&format!("session: {}", agent.session())), "{opened}");
    agent.ok(address(0), "tabs", list()).await;
    let session = agent.session();
    assert_eq!(pod.calls(), [format!("{session} goto"), format!("{session} tabs")]);
    assert_eq!(pod.tenant().as_deref(), Some("acme"));
    // The key has all scopes, and the agent those of agents, in its session.
    for grant in pod.grants() {
        let scopes: BTreeSet<_> = grant.scopes.iter().map(String::as_str).collect();
        assert_eq!(scopes, BTreeSet::from(["meta", "read", "write"]));
        assert_eq!(grant.session, SessionScope::Only(session.to_owned()));
        assert_eq!(grant.subject, "ann");
    }
    for words in ["cookies", "session list", "skill list"] {
        let refused = agent.fail(address(1), "run", json!({ "command": words })).await;
        assert!(refused.contains("_DENIED"), "{words}: {refused}");
    }
    // A client without a handshake has the handle of each answer.
    let stateless = McpClient::new("acme-key");
    let first = stateless.ok(address(0), "tabs", list()).await;
    let handle = first.lines().find_map(|line| line.strip_prefix("session: ")).expect("a handle");
    assert_ne!(handle, session);
    let again = json!({ "action": "list", "session": handle });
    assert!(stateless.ok(address(1), "tabs", again).await.contains(handle));
    assert_eq!(world.replicas[0].gateway.session_count(), 2);
}

#[tokio::test]
async fn a_session_of_mcp_is_unknown_to_others() {
    let world = World::keeping_sessions(10).await;
    let pods = world.add_pods(2).await;
    let address = world.replicas[0].address;
    let agent = McpClient::begin(address, "acme-key").await;
    agent.ok(address, "tabs", list()).await;
    let own = pods.iter().find(|pod| pod.tenant().is_some()).expect("a pod");
    let calls = own.calls();
    // Another tenant, and another caller of the tenant.
    for key in ["beta-key", "narrow-key"] {
        let other = McpClient { key: key.to_owned(), id: agent.id.clone() };
        for method in [Method::POST, Method::DELETE] {
            let params = json!({ "name": "tabs", "arguments": list() });
            let message =
                json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
            let refused = other.send(address, method, &[], message.to_string()).await;
            let found = (refused.status, refused.reason());
            assert_eq!(found, (StatusCode::NOT_FOUND, "SESSION_NOT_FOUND"), "{key}");
        }
    }
    // By its name, a tenant opens a session of its own.
    let beta = McpClient::new("beta-key");
    let named = json!({ "action": "list", "session": agent.session() });
    beta.ok(address, "tabs", named).await;
    assert_eq!(own.calls(), calls, "nothing came to the pod of the owner");
    // Who knows the name of a session, as callers of the tenant can, has no id that ends it.
    let foreign = world.foreign_certificate_for(GATE_NAME);
    let began = agent.id().split('.').nth(1).expect("a part");
    let began_at = u64::from_str_radix(began, 16).expect("a time");
    let sum = Sha256::digest(format!("acme\n{}\n{began_at}\nann\n", agent.session()));
    for made in [
        id_of(&foreign, agent.session(), began_at),
        format!("{}.{began}.{}", agent.session(), hex(&sum[..16])),
        format!("{}.{began}.{}", agent.session(), hex(&sum[..8])),
        // No client gets an id for another name than those of agents.
        id_of(&world.gate_identity, "default", 1),
    ] {
        let forger = McpClient { key: "acme-key".to_owned(), id: Some(made.clone()) };
        for method in [Method::POST, Method::DELETE] {
            let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
            let refused = forger.send(address, method, &[], message.to_string()).await;
            assert_eq!(refused.reason(), "SESSION_NOT_FOUND", "{made}");
        }
    }
    assert_eq!(own.calls(), calls);
    agent.ok(address, "tabs", list()).await;
}

#[tokio::test]
async fn a_session_that_nobody_used_for_long_has_ended() {
    let name = format!("agent-{}", "a1".repeat(16));
    let began_at = 1_700_000_000;
    let client = |identity: &Path| {
        let id = Some(id_of(identity, &name, began_at));
        McpClient { key: "acme-key".to_owned(), id }
    };
    let world = World::keeping_sessions(10).await;
    let old = client(&world.gate_identity);
    let _pod = world.add_pod().await;
    let address = world.replicas[0].address;
    let refused = old.request(address, "tools/list", json!({})).await;
    assert_eq!((refused.status, refused.reason()), (StatusCode::NOT_FOUND, "SESSION_NOT_FOUND"));
    // While it is open it goes on, however old it is.
    assert_eq!(world.call(1, "acme", &name, "goto").await.reason(), "ok");
    eventually(|| (world.replicas[0].gateway.session_count() == 1).then_some(())).await;
    assert!(old.ok(address, "tabs", list()).await.contains(&name));
    // One that lies in a store can be restored.
    let restoring = World::restoring(10).await;
    let _pod = restoring.add_pod().await;
    client(&restoring.gate_identity).ok(restoring.replicas[0].address, "tabs", list()).await;
}

#[tokio::test]
async fn a_token_for_one_session_acts_there_and_leaves_it_open() {
    let world = World::keeping_sessions(10).await;
    let pod = world.add_pod().await;
    let address = world.replicas[0].address;
    let agent = McpClient::begin(address, "narrow-key").await;
    let read = agent.ok(address, "snapshot", json!({})).await;
    assert!(read.contains("session: one"), "{read}");
    let refused = agent.fail(address, "open", json!({ "url": "https://a.example/" })).await;
    assert!(refused.contains("SCOPE_DENIED"), "{refused}");
    let ended = agent.send(address, Method::DELETE, &[], String::new()).await;
    assert_eq!(ended.status, StatusCode::NO_CONTENT, "{ended:?}");
    assert_eq!(pod.calls(), ["one snapshot"]);
    let refused = agent.request(address, "tools/list", json!({})).await;
    assert_eq!(refused.reason(), "SESSION_NOT_FOUND");
}

#[tokio::test]
async fn a_request_can_leave_its_agent_fewer_scopes() {
    let world = World::keeping_sessions(10).await;
    let pod = world.add_pod().await;
    let address = world.replicas[0].address;
    let agent = McpClient::begin(address, "acme-key").await;
    let scopes = [("browse-scopes", "read,control")];
    let (read, is_error) = agent.call(address, "snapshot", json!({}), &scopes).await;
    assert!(!is_error, "{read}");
    assert_eq!(pod.grants().last().expect("a grant").scopes, ["read"]);
    let url = json!({ "url": "https://a.example/" });
    let (refused, is_error) = agent.call(address, "open", url, &scopes).await;
    assert!(is_error && refused.contains("SCOPE_DENIED"), "{refused}");
}

#[tokio::test]
async fn what_is_not_a_request_of_a_caller_is_refused() {
    let world = World::new(10).await;
    let pod = world.add_pod().await;
    let address = world.replicas[0].address;
    let agent = McpClient::new("acme-key");
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(agent.post(address, &[], ping).await.status, StatusCode::OK);
    for (authorization, challenge) in [
        ("", "Bearer"),
        ("Bearer wrong", "Bearer error=\"invalid_token\""),
        ("Basic YWNtZS1rZXk=", "Bearer error=\"invalid_token\""),
    ] {
        let refused = agent.post(address, &[("authorization", authorization)], ping).await;
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{authorization}: {refused:?}");
        assert_eq!(refused.headers[header::WWW_AUTHENTICATE], challenge, "{authorization}");
    }
    let refused = agent.post(address, &[("origin", "https://evil.example")], ping).await;
    assert_eq!((refused.status, refused.reason()), (StatusCode::FORBIDDEN, "ORIGIN_DENIED"));
    let refused = agent.post(address, &[("browse-scopes", "control")], ping).await;
    assert_eq!((refused.status, refused.reason()), (StatusCode::FORBIDDEN, "SCOPE_DENIED"));
    // What holds other calls would not hold these.
    for (name, value) in [("browse-session", "work"), ("browse-skill-hosts", "a.example")] {
        let refused = agent.post(address, &[(name, value)], ping).await;
        let found = (refused.status, refused.reason());
        assert_eq!(found, (StatusCode::BAD_REQUEST, "ARGUMENT_INVALID"), "{name}");
        assert!(refused.body["message"].as_str().is_some_and(|text| text.contains(name)), "{name}");
    }
    let refused = agent.post(address, &[], &"x".repeat((1 << 20) + 1)).await;
    let found = (refused.status, refused.reason());
    assert_eq!(found, (StatusCode::PAYLOAD_TOO_LARGE, "TOO_LARGE"));
    let refused = agent.send(address, Method::GET, &[], String::new()).await;
    assert_eq!(refused.status, StatusCode::METHOD_NOT_ALLOWED, "{refused:?}");
    assert_eq!(refused.headers[header::ALLOW], "POST, DELETE");
    let refused = agent.post(address, &[], "{nonsense").await;
    assert_eq!(refused.body["error"]["code"], -32_700, "{refused:?}");
    for id in ["agent-", "../x", "agent-0123456789abcdef0123456789abcdef.1.2"] {
        let refused = agent.post(address, &[(ID_HEADER, id)], ping).await;
        assert_eq!(refused.status, StatusCode::NOT_FOUND, "{id}");
    }
    assert_eq!(pod.tenant(), None, "nothing came to a pod");
}

#[tokio::test]
async fn an_agent_reaches_no_file_of_the_gateway() {
    let world = World::new(10).await;
    let pod = world.add_pod().await;
    let address = world.replicas[0].address;
    let agent = McpClient::begin(address, "acme-key").await;
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    std::fs::write(&page, "<p>secret</p>").expect("written");
    let target = folder.path().join("shot.png");
    let steps = json!([["load-html", page.display().to_string()]]);
    for (tool, arguments) in [
        ("run", json!({ "command": ["load-html", page.display().to_string()] })),
        ("run", json!({ "command": ["upload", "@e1", page.display().to_string()] })),
        ("run", json!({ "command": ["screenshot", target.display().to_string()] })),
        ("run", json!({ "command": ["pdf"] })),
        ("act", json!({ "steps": steps })),
        ("act", json!({ "steps": [["screenshot"]] })),
    ] {
        let refused = agent.fail(address, tool, arguments.clone()).await;
        assert!(refused.contains("FILE_DENIED"), "{arguments}: {refused}");
    }
    assert!(!target.exists() && pod.calls().is_empty(), "{:?}", pod.calls());
}
