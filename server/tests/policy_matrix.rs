//! The authorization matrix: every RPC of the contract, every set of one
//! scope, both listeners; and every way in which a token can be bad.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use browse_net::HostPolicy;
use browse_policy::{
    Audience, Authority, ClientId, ClientKind, Delivery, GrantSpec, IssuedToken, Listener, Permit,
    Rate, Scopes, SessionRule, TabPolicy,
    layer::{GatedService, LayerConfig, OriginCheck, with_gate},
};
use browse_proto::{Command, Reason, Scope};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use serde_json::Value;
use tonic::{Status, body::Body};
use tonic_types::StatusExt as _;
use tower::{ServiceExt as _, service_fn};

/// A daemon whose services answer every permitted call.
struct World {
    authority: Arc<Authority>,
    refused: Arc<Mutex<Vec<Refused>>>,
}

/// Why a call was refused, and whose it was.
type Refused = (Reason, Option<String>);

impl World {
    fn new() -> Self {
        let authority = Arc::new(Authority::new().expect("there are random numbers"));
        Self { authority, refused: Arc::default() }
    }

    fn listener(&self, listener: Listener) -> GatedService {
        let refused = Arc::clone(&self.refused);
        let gate = LayerConfig {
            listener,
            authority: Arc::clone(&self.authority),
            origin: match listener {
                Listener::Local => OriginCheck::Loopback { port: 4000 },
                Listener::Tunnel | Listener::Skills | Listener::Dashboard | Listener::Gateway => {
                    OriginCheck::Any
                }
            },
            refusals: Arc::new(move |refusal| {
                let client = refusal.client.as_ref().map(ToString::to_string);
                refused.lock().expect("no test panics with it").push((refusal.reason, client));
            }),
        };
        with_gate(gate, service_fn(answer))
    }

    fn spec(client: &str, audience: Audience, scopes: Scopes) -> GrantSpec {
        GrantSpec {
            client: ClientId::new(client).expect("the name is good"),
            audience,
            kind: ClientKind::Skill,
            scopes,
            hosts: HostPolicy::None,
            tabs: TabPolicy::Own,
            session: SessionRule::Only("s".to_owned()),
            rate: Rate::Unlimited,
            delivery: Delivery::Guarded,
            lifetime: Duration::from_secs(60),
        }
    }

    fn mint(&self, client: &str, audience: Audience, scopes: &[Scope]) -> IssuedToken {
        let spec = Self::spec(client, audience, Scopes::of(scopes));
        self.authority.issue(spec).expect("the client is new")
    }
}

/// Answers OK with an empty message, and nothing but a call with a permit for the
/// very command.
async fn answer(request: Request<Body>) -> Result<Response<Body>, Infallible> {
    let permit = request.extensions().get::<Permit>();
    assert!(permit.is_none_or(|permit| permit.command().path == request.uri().path()));
    assert!(!request.headers().contains_key("authorization"), "the token goes no further");
    let (_, body) = request.into_parts();
    body.collect().await.expect("a body");
    let mut response = Status::ok("").into_http();
    *response.body_mut() = Body::new(Full::from(&[0; 5][..]));
    Ok(response)
}

/// The outcome of a call, which has to be the same in gRPC and in JSON.
async fn call(service: &GatedService, path: &str, token: Option<&str>) -> Option<Reason> {
    let found = call_grpc(service, path, token).await;
    if path.starts_with("/grpc.health") {
        // The standard services have no form in JSON.
        return found;
    }
    let in_json = call_json(service, path, token).await;
    let is_limited = |reason: Option<Reason>| reason == Some(Reason::RateLimited);
    // Each counts as a call, so that one of them may be the first that is too many.
    if !is_limited(found) && !is_limited(in_json) {
        assert_eq!(in_json, found, "{path} in JSON and in gRPC");
    }
    found
}

async fn call_json(service: &GatedService, path: &str, token: Option<&str>) -> Option<Reason> {
    let is_stream = Command::by_path(path).is_some_and(|command| command.streaming);
    let (kind, body) = match is_stream {
        true => ("application/connect+json", &b"\0\0\0\0\x02{}"[..]),
        false => ("application/json", &b"{}"[..]),
    };
    let mut request =
        Request::post(path).header("host", "localhost:4000").header("content-type", kind);
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let request = request.body(Body::new(Full::from(body))).expect("the request is well formed");
    let response = service.clone().oneshot(request).await.expect("the service is infallible");
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.expect("a body").to_bytes();
    assert!(!parts.headers.contains_key("access-control-allow-origin"));
    if is_stream && parts.status == 200 {
        assert_eq!(parts.headers["content-type"], "application/connect+json");
        let (flag, json) = last_envelope(&bytes);
        assert_eq!(flag, 2, "the last document is the end of the stream");
        return json.get("error").and_then(json_reason);
    }
    assert_eq!(parts.headers["content-type"], "application/json");
    let json = serde_json::from_slice(&bytes).expect("JSON");
    if parts.status == 200 { None } else { json_reason(&json) }
}

