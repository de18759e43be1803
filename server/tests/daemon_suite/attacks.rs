//! What somebody somewhere else may try who has no token, or wants more than his.

use std::time::{Duration, Instant};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use browse_net::HostPolicy;
use browse_policy::{
    Audience, ClientId, ClientKind, Delivery, GrantSpec, Rate, Scopes, SessionRule, TabPolicy,
};
use browse_proto::v1;
use bytes::Bytes;
use futures::future::join_all;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::rustls::version::TLS13;

use super::{
    process::reason,
    remote_host::{Agent, Answer, greet, greet_for, post},
    world::World,
};

const TABS: &str = "BrowserService/ListTabs";
/// What a slow machine may take for anything here.
const WAIT_TIMEOUT: Duration = Duration::from_secs(120);

type Sender = SendRequest<Full<Bytes>>;

/// A connection of HTTP/2.
async fn http2(address: &str) -> Sender {
    let stream = greet_for(address, &[&TLS13], b"h2").await.unwrap();
    let io = TokioIo::new(stream);
    // What goes out before the peer has announced its limits is refused.
    let mut builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
    let (sender, connection) = builder.initial_max_send_streams(32).handshake(io).await.unwrap();
    tokio::spawn(connection);
    sender
}

fn request(method: &str, kind: &str, token: &str, body: Vec<u8>) -> Request<Full<Bytes>> {
    Request::post(format!("https://localhost/browse.v1.{method}"))
        .header("content-type", kind)
        .header("authorization", format!("Bearer {token}"))
        .header("te", "trailers")
        .body(Full::new(Bytes::from(body)))
        .unwrap()
}

