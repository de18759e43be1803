//! What requests of MCP take of a replica, and for how long.

use browse_proto::v1::ScreenshotResponse;
use futures::{StreamExt as _, stream::FuturesUnordered};
use prost::Message as _;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    mcp_client::McpClient,
    support::{LIMIT, World, eventually},
};

const MIB: usize = 1 << 20;

fn list() -> Value {
    json!({ "action": "list" })
}

fn picture() -> Value {
    json!({ "command": ["screenshot", "--base64"] })
}

fn message(bytes: usize) -> Vec<u8> {
    let image = vec![7; bytes];
    ScreenshotResponse { image, mime: "image/png".to_owned(), ..Default::default() }.encode_to_vec()
}

#[tokio::test]
async fn what_a_client_does_not_wait_for_ends() {
    let world = World::keeping_sessions(10).await;
    let pod = world.add_pod().await;
    let address = world.replicas[0].address;
    let agent = McpClient::begin(address, "acme-key").await;
    agent.ok(address, "tabs", list()).await;
    pod.set_stalls(true);
    let read = ("resources/read", json!({ "uri": "browse://session/console" }));
    let call = ("tools/call", json!({ "name": "tabs", "arguments": list() }));
    for (method, params) in [read, call] {
        let waiting = agent.request(address, method, params);
        tokio::select! {
            answer = waiting => panic!("{method}: {answer:?}"),
            () = eventually(|| (pod.stalled() == 1).then_some(())) => {}
        }
        // The client has gone.
        eventually(|| (pod.stalled() == 0).then_some(())).await;
    }
}

#[tokio::test]
async fn the_answer_of_a_command_is_small() {
    let world = World::keeping_sessions(10).await;
    let pod = world.add_pod().await;
    let address = world.replicas[0].address;
    let agent = McpClient::begin(address, "acme-key").await;
    pod.answer_with(message(3 * MIB));
    assert!(agent.ok(address, "run", picture()).await.len() > 4 * MIB, "it is base64");
    pod.answer_with(message(5 * MIB));
    let refused = agent.fail(address, "run", picture()).await;
    assert!(refused.contains("TOO_LARGE") && refused.contains("4 MiB"), "{refused}");
    assert!(refused.contains("Ask for less"), "{refused}");
}

#[tokio::test]
async fn the_answers_of_a_tenant_leave_room_for_those_of_others() {
    let world = World::keeping_sessions(10).await;
    let pods = world.add_pods(2).await;
    let address = world.replicas[0].address;
    let agent = McpClient::begin(address, "acme-key").await;
    agent.ok(address, "tabs", list()).await;
    let pod = pods.iter().find(|pod| pod.tenant().is_some()).expect("a pod");
    pod.answer_with(message(5 * MIB / 2));
    pod.set_stalls(true);
    let call = json!({ "name": "run", "arguments": picture() });
    let calls = (0..5).map(|_| agent.request(address, "tools/call", call.clone()));
    let mut waiting: FuturesUnordered<_> = calls.collect();
    // Each takes 20 MiB: one too many for 96 MiB.
    let refused = timeout(LIMIT, waiting.next()).await.expect("it is refused").expect("an answer");
    let text = refused.body["result"]["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains("FLEET_QUOTA") && text.contains("the command has run"), "{refused:?}");
    let other = McpClient::begin(address, "beta-key").await;
    other.ok(address, "tabs", list()).await;
    // The clients go, and what they took is free.
    drop(waiting);
    pod.set_stalls(false);
    let answered = async {
        loop {
            let (text, is_error) = agent.call(address, "run", picture(), &[]).await;
            if !is_error {
                return;
            }
            assert!(text.contains("FLEET_QUOTA"), "{text}");
        }
    };
    timeout(LIMIT, answered).await.expect("there is room again");
}