/// The flag and the document of the last envelope of a stream.
fn last_envelope(mut bytes: &[u8]) -> (u8, Value) {
    let mut last = None;
    while let Some((head, rest)) = bytes.split_first_chunk::<5>() {
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        last = Some((head[0], serde_json::from_slice(&rest[..length]).expect("JSON")));
        bytes = &rest[length..];
    }
    last.expect("a stream has an end")
}

/// The reason of an error of the Connect protocol. One without a command in the
/// contract stands for the method.
fn json_reason(error: &Value) -> Option<Reason> {
    let detail = &error["details"][0];
    assert_eq!(detail["type"], "google.rpc.ErrorInfo");
    let (value, debug) = (detail["value"].as_str().expect("base64"), &detail["debug"]);
    assert!(!value.is_empty() && debug["hint"].as_str().is_some_and(|hint| !hint.is_empty()));
    let reason = Reason::by_name(debug["reason"].as_str()?).expect("the reason is in the table");
    let code = tonic::Code::from_i32(reason.rule().code as i32);
    let name = format!("{code:?}").to_lowercase();
    assert_eq!(error["code"].as_str().map(|code| code.replace('_', "")), Some(name));
    Some(reason)
}

async fn call_grpc(service: &GatedService, path: &str, token: Option<&str>) -> Option<Reason> {
    let mut request = Request::post(format!("http://localhost:4000{path}"))
        .version(http::Version::HTTP_2)
        .header("content-type", "application/grpc");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let request = request.body(Body::default()).expect("the request is well formed");
    let response = service.clone().oneshot(request).await.expect("the service is infallible");
    assert_eq!(response.status(), 200, "gRPC answers 200 always");
    reason(response.headers())
}

fn reason(headers: &http::HeaderMap) -> Option<Reason> {
    let status = Status::from_header_map(headers).expect("the answer has a status");
    if status.code() == tonic::Code::Ok {
        return None;
    }
    let details = status.get_error_details();
    let info = details.error_info().expect("an error carries its reason");
    let reason = Reason::by_name(&info.reason).expect("the reason is in the table");
    assert_eq!(i32::from(status.code()), reason.rule().code as i32);
    Some(reason)
}

fn audience(listener: Listener) -> Audience {
    match listener {
        Listener::Local | Listener::Skills => Audience::Skill,
        Listener::Tunnel => Audience::Tunnel,
        Listener::Dashboard => Audience::Dashboard,
        Listener::Gateway => Audience::Gateway,
    }
}

const CLICK: &str = "/browse.v1.BrowserService/Click";
const URL: &str = "/browse.v1.BrowserService/GetUrl";
const JS: &str = "/browse.v1.BrowserService/Js";

#[tokio::test]
async fn every_rpc_needs_its_own_scope_on_each_listener() {
    let world = World::new();
    for listener in Listener::ALL {
        let service = world.listener(listener);
        for (kind, held) in kinds_and_scopes(listener) {
            let scopes = Scopes::of(&[held]);
            let spec = GrantSpec { kind, ..World::spec("ada", audience(listener), scopes) };
            let token = world.authority.issue(spec).expect("the client is new");
            for command in Command::all() {
                let is_served = match (listener, kind) {
                    (Listener::Tunnel, ClientKind::Dashboard) => command.remote_dashboard,
                    (Listener::Tunnel, _) => command.tunnel,
                    (Listener::Gateway, ClientKind::Dashboard) => {
                        command.fleet && command.remote_dashboard
                    }
                    (Listener::Gateway, _) => command.fleet,
                    _ => true,
                };
                // It needs no token, and looks at none.
                let is_open = listener == Listener::Tunnel && command.scope == Scope::Public;
                let expected = match command.scope {
                    _ if is_open => None,
                    _ if !is_served && listener == Listener::Gateway => Some(Reason::FleetDenied),
                    _ if !is_served => Some(Reason::TunnelDenied),
                    Scope::Any | Scope::Public => None,
                    scope if scope != held => Some(Reason::ScopeDenied),
                    _ => None,
                };
                let found = call(&service, command.path, Some(token.token())).await;
                assert_eq!(found, expected, "{listener:?} {kind:?} {held:?} {}", command.name);
            }
        }
    }
}

