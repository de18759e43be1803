//! What a caller must not reach: other tenants, other sessions, other pods.

use http::StatusCode;

use crate::support::World;

#[tokio::test]
async fn a_tenant_never_comes_to_the_pod_of_another() {
    let world = World::new(10).await;
    let _pods = world.add_pods(3).await;
    let acme = world.call(0, "acme", "work", "goto").await;
    let beta = world.call(1, "beta", "work", "goto").await;
    assert!(acme.pod() != beta.pod() && beta.body["tenant"] == "beta");
    // Headers of the fleet that a caller sends count for nothing.
    for (name, value) in [
        ("browse-fleet-tenant", "acme"),
        ("browse-fleet-pod", acme.pod()),
        ("host", "acme.example.com"),
        ("x-sandbox-id", acme.pod()),
    ] {
        let answer = world.call_with(2, "beta", "work", "snapshot", &[(name, value)]).await;
        assert_eq!((answer.pod(), &answer.body["tenant"]), (beta.pod(), &"beta".into()), "{name}");
    }
    for session in ["acme/work", "../acme/work", "work%2f", "acme work", ""] {
        let answer = world.call(0, "beta", session, "snapshot").await;
        assert!(answer.status.is_client_error(), "{session:?}: {answer:?}");
    }
}

#[tokio::test]
async fn only_a_token_of_the_edge_opens_the_gateway() {
    let world = World::new(10).await;
    let _pod = world.add_pod().await;
    let acme = world.call(0, "acme", "work", "goto").await;
    let of_pod = format!("Bearer {}", acme.body["token"].as_str().expect("a token"));
    for (authorization, reason) in [
        (of_pod.as_str(), "TOKEN_INVALID"),
        ("Bearer acme", "TOKEN_INVALID"),
        ("Bearer ", "TOKEN_INVALID"),
        ("Basic YWNtZS1rZXk=", "TOKEN_INVALID"),
        ("Bearer eyJhbGciOiJub25lIn0.eyJ0ZW5hbnQiOiJhY21lIn0.", "TOKEN_INVALID"),
    ] {
        let headers = [("authorization", authorization)];
        let answer = world.call_with(0, "acme", "work", "snapshot", &headers).await;
        assert_eq!(
            (answer.status, answer.reason()),
            (StatusCode::UNAUTHORIZED, reason),
            "{authorization}"
        );
    }
    let page = [("origin", "https://evil.example")];
    let answer = world.call_with(0, "acme", "work", "snapshot", &page).await;
    assert_eq!((answer.status, answer.reason()), (StatusCode::FORBIDDEN, "ORIGIN_DENIED"));
}

#[tokio::test]
async fn a_narrow_token_has_its_session_and_its_scopes() {
    let world = World::new(10).await;
    let _pods = world.add_pods(2).await;
    assert_eq!(world.call(0, "acme", "two", "goto").await.reason(), "ok");
    let narrow = [("authorization", "Bearer narrow-key")];
    let call = |session, command| world.call_with(1, "acme", session, command, &narrow);
    assert_eq!(call("two", "snapshot").await.reason(), "SESSION_DENIED");
    assert_eq!(call("one", "goto").await.reason(), "SCOPE_DENIED");
    let read = call("one", "snapshot").await;
    assert_eq!((read.reason(), &read.body["session"]), ("ok", &"one".into()));
}

#[tokio::test]
async fn what_is_of_the_machine_is_not_served() {
    let world = World::new(10).await;
    let _pod = world.add_pod().await;
    for command in ["stop", "restart", "pair new", "tunnel start", "connect", "upload"] {
        let answer = world.call(0, "acme", "work", command).await;
        assert_eq!(
            (answer.status, answer.reason()),
            (StatusCode::FORBIDDEN, "FLEET_DENIED"),
            "{command}"
        );
    }
}

#[tokio::test]
async fn a_session_is_not_named_in_a_form_that_the_gateway_cannot_read() {
    let world = World::new(10).await;
    let pod = world.add_pod().await;
    for session in ["one", "two"] {
        assert_eq!(world.call(0, "acme", session, "goto").await.reason(), "ok");
    }
    for kind in ["application/grpc-web-text", "Application/json", "text/plain", ""] {
        let headers = [("content-type", kind)];
        let answer = world.call_with(0, "acme", "two", "session close", &headers).await;
        assert!(answer.pod().is_empty(), "{kind}: {answer:?}");
    }
    assert!(!pod.calls().iter().any(|call| call.contains("close")), "{:?}", pod.calls());
}