async fn answer(sender: &mut Sender, request: Request<Full<Bytes>>) -> Answer {
    let found = timeout(WAIT_TIMEOUT, sender.send_request(request)).await.expect("an end").unwrap();
    let (parts, body) = found.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Answer {
        status: parts.status.as_u16(),
        head: format!("{:?}", parts.headers).to_lowercase(),
        body: String::from_utf8_lossy(&body).into_owned(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_forged_gets_the_one_answer() {
    let world = World::new().await;
    let ada = Agent::redeem(&world.pair("ada", |_| ()).await).await;
    let eve = Agent::redeem(&world.pair("eve", |_| ()).await).await;
    let other = World::new().await;
    let outside = Agent::redeem(&other.pair("ada", |_| ()).await).await;
    let parts: Vec<_> = ada.token.split('.').map(str::to_owned).collect();
    let [header, claims, signature] = [0, 1, 2].map(|part| parts[part].as_str());
    let read = |part: &str| -> Value {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
    };
    let write = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let with = |part: &str, name: &str, value: Value| {
        let mut all = read(part);
        all[name] = value;
        write(&all)
    };
    let none = |word: &str| with(header, "alg", json!(word));
    let wrong_key = jsonwebtoken::encode(
        &jsonwebtoken::Header {
            typ: Some("JWT".to_owned()),
            kid: read(header)["kid"].as_str().map(str::to_owned),
            ..jsonwebtoken::Header::default()
        },
        &read(claims),
        &jsonwebtoken::EncodingKey::from_secret(b"a guess"),
    );
    let spec = |client: &str, audience, lifetime| GrantSpec {
        client: ClientId::new(client).unwrap(),
        audience,
        kind: ClientKind::Paired,
        scopes: Scopes::ALL,
        hosts: HostPolicy::Any,
        tabs: TabPolicy::Session,
        session: SessionRule::Only("default".to_owned()),
        rate: Rate::Unlimited,
        delivery: Delivery::Guarded,
        lifetime,
    };
    let authority = world.daemon.authority();
    let over = authority.issue(spec("over", Audience::Tunnel, Duration::ZERO)).unwrap();
    let here = authority.issue(spec("here", Audience::Skill, WAIT_TIMEOUT)).unwrap();
    let revoke = v1::RevokePairingRequest { name: "eve".to_owned(), ..Default::default() };
    world.pairs().revoke_pairing(world.root(revoke)).await.unwrap();
    let forged = [
        format!("{}.{claims}.", none("none")),
        format!("{}.{claims}.{signature}", none("none")),
        format!("{}.{claims}.{signature}", none("NonE")),
        format!("{}.{claims}.{signature}", none("HS512")),
        format!("{header}.{}.{signature}", with(claims, "scopes", json!(["admin", "read"]))),
        format!("{header}.{}.{signature}", with(claims, "exp", json!(u32::MAX))),
        format!("{header}.{claims}.{}", &signature[1..]),
        wrong_key.unwrap(),
        over.token().to_owned(),
        here.token().to_owned(),
        eve.token.clone(),
        outside.token.clone(),
        "x".repeat(8 << 10),
    ];
    let mut answers = Vec::new();
    for token in &forged {
        let refused = Agent { address: ada.address.clone(), token: token.clone() };
        let refused = refused.call(TABS, "").await;
        assert_eq!((refused.status, refused.reason().as_str()), (401, "TOKEN_INVALID"), "{token}");
        let hint = refused.error()["hint"].to_string();
        assert!(hint.contains("pairing block") && !hint.contains("state file"), "{hint}");
        answers.push(refused.body);
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "nobody learns what was wrong: {answers:?}");
    let log = refusals(&world, forged.len()).await;
    assert!(log.iter().all(|row| row.reason == "TOKEN_INVALID"), "{log:?}");
    assert_eq!(ada.call(TABS, "").await.status, 200, "the good one goes on");
    let bare = post(&ada.address, TABS, &[], "").await;
    assert_eq!(bare.reason(), "TOKEN_MISSING");
    assert!(!bare.body.contains("BROWSE_TOKEN"), "{bare:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_that_lie_end_their_call_and_nothing_else() {
    let world = World::new().await;
    let paired = world.pair("ada", |request| request.rate = Some(1000)).await;
    let ada = Agent::redeem(&paired).await;
    let mut sender = http2(&ada.address).await;
    let good = [0, 0, 0, 0, 0];
    for (name, body) in [
        ("no frame", vec![]),
        ("half a head", vec![0, 0, 0]),
        ("a length below zero", vec![0, 0xff, 0xff, 0xff, 0xff, 1, 2]),
        ("a length over the limit", vec![0, 0x05, 0, 0, 0, 1, 2]),
        ("a message that is cut", vec![0, 0, 0, 0, 10, 1, 2]),
        ("reported to be compressed", [&[1, 0, 0, 0, 3][..], &[1, 2, 3]].concat()),
        ("a flag that there is not", [&[7][..], &good[1..]].concat()),
        ("rubbish behind", [&good[..], &[9, 9, 9]].concat()),
        ("two messages", [good, good].concat()),
        ("no protobuf", vec![0, 0, 0, 0, 3, 0xff, 0xff, 0xff]),
    ] {
        for kind in ["application/grpc", "application/grpc-web+proto"] {
            let call = request(TABS, kind, &ada.token, body.clone());
            let refused =
                match timeout(WAIT_TIMEOUT, sender.send_request(call)).await.expect("an end") {
                    Ok(response) => outcome(response).await,
                    Err(error) => panic!("{name} as {kind} broke the connection: {error}"),
                };
            eprintln!("{name} as {kind}: {refused:?}");
            let reason = refused.unwrap_or_else(|| panic!("{name} as {kind} was taken"));
            assert!(
                ["ARGUMENT_INVALID", "TOO_LARGE"].contains(&reason.as_str()),
                "{name}: {reason}"
            );
        }
    }
    let call = request(TABS, "application/grpc", &ada.token, good.to_vec());
    let response = sender.send_request(call).await.unwrap();
    assert_eq!(outcome(response).await, None, "the connection goes on");
    // On HTTP/2 the host stands in the address of the call.
    let mut foreign = request(TABS, "application/grpc", &ada.token, Vec::new());
    *foreign.uri_mut() = format!("https://evil.example/browse.v1.{TABS}").parse().unwrap();
    let response = sender.send_request(foreign).await.unwrap();
    assert_eq!(outcome(response).await.as_deref(), Some("ORIGIN_DENIED"));
}

/// The reason that a call of gRPC was refused for.
async fn outcome(response: Response<hyper::body::Incoming>) -> Option<String> {
    let (parts, body) = response.into_parts();
    let whole = body.collect().await.unwrap();
    let mut entries = parts.headers.clone();
    entries.extend(whole.trailers().cloned().unwrap_or_default());
    // In gRPC-Web the trailers of an answer stand in its body.
    let text = String::from_utf8_lossy(&whole.to_bytes()).into_owned();
    for line in text.split("\r\n") {
        let line = line.rsplit(char::is_control).next().unwrap_or_default();
        if let Some((name, value)) = line.split_once(':')
            && let Ok(name) = name.trim().parse::<http::HeaderName>()
            && let Ok(value) = value.trim().parse::<http::HeaderValue>()
        {
            entries.insert(name, value);
        }
    }
    let status = tonic::Status::from_header_map(&entries).expect("a status");
    (status.code() != tonic::Code::Ok).then(|| reason(&status))
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_who_are_many_or_slow_hold_nobody_up() {
    let world = World::new().await;
    let idle = latency(&world).await;
    let ada = Agent::redeem(&world.pair("ada", |_| ()).await).await;
    let slow = tokio::spawn(slow_ones(ada.address.clone(), ada.token.clone()));

    let paired = world.pair("bob", |_| ()).await;
    let flood = tokio::spawn(guesses(ada.address.clone()));
    let busy = latency(&world).await;
    let bob = Agent::redeem(&paired).await;
    let (took, invalid, limited) = flood.await.unwrap();
    eprintln!(
        "1000 guesses in {took:?}: {invalid} refused, {limited} asked to wait; \
         local status p50 {:?} p99 {:?}, idle {:?} {:?}",
        busy.0, busy.1, idle.0, idle.1
    );
    assert_eq!(invalid + limited, 1000);
    assert!(limited > 0, "nobody was asked to wait");
    assert_eq!(bob.call(TABS, "").await.status, 200, "a good key is never held up");
    let log = refusals(&world, 50).await;
    assert!(log.len() < 500, "a flood is counted, not written: {}", log.len());
    assert!(log.iter().any(|row| row.reason == "RATE_LIMITED"), "{log:?}");

    for (name, took, what) in timeout(WAIT_TIMEOUT, slow).await.expect("an end").unwrap() {
        eprintln!("{name}: {what:?} after {took:?}");
        assert!(["", "REQUEST_SLOW"].contains(&what.as_str()), "{name}: {what}");
    }
    assert_eq!(ada.call(TABS, "").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_shares_an_address_with_strangers_is_not_held_up() {
    // All who come through one tunnel have the address of the tunnel.
    let world = World::new().await;
    let ada = Agent::redeem(&world.pair("ada", |_| ()).await).await;
    let bob = world.pair("bob", |_| ()).await;
    let sender = http2(&ada.address).await;
    let calls = (0..100).map(|call| {
        let wrong = request(TABS, "application/json", &format!("wrong.{call}.x"), Vec::new());
        let body = json!({"key": format!("setup-{call}")}).to_string().into_bytes();
        let key = request("PairService/Redeem", "application/json", "", body);
        let mut sender = sender.clone();
        async move { [answer(&mut sender, wrong).await, answer(&mut sender, key).await] }
    });
    let answers: Vec<_> = join_all(calls).await.into_iter().flatten().collect();
    let limited = answers.iter().filter(|answer| answer.status == 429).count();
    eprintln!("of {} anonymous callers {limited} were asked to wait", answers.len());
    assert!(answers.iter().all(|answer| [401, 429].contains(&answer.status)), "{answers:?}");
    let bob = Agent::redeem(&bob).await;
    assert_eq!(bob.call(TABS, "").await.status, 200, "his key was good all the time");
    assert_eq!(ada.call(TABS, "").await.status, 200, "and her token");
}

/// What was refused, once there are so many rows of it.
async fn refusals(world: &World, least: usize) -> Vec<v1::PairingRefusal> {
    let end = Instant::now() + WAIT_TIMEOUT;
    loop {
        let request = world.root(v1::ListRefusalsRequest { last: Some(10_000) });
        let log = world.pairs().list_refusals(request).await.unwrap().into_inner().refusals;
        if log.len() >= least {
            return log;
        }
        assert!(Instant::now() < end, "{log:?}");
    }
}

/// How long `status` takes on this machine, at the median and at worst but one
/// in a hundred.
async fn latency(world: &World) -> (Duration, Duration) {
    let mut times = Vec::new();
    for _ in 0..200 {
        let begun = Instant::now();
        world.control().status(world.root(v1::StatusRequest {})).await.unwrap();
        times.push(begun.elapsed());
        tokio::task::yield_now().await;
    }
    times.sort();
    (times[100], times[198])
}

/// A thousand keys that are wrong, as fast as they go; answers how many were
/// refused, and how many asked to wait.
async fn guesses(address: String) -> (Duration, usize, usize) {
    let begun = Instant::now();
    let connections = (0..4).map(|line| {
        let address = address.clone();
        async move {
            let mut sender = http2(&address).await;
            let mut found = Vec::new();
            for round in 0..5 {
                let calls = (0..50).map(|call| {
                    let body = json!({"key": format!("setup-{line}-{round}-{call}")}).to_string();
                    let body =
                        request("PairService/Redeem", "application/json", "", body.into_bytes());
                    let mut sender = sender.clone();
                    async move { answer(&mut sender, body).await }
                });
                found.extend(join_all(calls).await);
                sender.ready().await.unwrap();
            }
            found
        }
    });
    let answers: Vec<_> = join_all(connections).await.into_iter().flatten().collect();
    let took = begun.elapsed();
    let of = |status, reason: &str| {
        let same = |answer: &&Answer| answer.status == status && answer.reason() == reason;
        answers.iter().filter(same).count()
    };
    let waits = answers.iter().filter(|answer| answer.head.contains("retry-after")).count();
    let limited = of(429, "RATE_LIMITED");
    assert_eq!(waits, limited, "who is asked to wait is reported how long");
    (took, of(401, "SETUP_KEY_INVALID"), limited)
}

/// Those who begin and do not go on; returns the last response of each.
async fn slow_ones(address: String, token: String) -> Vec<(&'static str, Duration, String)> {
    let head = |method: &str, token: &str| {
        format!(
            "POST /browse.v1.{method} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: 100\r\n\r\n{{\"key\":"
        )
    };
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    // The headers of a call that go on and on: no END_HEADERS.
    let headers = [&preface[..], b"\0\0\x01\x01\0\0\0\0\x01\x83"].concat();
    let cases = [
        ("a greeting that is none", None, Vec::new()),
        ("a connection without a word", Some(&b"http/1.1"[..]), Vec::new()),
        (
            "half a head",
            Some(b"http/1.1"),
            b"POST /browse.v1.PairService/Redeem HTTP/1.1\r\nho".to_vec(),
        ),
        ("half a head of HTTP/2", Some(b"h2"), headers),
        (
            "half a body of an anonymous caller",
            Some(b"http/1.1"),
            head("PairService/Redeem", "x").into_bytes(),
        ),
        ("half a body", Some(b"http/1.1"), head(TABS, &token).into_bytes()),
    ];
    let waits = cases.into_iter().map(|(name, protocol, bytes)| {
        let address = address.clone();
        async move {
            let begun = Instant::now();
            let mut heard = Vec::new();
            match protocol {
                None => {
                    let mut plain = TcpStream::connect(&address).await.unwrap();
                    let _ = plain.read_to_end(&mut heard).await;
                }
                Some(protocol) => {
                    let mut stream = greet_for(&address, &[&TLS13], protocol).await.unwrap();
                    stream.write_all(&bytes).await.unwrap();
                    let _ = stream.read_to_end(&mut heard).await;
                }
            }
            let text = String::from_utf8_lossy(&heard).into_owned();
            let reported = if text.contains("REQUEST_SLOW") { "REQUEST_SLOW" } else { "" };
            (name, begun.elapsed(), reported.to_owned())
        }
    });
    let found = join_all(waits).await;
    assert!(
        found.iter().filter(|(.., reported)| reported == "REQUEST_SLOW").count() == 2,
        "{found:?}"
    );
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_headers_are_told_from_what_they_should_be() {
    let world = World::new().await;
    let paired = world.pair("ada", |request| request.rate = Some(1000)).await;
    let ada = Agent::redeem(&paired).await;
    let token = format!("authorization: Bearer {}", ada.token);
    let json = "content-type: application/json";
    for (headers, status, reason) in [
        (vec![json, "grpc-timeout: 10S"], 200, ""),
        (vec![json, "grpc-timeout: 99999999H"], 200, ""),
        (vec![json, "grpc-timeout: timeout0"], 400, "ARGUMENT_INVALID"),
        (vec![json, "grpc-timeout: 0S"], 400, "ARGUMENT_INVALID"),
        (vec![json, "grpc-timeout: -1S"], 400, "ARGUMENT_INVALID"),
        (vec![json, "grpc-timeout: +1S"], 400, "ARGUMENT_INVALID"),
        (vec![json, "grpc-timeout: 999999999S"], 400, "ARGUMENT_INVALID"),
        (vec![json, "grpc-timeout: 1é"], 400, "ARGUMENT_INVALID"),
        (vec![json, "grpc-timeout:"], 400, "ARGUMENT_INVALID"),
        (vec![json, "grpc-timeout: 1S", "grpc-timeout: 9S"], 400, "ARGUMENT_INVALID"),
        (vec![json, "browse-tab: two"], 400, "ARGUMENT_INVALID"),
        (vec![json, "browse-tab: +2"], 400, "ARGUMENT_INVALID"),
        (vec!["content-type: application/json; charset=utf-8"], 200, ""),
        (vec!["content-type: Application/JSON;charset=\"UTF-8\""], 200, ""),
        (vec!["content-type: application/json; charset=latin1"], 400, "ARGUMENT_INVALID"),
        (vec!["content-type: application/json; a=b; charset=utf-16"], 400, "ARGUMENT_INVALID"),
        (vec!["content-type: application/jsonp"], 415, "REQUEST_INVALID"),
        (vec![json, json], 415, "REQUEST_INVALID"),
    ] {
        let all = [&["host: localhost", &token, "content-length: 2"], &headers[..]].concat();
        let line = format!("POST /browse.v1.{TABS} HTTP/1.1");
        let found = super::remote_host::raw(&ada.address, &line, &all, "{}").await;
        assert_eq!(found.status, status, "{headers:?}: {found:?}");
        if status != 200 {
            assert_eq!(found.reason(), reason, "{headers:?}");
            let hint = found.error()["hint"].to_string();
            assert!(!hint.contains("help"), "no command is at fault: {hint}");
        }
    }
    // Whoever speaks no HTTP is not answered as if.
    let mut stream = greet(&ada.address, &[&TLS13]).await.unwrap();
    stream.write_all(b"\0\x01\x02 nonsense\r\n\r\n").await.unwrap();
    let mut heard = Vec::new();
    let _ = timeout(WAIT_TIMEOUT, stream.read_to_end(&mut heard)).await.expect("an end");
    assert!(!String::from_utf8_lossy(&heard).contains(" 200 "));
}