/// The callers of a listener, each with every scope: on other machines agents and people.
fn kinds_and_scopes(listener: Listener) -> Vec<(ClientKind, Scope)> {
    let kinds = match listener {
        Listener::Local | Listener::Skills => &[ClientKind::Skill][..],
        Listener::Tunnel => &[ClientKind::Paired, ClientKind::Dashboard],
        Listener::Dashboard => &[ClientKind::Dashboard],
        Listener::Gateway => &[ClientKind::Tenant, ClientKind::Dashboard],
    };
    let with = |kind: &ClientKind| Scope::GRANTABLE.map(|scope| (*kind, scope));
    kinds.iter().flat_map(with).collect()
}

#[tokio::test]
async fn root_may_do_everything_at_home_and_nothing_in_the_tunnel() {
    let world = World::new();
    let root = world.authority.root_token().to_owned();
    let (local, tunnel) = (world.listener(Listener::Local), world.listener(Listener::Tunnel));
    let skills = world.listener(Listener::Skills);
    for command in Command::all() {
        assert_eq!(call(&local, command.path, Some(&root)).await, None, "{}", command.name);
        let found = call(&tunnel, command.path, Some(&root)).await;
        let expected = match command.scope {
            // It needs no token, and looks at none.
            Scope::Public => found.is_none(),
            _ => matches!(found, Some(Reason::RootDenied | Reason::RateLimited)),
        };
        assert!(expected, "{}: {found:?}", command.name);
        let found = call(&skills, command.path, Some(&root)).await;
        let refused = matches!(found, Some(Reason::TokenInvalid | Reason::RateLimited));
        assert!(refused, "{}: {found:?}", command.name);
    }
}

#[tokio::test]
async fn no_scope_reaches_nothing() {
    let world = World::new();
    let service = world.listener(Listener::Local);
    let token = world.mint("ada", Audience::Skill, &[]);
    for command in Command::all() {
        let found = call(&service, command.path, Some(token.token())).await;
        let free = matches!(command.scope, Scope::Any | Scope::Public);
        assert_eq!(found, (!free).then_some(Reason::ScopeDenied), "{}", command.name);
    }
}

