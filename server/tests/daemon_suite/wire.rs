//! What stands on the wire: health, reflection, gRPC-Web over HTTP/1.1.

use browse_proto::v1;
use prost::Message as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;

use super::world::World;

/// Posts a gRPC-Web call over HTTP/1.1, as `curl` would, and answers the raw
/// response.
async fn post(world: &World, path: &str, token: Option<&str>, message: &[u8]) -> String {
    let (mut ours, theirs) = tokio::io::duplex(1 << 16);
    let done = CancellationToken::new();
    let services = world.services.clone();
    tokio::spawn(browse_server::daemon::serve_connection(theirs, services, None, done));
    let mut body = vec![0];
    body.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
    body.extend(message);
    let authorization = token.map(|token| format!("authorization: Bearer {token}\r\n"));
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: 127.0.0.1:4000\r\nconnection: close\r\n\
         content-type: application/grpc-web+proto\r\n{}content-length: {}\r\n\r\n",
        authorization.unwrap_or_default(),
        body.len()
    );
    ours.write_all(head.as_bytes()).await.unwrap();
    ours.write_all(&body).await.unwrap();
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
