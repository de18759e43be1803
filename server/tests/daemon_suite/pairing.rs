//! Pairing over the real listener, with no browser behind it.

use std::time::{Duration, Instant};

use browse_policy::{Listener, Scopes};
use browse_proto::v1;
use http::Request;
use hyper_util::rt::{TokioExecutor, TokioIo};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::{io::AsyncReadExt as _, net::TcpStream, time::timeout};
use tokio_rustls::rustls::version::{TLS12, TLS13};

use super::{
    remote_host::{Agent, greet, greet_for, post, raw},
    world::World,
};

const TABS: &str = "BrowserService/ListTabs";
/// What a slow machine may take for anything here.
const WAIT_TIMEOUT: Duration = Duration::from_secs(120);

async fn revoke(world: &World, name: &str) -> v1::RevokePairingResponse {
    let request = v1::RevokePairingRequest { name: name.to_owned(), ..Default::default() };
    world.pairs().revoke_pairing(world.root(request)).await.unwrap().into_inner()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_but_http_is_enough_and_the_listener_goes_with_the_last() {
    let world = World::new().await;
    assert!(world.daemon.tunnel().local_address().await.is_none());
    let paired = world.pair("Ada", |request| request.host = vec!["example.com".to_owned()]).await;
    assert!(paired.block.contains(&paired.link) && paired.block.contains(&paired.key));
    let ada = Agent::redeem(&paired).await;
    let who = ada.ok("PairService/GetIdentity", "").await;
    assert_eq!((who["name"].as_str(), who["kind"].as_str()), (Some("ada"), Some("paired")));
    assert_eq!(who["scopes"], serde_json::json!(["read", "write"]));
    assert_eq!(ada.ok(TABS, "{}").await, serde_json::json!([]));
    let text = ada.call_with("PairService/GetIdentity", &["accept: text/plain"], "").await;
    assert!(text.body.starts_with("name: ada\nkind: paired\n"), "{text:?}");
    assert!(text.head.contains("content-type: text/plain"), "{text:?}");
    assert!(!text.head.contains("access-control"), "{text:?}");
    let list = world.pairs().list_pairings(world.root(v1::ListPairingsRequest {})).await;
    let list = list.unwrap().into_inner().pairings;
    assert_eq!((list[0].state.as_str(), list[0].calls), ("active", 3));
    assert!(world.daemon.idle_time().is_zero(), "who is paired is not sent away by idleness");
    revoke(&world, "ADA").await;
    assert!(world.daemon.tunnel().local_address().await.is_none());
    let gone = timeout(WAIT_TIMEOUT, async {
        while TcpStream::connect(&ada.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    });
    gone.await.expect("nobody listens any more");
    assert!(world.daemon.sessions().all().len() == 1, "its session went with it");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_allowed_is_refused_with_its_reason_and_recorded() {
    let world = World::new().await;
    let paired = world.pair("ada", |_| ()).await;
    let ada = Agent::redeem(&paired).await;
    let address = &paired.address;
    let root = format!("authorization: Bearer {}", world.daemon.authority().root_token());
    let tool = world.mint("tool", Scopes::ALL);
    let local = format!("authorization: Bearer {}", tool.token());
    let own = format!("authorization: Bearer {}", ada.token);
    let (root, local, own) = (root.as_str(), local.as_str(), own.as_str());
    let long = format!("x-long: {}", "x".repeat(100 << 10));
    let nested = r#"{"steps":[{"request":{"@type":"browse.v1.BatchRequest"}}]}"#;
    for (method, headers, body, status, reason) in [
        (TABS, vec![], "", 401, "TOKEN_MISSING"),
        (TABS, vec![root], "", 401, "ROOT_DENIED"),
        (TABS, vec![local], "", 401, "TOKEN_INVALID"),
        (TABS, vec!["authorization: Bearer eyJhbGciOiJub25lIn0.e30."], "", 401, "TOKEN_INVALID"),
        (TABS, vec![own, "origin: https://evil.example"], "", 403, "ORIGIN_DENIED"),
        (TABS, vec![own, "host: evil.example"], "", 403, "ORIGIN_DENIED"),
        ("BrowserService/Js", vec![own], "", 403, "TUNNEL_DENIED"),
        ("BrowserService/Chain", vec![own], "", 403, "TUNNEL_DENIED"),
        ("BrowserService/TabEach", vec![own], "", 403, "TUNNEL_DENIED"),
        // A skill that the owner runs for the agent is the owner's alone.
        ("SkillService/RunSkill", vec![own], r#"{"name":"x"}"#, 403, "TUNNEL_DENIED"),
        ("SkillService/ListSkills", vec![own], "", 403, "TUNNEL_DENIED"),
        ("SkillService/ShowSkill", vec![own], r#"{"name":"x"}"#, 403, "TUNNEL_DENIED"),
        ("DaemonService/Status", vec![own], "", 403, "TUNNEL_DENIED"),
        ("PairService/NewPairing", vec![own], r#"{"name":"eve"}"#, 403, "TUNNEL_DENIED"),
        ("No/Such", vec![own], "", 403, "TUNNEL_DENIED"),
        ("BrowserService/Eval", vec![own], r#"{"code":"1"}"#, 403, "SCOPE_DENIED"),
        (TABS, vec![own, "browse-session: default"], "", 403, "SESSION_DENIED"),
        ("PairService/Redeem", vec![], r#"{"key":"setup-0"}"#, 401, "SETUP_KEY_INVALID"),
        (TABS, vec![own], "{", 400, "ARGUMENT_INVALID"),
        (TABS, vec![own], r#"{"no":1}"#, 400, "ARGUMENT_INVALID"),
    ] {
        let answer = post(address, method, &headers, body).await;
        assert_eq!(
            (answer.status, answer.reason().as_str()),
            (status, reason),
            "{method} {headers:?}"
        );
    }
    let refused = ada.ok("BrowserService/Batch", nested).await;
    assert_eq!(refused[0]["error"]["reason"], "BATCH_INVALID");
    let skill = r#"{"steps":[{"request":{"@type":"browse.v1.RunSkillRequest","name":"x"}}]}"#;
    let refused = ada.ok("BrowserService/Batch", skill).await;
    let reason = refused[0]["error"]["reason"].as_str().unwrap();
    assert!(["BATCH_INVALID", "TUNNEL_DENIED"].contains(&reason), "{refused}");
    let get = raw(address, "GET / HTTP/1.1", &["host: localhost"], "").await;
    assert_eq!((get.status, get.reason().as_str()), (405, "REQUEST_INVALID"));
    let form = raw(
        address,
        "POST /browse.v1.PairService/Redeem HTTP/1.1",
        &["host: localhost", "content-type: text/plain"],
        "",
    )
    .await;
    assert_eq!(form.reason(), "REQUEST_INVALID");
    let huge = "x".repeat((1 << 20) + 1);
    let large = ada.call(TABS, &huge).await;
    assert_eq!((large.status, large.reason().as_str()), (413, "TOO_LARGE"));
    let key = format!(r#"{{"key":"{}"}}"#, "x".repeat(4 << 10));
    assert_eq!(post(address, "PairService/Redeem", &[], &key).await.reason(), "TOO_LARGE");
    // Headers without end are cut before anybody reads them.
    assert!(post(address, TABS, &[own, &long], "").await.status != 200);
    // A token of the tunnel is good there alone.
    let local = world.daemon.authority().identify(Some(&ada.token), Listener::Local);
    assert_eq!(local.unwrap_err().reason().name(), "TOKEN_FOREIGN");
    let refused = world.refused().await;
    for reason in [
        "ROOT_DENIED",
        "TUNNEL_DENIED",
        "SCOPE_DENIED",
        "SESSION_DENIED",
        "ORIGIN_DENIED",
        "SETUP_KEY_INVALID",
        "TOKEN_INVALID",
        "REQUEST_INVALID",
        "TOO_LARGE",
    ] {
        assert!(refused.iter().any(|found| found == reason), "{reason}: {refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_is_told_to_those_who_call_too_often() {
    let world = World::new().await;
    let paired = world.pair("ada", |request| request.rate = Some(2)).await;
    let ada = Agent::redeem(&paired).await;
    let mut last = ada.call(TABS, "").await;
    for _ in 0..20 {
        if last.status == 429 {
            break;
        }
        last = ada.call(TABS, "").await;
    }
    assert_eq!((last.status, last.reason().as_str()), (429, "RATE_LIMITED"));
    assert!(last.head.contains("retry-after: 1"), "{last:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn less_holds_at_once_and_calls_in_flight_end() {
    let world = World::new().await;
    let ada = Agent::redeem(&world.pair("ada", |_| ()).await).await;
    let before = ada.token.clone();
    // The browser never comes, so this call waits.
    let waiting = Agent { address: ada.address.clone(), token: ada.token.clone() };
    let waiting =
        tokio::spawn(
            async move { (waiting.call("BrowserService/NewTab", "").await, Instant::now()) },
        );
    timeout(WAIT_TIMEOUT, async {
        while world.daemon.calls() == 0 {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("the call is in flight");
    let cut = Instant::now();
    let less = world.pair("ADA", |request| request.scope = vec!["read".to_owned()]).await;
    assert!(less.replaced);
    let (answer, ended) = waiting.await.unwrap();
    // Its own deadline would have reported another reason.
    assert_eq!(answer.reason(), "TOKEN_REVOKED");
    eprintln!("a call in flight ended {:?} after its pairing", ended - cut);
    assert_eq!(ada.call(TABS, "").await.reason(), "TOKEN_INVALID");
    let now = Agent::redeem(&less).await;
    assert_ne!(now.token, before);
    assert_eq!(now.call("BrowserService/NewTab", "").await.reason(), "SCOPE_DENIED");
    assert_eq!(world.daemon.sessions().all().len(), 2, "the session of before is gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn old_tls_is_not_spoken() {
    let world = World::new().await;
    let paired = world.pair("ada", |_| ()).await;
    assert!(greet(&paired.address, &[&TLS12]).await.is_err());
    assert!(greet(&paired.address, &[&TLS13]).await.is_ok());
    // Plain text gets no answer.
    let mut plain = TcpStream::connect(&paired.address).await.unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut plain, b"POST / HTTP/1.1\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    let _ = timeout(Duration::from_secs(10), plain.read_to_end(&mut answer)).await;
    assert!(!String::from_utf8_lossy(&answer).contains("HTTP"));
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_crowds_and_rapid_resets_keep_nobody_out() {
    let world = World::new().await;
    let ada = Agent::redeem(&world.pair("ada", |_| ()).await).await;
    // Both ends of the crowd are files of this process.
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, most.min(8192), most).unwrap();
    let mut crowd = Vec::new();
    for _ in 0..2000 {
        crowd.extend(TcpStream::connect(&ada.address).await);
    }
    let begun = Instant::now();
    assert_eq!(ada.call(TABS, "").await.status, 200);
    eprintln!("beside {} idle connections a call took {:?}", crowd.len(), begun.elapsed());
    assert!(crowd.len() > 256, "{}", crowd.len());
    drop(crowd);
    let stream = greet_for(&ada.address, &[&TLS13], b"h2").await.unwrap();
    let (mut requests, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .unwrap();
    let connection = tokio::spawn(connection);
    for _ in 0..2000 {
        let request = Request::post("https://localhost/browse.v1.BrowserService/ListTabs")
            .header("content-type", "application/json")
            .body(http_body_util::Empty::<bytes::Bytes>::new())
            .unwrap();
        if requests.ready().await.is_err() {
            break;
        }
        drop(requests.send_request(request));
        tokio::task::yield_now().await;
    }
    drop(requests);
    assert_eq!(ada.call(TABS, "").await.status, 200);
    connection.abort();
    assert_eq!(calm_after_resets(&ada.address, 400).await, Some(ENHANCE_YOUR_CALM));
    assert_eq!(ada.call(TABS, "").await.status, 200);
    let end = Instant::now() + WAIT_TIMEOUT;
    while !world.refused().await.iter().any(|reason| reason == "RAPID_RESETS") {
        assert!(Instant::now() < end, "it is not on record: {:?}", world.refused().await);
    }
}

/// What a connection of HTTP/2 is ended with that goes too far.
/// <https://www.rfc-editor.org/rfc/rfc9113#section-7>
const ENHANCE_YOUR_CALM: u32 = 0xb;

/// Begins so many calls and resets each at once, all in one piece; answers why
/// the other end goes away.
async fn calm_after_resets(address: &str, calls: u32) -> Option<u32> {
    let path = b"/browse.v1.BrowserService/ListTabs";
    // POST, https, and path and authority as they are.
    let mut fields = vec![0x83, 0x87, 0x04, path.len() as u8];
    fields.extend(path);
    fields.extend(b"\x01\x09localhost");
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
    for stream in (1..).step_by(2).take(calls as usize) {
        let id = u32::to_be_bytes(stream);
        bytes.extend([0, 0, fields.len() as u8, 1, 5]);
        bytes.extend(id);
        bytes.extend(&fields);
        bytes.extend([0, 0, 4, 3, 0]);
        bytes.extend(id);
        bytes.extend([0, 0, 0, 8]);
    }
    let mut stream = greet_for(address, &[&TLS13], b"h2").await.unwrap();
    // It may have had enough before all is sent.
    let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, &bytes).await;
    let mut heard = Vec::new();
    let read = stream.read_to_end(&mut heard);
    let _ = timeout(WAIT_TIMEOUT, read).await.expect("an end");
    let mut rest = &heard[..];
    while let [a, b, c, kind, _, _, _, _, _, more @ ..] = rest {
        let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
        let payload = more.get(..length)?;
        if *kind == 7 {
            return Some(u32::from_be_bytes(payload.get(4..8)?.try_into().ok()?));
        }
        rest = &more[length..];
    }
    None
}
