//! A call comes to the pod of its session, by whatever replica.

use http::StatusCode;

use crate::support::{World, eventually};

#[tokio::test]
async fn any_replica_serves_a_session_that_exists() {
    let world = World::new(10).await;
    let pods = world.add_pods(3).await;
    let first = world.call(2, "acme", "work", "goto").await;
    assert_eq!(first.status, StatusCode::OK, "{first:?}");
    let pod = first.pod().to_owned();
    for replica in 0..3 {
        let next = world.call(replica, "acme", "work", "snapshot").await;
        assert_eq!((next.reason(), next.pod()), ("ok", pod.as_str()), "replica {replica}");
    }
    // Another session of the tenant has room in the same pod; another tenant has another pod.
    assert_eq!(world.call(1, "acme", "more", "goto").await.pod(), pod);
    let other = world.call(0, "beta", "work", "goto").await;
    assert!(other.reason() == "ok" && other.pod() != pod, "{other:?}");
    let tenants: Vec<_> = pods.iter().filter_map(|pod| pod.tenant()).collect();
    assert_eq!(tenants.len(), 2, "one pod is still warm");
}

#[tokio::test]
async fn the_pod_gets_its_own_token_and_nothing_of_the_caller() {
    let world = World::new(10).await;
    let pod = world.add_pod().await;
    let headers = [
        ("browse-fleet-tenant", "beta"),
        ("browse-fleet-pod", "other"),
        ("browse-cwd", "/etc"),
        ("x-forwarded-for", "10.0.0.1"),
    ];
    let answer = world.call_with(0, "acme", "work", "goto", &headers).await;
    assert_eq!(answer.body["tenant"], "acme", "{answer:?}");
    assert_eq!(answer.body["token"], format!("{}.acme.ann", pod.uid()));
    let seen = answer.body["headers"].to_string();
    assert!(!seen.contains("browse-cwd") && !seen.contains("x-forwarded-for"), "{seen}");
}

#[tokio::test]
async fn parallel_calls_open_one_session() {
    let world = World::new(1).await;
    let pods = world.add_pods(5).await;
    let calls = (0..12).map(|at| world.call(at % 3, "acme", "work", "goto"));
    let answers = futures::future::join_all(calls).await;
    let found: std::collections::BTreeSet<_> =
        answers.iter().map(|answer| answer.pod().to_owned()).collect();
    assert_eq!(found.len(), 1, "{answers:?}");
    assert_eq!(pods.iter().filter(|pod| pod.tenant().is_some()).count(), 1);
}

#[tokio::test]
async fn a_session_that_is_closed_gives_its_place_back_and_its_pod_goes() {
    let world = World::new(1).await;
    let pod = world.add_pod().await;
    assert_eq!(world.call(1, "acme", "one", "session new").await.reason(), "ok");
    let busy = world.call_with(0, "acme", "two", "goto", &[("connect-timeout-ms", "200")]).await;
    assert_eq!((busy.status, busy.reason()), (StatusCode::TOO_MANY_REQUESTS, "FLEET_BUSY"));
    assert_eq!(busy.headers["retry-after"], "1");
    assert!(busy.body["message"].as_str().expect("text").contains("place 1"), "{busy:?}");
    // The next session of the tenant gets the place in the same pod.
    assert_eq!(world.call(2, "acme", "one", "session close").await.reason(), "ok");
    assert_eq!(world.call(0, "acme", "two", "goto").await.reason(), "ok");
    assert_eq!(world.call(0, "acme", "two", "session close").await.reason(), "ok");
    eventually(|| world.cluster.pod(&pod.name).is_none().then_some(())).await;
}

#[tokio::test]
async fn what_opens_no_session_needs_one() {
    let world = World::new(1).await;
    let pods = world.add_pods(1).await;
    assert_eq!(world.call(0, "acme", "work", "memory").await.reason(), "SESSION_NOT_FOUND");
    let list = world.call(0, "acme", "work", "session list").await;
    assert_eq!((list.reason(), &list.body["sessions"]), ("ok", &serde_json::json!([])), "{list:?}");
    let pod = world.cluster.pod(&pods[0].name).expect("it is there");
    assert!(pod.claim.is_none(), "a list takes no pod");
    assert_eq!(world.call(0, "acme", "work", "goto").await.reason(), "ok");
    assert_eq!(world.call(0, "acme", "default", "session list").await.reason(), "ok");
}

#[tokio::test]
async fn metrics_count_pods_and_calls() {
    let world = World::new(1).await;
    let _pods = world.add_pods(2).await;
    assert_eq!(world.call(0, "acme", "work", "goto").await.reason(), "ok");
    let text = world.replicas[0].gateway.metrics_text();
    for line in [
        "browse_pool_ready 1",
        "browse_pool_claimed 1",
        "browse_gate_sessions 1",
        "browse_gate_leader 1",
        "browse_pool_claims_total{result=\"ok\"} 1",
        "browse_gate_requests_total{code=\"200\"} 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[tokio::test]
async fn a_session_that_nobody_uses_is_closed() {
    let world = World::new(1).await;
    let pod = world.add_pod().await;
    assert_eq!(world.call(0, "acme", "work", "goto").await.reason(), "ok");
    pod.set_idle(2);
    eventually(|| (world.replicas[1].gateway.session_count() == 0).then_some(())).await;
}
