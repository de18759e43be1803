//! What stands on the wire: health, reflection, gRPC-Web and JSON over HTTP/1.1.

use browse_proto::v1;
use prost::Message as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;

use super::world::World;

/// Posts a gRPC-Web call over HTTP/1.1, as `curl` would, and answers the raw
/// response.
async fn post(world: &World, path: &str, token: Option<&str>, message: &[u8]) -> String {
    let mut body = vec![0];
    body.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
    body.extend(message);
    send(world, path, token, "application/grpc-web+proto", &body).await
}

async fn send(world: &World, path: &str, token: Option<&str>, kind: &str, body: &[u8]) -> String {
    let (mut ours, theirs) = tokio::io::duplex(1 << 16);
    let done = CancellationToken::new();
    let services = world.services.clone();
    tokio::spawn(browse_server::process::serve_connection(theirs, services, None, done));
    let authorization = token.map(|token| format!("authorization: Bearer {token}\r\n"));
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: 127.0.0.1:4000\r\nconnection: close\r\n\
         content-type: {kind}\r\n{}content-length: {}\r\n\r\n",
        authorization.unwrap_or_default(),
        body.len()
    );
    ours.write_all(head.as_bytes()).await.unwrap();
    // A body that is too large is not read to its end.
    let _ = ours.write_all(body).await;
    let mut answer = Vec::new();
    ours.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn grpc_web_calls_are_answered_and_refused_in_their_own_form() {
    let world = World::new().await;
    let path = "/browse.v1.DaemonService/Version";
    let message = v1::VersionRequest {}.encode_to_vec();
    let root = world.daemon.authority().root_token().to_owned();
    let good = post(&world, path, Some(&root), &message).await;
    assert!(good.starts_with("HTTP/1.1 200") && good.contains("grpc-status:0"), "{good}");
    let bad = post(&world, path, None, &message).await;
    assert!(bad.starts_with("HTTP/1.1 200") && bad.contains("grpc-status: 16"), "{bad}");
}

#[tokio::test]
async fn health_answers_without_a_token() {
    let world = World::new().await;
    let good = post(&world, "/grpc.health.v1.Health/Check", None, &[]).await;
    assert!(good.contains("grpc-status:0"), "{good}");
}

#[tokio::test]
async fn json_is_answered_on_the_local_listener() {
    let world = World::new().await;
    let root = world.daemon.authority().root_token().to_owned();
    let call = async |method: &str, token: Option<&str>, kind: &str, body: &[u8]| {
        let answer = send(&world, &format!("/browse.v1.{method}"), token, kind, body).await;
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        (head.to_owned(), body.to_owned())
    };
    let json = "application/json";
    let (head, body) = call("DaemonService/Version", Some(&root), json, b"{}").await;
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("content-type: application/json"));
    let version: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    assert!(version["version"].is_string(), "{version}");
    let (head, body) = call("DaemonService/Version", None, json, b"{}").await;
    assert!(
        head.starts_with("HTTP/1.1 401") && body.contains("\"TOKEN_MISSING\""),
        "{head} {body}"
    );
    let (head, body) = call("DaemonService/Version", Some(&root), json, b"{\"no\":1}").await;
    assert!(head.starts_with("HTTP/1.1 400") && body.contains("\"ARGUMENT_INVALID\""), "{body}");
    // A stream: its messages, and the end.
    let stream = "application/connect+json";
    let (head, body) = call("DaemonService/Activity", Some(&root), stream, b"\0\0\0\0\x02{}").await;
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("application/connect+json"));
    assert!(body.contains("\"metadata\":{}") && !body.contains("\"error\""), "{body}");
    let (head, body) = call("DaemonService/Activity", Some(&root), json, b"{}").await;
    assert!(head.starts_with("HTTP/1.1 415") && body.contains("connect+json"), "{head} {body}");
    let (head, body) = call("DaemonService/Version", Some(&root), stream, b"\0\0\0\0\x02{}").await;
    assert!(head.starts_with("HTTP/1.1 415") && body.contains("not a stream"), "{head} {body}");
    let (_, body) = call("DaemonService/Activity", None, stream, b"\0\0\0\0\x02{}").await;
    assert!(body.contains("\"error\":{\"code\":\"unauthenticated\""), "{body}");
}

#[tokio::test]
async fn a_body_in_json_may_be_as_large_as_a_message_in_base64() {
    let world = World::new().await;
    let root = world.daemon.authority().root_token().to_owned();
    let path = "/browse.v1.PairService/Redeem";
    let call = async |letters: usize| {
        let body = format!(r#"{{"key":"{}"}}"#, "A".repeat(letters));
        send(&world, path, Some(&root), "application/json", body.as_bytes()).await
    };
    let answer = call(40 << 20).await;
    assert!(answer.contains("PAIRING_LINK_INVALID"), "it was read: {answer}");
    // The message is larger than one of gRPC may be; the body than anything is read.
    for letters in [65 << 20, 87 << 20] {
        let answer = call(letters).await;
        assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("TOO_LARGE"), "{answer}");
    }
}
