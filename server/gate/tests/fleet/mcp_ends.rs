//! The end of sessions of MCP by their clients.

use std::net::SocketAddr;

use browse_fleet::SessionScope;
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    mcp_client::McpClient,
    support::{Answer, World, eventually},
};

fn list() -> Value {
    json!({ "action": "list" })
}

async fn end(agent: &McpClient, address: SocketAddr) -> Answer {
    agent.send(address, Method::DELETE, &[], String::new()).await
}

#[tokio::test]
async fn a_session_that_its_client_ends_gives_its_place_back() {
    let world = World::keeping_sessions(1).await;
    let pod = world.add_pod().await;
    let address = |replica: usize| world.replicas[replica].address;
    let agent = McpClient::begin(address(0), "acme-key").await;
    agent.ok(address(0), "tabs", list()).await;
    let ended = agent.send(address(1), Method::DELETE, &[], String::new()).await;
    assert_eq!(ended.status, StatusCode::NO_CONTENT, "{ended:?}");
    let session = agent.session();
    assert_eq!(pod.calls().last(), Some(&format!("{session} session close")));
    let closing = pod.grants().last().cloned().expect("a grant");
    assert_eq!(closing.scopes, ["control"]);
    assert_eq!(closing.session, SessionScope::Only(session.to_owned()));
    eventually(|| (world.replicas[2].gateway.session_count() == 0).then_some(())).await;
    for method in [Method::POST, Method::DELETE] {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
        let refused = agent.send(address(1), method, &[], message.to_string()).await;
        assert_eq!(
            (refused.status, refused.reason()),
            (StatusCode::NOT_FOUND, "SESSION_NOT_FOUND")
        );
    }
    // One that nobody has used has no session to close.
    let idle = McpClient::begin(address(0), "acme-key").await;
    let ended = idle.send(address(0), Method::DELETE, &[], String::new()).await;
    assert_eq!(ended.status, StatusCode::NO_CONTENT, "{ended:?}");
    let nothing = McpClient::new("acme-key");
    let refused = nothing.send(address(0), Method::DELETE, &[], String::new()).await;
    assert_eq!((refused.status, refused.reason()), (StatusCode::BAD_REQUEST, "ARGUMENT_INVALID"));
    let closes = pod.calls().iter().filter(|call| call.ends_with("session close")).count();
    assert_eq!(closes, 1);
}

#[tokio::test]
async fn an_end_that_was_refused_can_be_asked_for_again() {
    let world = World::keeping_sessions(10).await;
    let pod = world.add_pod().await;
    let address = world.replicas[0].address;
    let agent = McpClient::begin(address, "acme-key").await;
    agent.ok(address, "tabs", list()).await;
    pod.break_next(1);
    let refused = end(&agent, address).await;
    assert_eq!(refused.reason(), "ACTION_UNKNOWN", "{refused:?}");
    agent.ok(address, "tabs", list()).await;
    let ended = end(&agent, address).await;
    assert_eq!(ended.status, StatusCode::NO_CONTENT, "{ended:?}");
    assert_eq!(pod.calls().last(), Some(&format!("{} session close", agent.session())));
}

#[tokio::test]
async fn a_request_under_way_does_not_open_an_ended_session_again() {
    let world = World::keeping_sessions(10).await;
    let pod = world.add_pod().await;
    let address = world.replicas[0].address;
    let agent = McpClient::begin(address, "acme-key").await;
    agent.ok(address, "tabs", list()).await;
    pod.set_stalls(true);
    // It becomes two calls: the second one looks at the page.
    let arguments = json!({ "url": "https://a.example/", "view": "interactive" });
    let opening = agent.call(address, "open", arguments, &[]);
    tokio::pin!(opening);
    tokio::select! {
        answer = &mut opening => panic!("{answer:?}"),
        () = eventually(|| (pod.stalled() == 1).then_some(())) => {}
    }
    let ended = end(&agent, address).await;
    assert_eq!(ended.status, StatusCode::NO_CONTENT, "{ended:?}");
    pod.set_stalls(false);
    let (text, is_error) = opening.await;
    assert!(is_error && text.contains("AGENT_SESSION_ENDED"), "{text}");
    assert_eq!(pod.calls().last(), Some(&format!("{} session close", agent.session())));
}

#[tokio::test]
async fn a_session_that_is_stored_ends_with_what_is_stored() {
    let world = World::restoring(1).await;
    let pods = world.add_pods(2).await;
    let address = world.replicas[0].address;
    let agent = McpClient::begin(address, "acme-key").await;
    agent.ok(address, "tabs", list()).await;
    let pod = pods.iter().find(|pod| pod.tenant().is_some()).expect("a pod");
    pod.kill();
    world.cluster.remove_pod(&pod.name);
    eventually(|| (world.replicas[0].gateway.session_count() == 0).then_some(())).await;
    let ended = end(&agent, address).await;
    assert_eq!(ended.status, StatusCode::NO_CONTENT, "{ended:?}");
    let next = pods.iter().find(|next| next.uid() != pod.uid()).expect("another pod");
    assert_eq!(next.calls(), [format!("{} session close", agent.session())]);
    let refused = agent.request(address, "tools/list", json!({})).await;
    assert_eq!(refused.reason(), "SESSION_NOT_FOUND");
}
