//! The authorization matrix: every RPC of the contract, every set of one
//! scope, both listeners; and every way in which a token can be bad.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use browse_proto::{Command, Reason, Scope};
use browse_server::{
    content::Delivery,
    policy::{
        Audience, Authority, ClientId, ClientKind, GrantSpec, HostPolicy, IssuedToken, Listener,
        Permit, Rate, Scopes, SessionRule, TabPolicy,
        layer::{GateConfig, GatedService, OriginCheck, with_gate},
    },
};
use http::{Request, Response};
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
        let gate = GateConfig {
            listener,
            authority: Arc::clone(&self.authority),
            origin: match listener {
                Listener::Local => OriginCheck::Loopback { port: 4000 },
                Listener::Tunnel | Listener::Skills => OriginCheck::Any,
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

/// Answers OK, and nothing but a call with a permit for the very command.
async fn answer(request: Request<Body>) -> Result<Response<Body>, Infallible> {
    let permit = request.extensions().get::<Permit>();
    assert!(permit.is_none_or(|permit| permit.command().path == request.uri().path()));
    assert!(!request.headers().contains_key("authorization"), "the token goes no further");
    Ok(Status::ok("").into_http())
}

async fn call(service: &GatedService, path: &str, token: Option<&str>) -> Option<Reason> {
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
        for held in Scope::GRANTABLE {
            let token = world.mint("ada", audience(listener), &[held]);
            for command in Command::all() {
                let expected = match listener {
                    Listener::Tunnel if !command.tunnel => Some(Reason::TunnelDenied),
                    _ if matches!(command.scope, Scope::Any | Scope::Public) => None,
                    _ if command.scope != held => Some(Reason::ScopeDenied),
                    _ => None,
                };
                let found = call(&service, command.path, Some(token.token())).await;
                assert_eq!(found, expected, "{listener:?} {held:?} {}", command.name);
            }
        }
    }
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
    assert_eq!(token.grant().usage().call_count, 1);
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
    assert_eq!(heard, [(Reason::ScopeDenied, Some("ada".to_owned()))]);
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
    // What looks like a root token is told so, whether it is one or not.
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
        limited +=
            usize::from(call(&service, URL, Some(slow.token())).await == Some(Reason::RateLimited));
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