#[tokio::test]
async fn a_stranger_in_the_tunnel_can_redeem_and_nothing_else() {
    let world = World::new();
    let tunnel = world.listener(Listener::Tunnel);
    for command in Command::all() {
        let found = call(&tunnel, command.path, None).await;
        match command.name {
            "redeem" => assert_eq!(found, None),
            name => {
                let refused = matches!(found, Some(Reason::TokenMissing | Reason::RateLimited));
                assert!(refused, "{name}: {found:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_grant_slides_with_its_calls_and_ends_without_them() {
    let world = World::new();
    let spec = World::spec("ada", Audience::Tunnel, Scopes::of(&[Scope::Read]));
    let slide = Some(Duration::from_millis(400));
    let token = world.authority.issue_with_idle_timeout(spec, slide).expect("the client is new");
    let tunnel = world.listener(Listener::Tunnel);
    let end = token.grant().expires_at().expect("it ends");
    assert_eq!(call(&tunnel, URL, Some(token.token())).await, None);
    assert!(token.grant().expires_at().expect("it ends") >= end);
    assert_eq!(token.grant().usage().call_count, 2, "one in gRPC, one in JSON");
    // Nobody calls: it ends by itself.
    let ended =
        tokio::time::timeout(Duration::from_secs(5), token.grant().wait_until_ended()).await;
    assert_eq!(ended.expect("in time").reason(), Reason::TokenExpired);
    assert_eq!(call(&tunnel, URL, Some(token.token())).await, Some(Reason::TokenInvalid));
}

#[tokio::test]
async fn a_token_that_reads_cannot_click() {
    let world = World::new();
    let service = world.listener(Listener::Local);
    let token = world.mint("ada", Audience::Skill, &[Scope::Read]);
    assert_eq!(call(&service, URL, Some(token.token())).await, None);
    assert_eq!(call(&service, CLICK, Some(token.token())).await, Some(Reason::ScopeDenied));
    let heard = world.refused.lock().expect("no test panics with it").clone();
    // Once in gRPC, once in JSON.
    assert_eq!(heard, vec![(Reason::ScopeDenied, Some("ada".to_owned())); 2]);
}

#[tokio::test]
async fn each_bad_token_has_its_own_reason_at_home() {
    let (world, other) = (World::new(), World::new());
    let service = world.listener(Listener::Local);
    let good = world.mint("ada", Audience::Skill, &[Scope::Read]);
    let forged = format!("{}A", &good.token()[..good.token().len() - 1]);
    let forged =
        if forged == good.token() { format!("{}B", &forged[..forged.len() - 1]) } else { forged };
    let foreign = other.mint("ada", Audience::Skill, &[Scope::Read]);
    let tunnel = world.mint("bob", Audience::Tunnel, &[Scope::Read]);
    let over = GrantSpec {
        lifetime: Duration::ZERO,
        ..World::spec("cyd", Audience::Skill, Scopes::of(&[Scope::Read]))
    };
    let over = world.authority.issue(over).expect("the client is new");
    let revoked = world.mint("dan", Audience::Skill, &[Scope::Read]);
    assert!(world.authority.revoke(&ClientId::new("dan").expect("good")));
    let dropped = world.mint("eve", Audience::Skill, &[Scope::Read]).token().to_owned();
    for (token, expected) in [
        (None, Reason::TokenMissing),
        (Some("nonsense"), Reason::TokenInvalid),
        (Some(forged.as_str()), Reason::TokenInvalid),
        (Some(foreign.token()), Reason::TokenForeign),
        (Some(other.authority.root_token()), Reason::TokenForeign),
        (Some(tunnel.token()), Reason::TokenForeign),
        (Some(over.token()), Reason::TokenExpired),
        (Some(revoked.token()), Reason::TokenRevoked),
        (Some(dropped.as_str()), Reason::TokenRevoked),
    ] {
        assert_eq!(call(&service, URL, token).await, Some(expected), "{token:?}");
    }
    assert_eq!(
        call(&service, "/browse.v1.BrowserService/No", Some(good.token())).await,
        Some(Reason::MethodUnknown)
    );
    assert_eq!(call(&service, "/", Some(good.token())).await, Some(Reason::MethodUnknown));
}

#[tokio::test]
async fn the_tunnel_gives_strangers_one_answer() {
    let (world, other) = (World::new(), World::new());
    let service = world.listener(Listener::Tunnel);
    let local = world.mint("ada", Audience::Local, &[Scope::Read]);
    let foreign = other.mint("ada", Audience::Tunnel, &[Scope::Read]);
    let revoked = world.mint("eve", Audience::Tunnel, &[Scope::Read]).token().to_owned();
    let root = world.authority.root_token();
    for token in ["nonsense", local.token(), foreign.token(), &revoked] {
        assert_eq!(call(&service, URL, Some(token)).await, Some(Reason::TokenInvalid));
    }
    // What looks like a root token is notified, whether it is one or not.
    for token in [root, other.authority.root_token(), "browse-root-x-y"] {
        assert_eq!(call(&service, URL, Some(token)).await, Some(Reason::RootDenied));
    }
    assert_eq!(
        call(&service, "/grpc.health.v1.Health/Check", None).await,
        Some(Reason::TokenMissing)
    );
    let good = world.mint("bob", Audience::Tunnel, &[Scope::Admin]);
    assert_eq!(call(&service, JS, Some(good.token())).await, Some(Reason::TunnelDenied));
    assert_eq!(call(&service, "/a/B", Some(good.token())).await, Some(Reason::TunnelDenied));
}

#[tokio::test]
async fn health_alone_needs_no_token() {
    let world = World::new();
    let service = world.listener(Listener::Local);
    assert_eq!(call(&service, "/grpc.health.v1.Health/Check", None).await, None);
    let reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    assert_eq!(call(&service, reflection, None).await, Some(Reason::TokenMissing));
    for command in Command::all() {
        let found = call(&service, command.path, None).await;
        assert!(
            matches!(found, Some(Reason::TokenMissing | Reason::RateLimited)),
            "{}",
            command.name
        );
    }
}

#[tokio::test]
async fn a_name_holds_one_token_at_a_time() {
    let world = World::new();
    let spec = || World::spec("ada", Audience::Skill, Scopes::of(&[Scope::Read]));
    let first = world.authority.issue(spec()).expect("the client is new");
    let second = world.authority.issue(spec()).map(|_| ()).expect_err("the first is in force");
    assert_eq!(second.reason(), Reason::ClientExists);
    drop(first);
    assert!(world.authority.issue(spec()).is_ok());
}

#[tokio::test]
async fn a_rate_holds_per_token_and_failures_do_not_hold_up_others() {
    let world = World::new();
    let service = world.listener(Listener::Local);
    let slow =
        GrantSpec { rate: Rate::PerSecond(3), ..World::spec("ada", Audience::Skill, Scopes::ALL) };
    let slow = world.authority.issue(slow).expect("the client is new");
    let mut limited = 0;
    for _ in 0..20 {
        limited += usize::from(
            call_grpc(&service, URL, Some(slow.token())).await == Some(Reason::RateLimited),
        );
    }
    assert!((15..=17).contains(&limited), "{limited}");
    for _ in 0..100 {
        call(&service, URL, Some("nonsense")).await;
    }
    assert_eq!(call(&service, URL, Some("nonsense")).await, Some(Reason::RateLimited));
    let root = world.authority.root_token().to_owned();
    assert_eq!(call(&service, URL, Some(&root)).await, None);
}

#[tokio::test]
async fn grpc_web_callers_get_the_same_refusal() {
    let world = World::new();
    let request = Request::post("/browse.v1.BrowserService/Click")
        .header("host", "127.0.0.1:4000")
        .header("content-type", "application/grpc-web+proto")
        .body(Body::default())
        .expect("the request is well formed");
    let service = world.listener(Listener::Local);
    let response = service.oneshot(request).await.expect("the service is infallible");
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/grpc-web+proto");
    assert_eq!(reason(response.headers()), Some(Reason::TokenMissing));
}

#[tokio::test]
async fn a_page_cannot_call() {
    let world = World::new();
    let token = world.authority.root_token();
    let request = Request::post("/browse.v1.BrowserService/Click")
        .header("host", "127.0.0.1:4000")
        .header("origin", "https://evil.example")
        .header("content-type", "application/grpc-web+proto")
        .header("authorization", format!("Bearer {token}"))
        .body(Body::default())
        .expect("the request is well formed");
    let response = world.listener(Listener::Local).oneshot(request).await.expect("infallible");
    assert_eq!(reason(response.headers()), Some(Reason::OriginDenied));
    assert!(!response.headers().contains_key("access-control-allow-origin"));
}

/// A page sends what needs no preflight request with its `Origin`, and gets no answer
/// to one that asks first.
#[tokio::test]
async fn a_page_cannot_call_in_json_either() {
    let world = World::new();
    let token = world.authority.root_token();
    let bearer = format!("Bearer {token}");
    let origin = ("origin", "https://evil.example");
    let preflight = ("access-control-request-method", "POST");
    let json = ("content-type", "application/json");
    let host = ("host", "127.0.0.1:4000");
    for listener in Listener::ALL {
        let service = world.listener(listener);
        for (method, headers, status) in [
            ("POST", vec![host, origin, json], 403),
            ("POST", vec![host, ("origin", "null"), json], 403),
            ("POST", vec![host, ("content-type", "text/plain")], 415),
            ("POST", vec![host, ("content-type", "text/plain;application/json")], 415),
            ("POST", vec![host, ("content-type", "application/x-www-form-urlencoded")], 415),
            ("POST", vec![host, ("content-type", "multipart/form-data; boundary=x")], 415),
            ("POST", vec![host], 415),
            ("OPTIONS", vec![host, origin, preflight], 405),
            ("GET", vec![host], 405),
            ("GET", vec![host, json], 405),
        ] {
            let request = Request::builder().method(method).uri(URL);
            let request = request.header("authorization", &bearer);
            let request =
                headers.iter().fold(request, |all, (name, value)| all.header(*name, *value));
            let request = request.body(Body::new(Full::from("{}"))).expect("it is well formed");
            let response = service.clone().oneshot(request).await.expect("infallible");
            assert_eq!(response.status(), status, "{listener:?} {method} {headers:?}");
            let names = response.headers().keys().map(http::HeaderName::as_str);
            let cors = names.filter(|name| name.starts_with("access-control-")).count();
            assert_eq!(cors, 0, "{listener:?} {method} {headers:?}");
        }
    }
    let rebound = Request::post(URL)
        .header("host", "evil.example:4000")
        .header("content-type", "application/json")
        .header("authorization", bearer)
        .body(Body::new(Full::from("{}")))
        .expect("the request is well formed");
    let response = world.listener(Listener::Local).oneshot(rebound).await.expect("infallible");
    assert_eq!(response.status(), 403);
}
