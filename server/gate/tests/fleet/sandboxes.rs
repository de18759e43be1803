//! Pods that come from agent-sandbox: the gateway as it is, at an API server in memory. The
//! controller is played (`controller.rs` says what of it); the real one was not run.

mod api;
mod controller;
mod world;

use std::time::Duration;

use http::StatusCode;
use serde_json::Value;

use self::{
    controller::{claims, pods, sandboxes},
    world::SandboxWorld,
};
use crate::support::{call, eventually};

/// Time for a claim that no test waits for.
const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_tenant_gets_a_pod_by_a_claim_and_leaves_nothing() {
    let world = SandboxWorld::new(Some(2), LONG).await;
    world.wait_for_pool(2).await;
    let first = world.call(0, "acme", "work", "goto").await;
    assert_eq!(first.reason(), "ok", "{first:?}");
    let more = world.call(1, "acme", "more", "goto").await;
    assert_eq!(more.pod(), first.pod(), "it has room");
    let other = world.call(2, "beta", "work", "goto").await;
    assert!(other.reason() == "ok" && other.pod() != first.pod(), "{other:?}");
    let owned = world.claims_of("acme");
    let [claim] = owned.as_slice() else { panic!("one claim: {owned:?}") };
    let annotations = &claim["metadata"]["annotations"];
    assert_eq!(annotations["browse.dev/pod"], first.pod());
    let written = annotations["browse.dev/claim"].as_str().expect("it is written");
    assert!(written.contains("\"work\"") && written.contains("\"more\""), "{written}");
    assert_eq!(world.controller.tenant_of(first.pod()).as_deref(), Some("acme"));
    // Two in the pool again, beside those of the tenants.
    eventually(|| (world.api.list(&pods()).len() == 4).then_some(())).await;
    for (tenant, session) in [("acme", "work"), ("acme", "more"), ("beta", "work")] {
        let closed = world.call(0, tenant, session, "session close").await;
        assert_eq!(closed.reason(), "ok", "{closed:?}");
    }
    world.wait_for_pool(2).await;
    assert!(world.controller.tenant_of(first.pod()).is_none(), "its pod has ended");
}

#[tokio::test]
async fn with_an_empty_pool_a_pod_is_started_for_the_claim() {
    let world = SandboxWorld::new(Some(0), LONG).await;
    let answer = world.call(0, "acme", "work", "goto").await;
    assert_eq!(answer.reason(), "ok", "{answer:?}");
    let owned = world.claims_of("acme");
    let [claim] = owned.as_slice() else { panic!("one claim: {owned:?}") };
    assert_eq!(claim["status"]["sandbox"]["name"], claim["metadata"]["name"]);
    assert_eq!(world.call(1, "acme", "work", "session close").await.reason(), "ok");
    world.wait_for_pool(0).await;
}

#[tokio::test]
async fn a_session_whose_claim_is_deleted_is_lost_and_opened_anew() {
    let world = SandboxWorld::new(Some(1), LONG).await;
    let first = world.call(0, "acme", "work", "goto").await;
    assert_eq!(first.reason(), "ok", "{first:?}");
    let owned = world.claims_of("acme");
    let name = owned[0]["metadata"]["name"].as_str().expect("a name").to_owned();
    world.api.remove(&claims(), &name);
    world.wait_for_sessions(0).await;
    assert_eq!(world.call(0, "acme", "work", "click").await.reason(), "SESSION_LOST");
    let again = world.call(0, "acme", "work", "goto").await;
    assert!(again.reason() == "ok" && again.pod() != first.pod(), "{again:?}");
    assert_eq!(world.call(0, "acme", "work", "session close").await.reason(), "ok");
    world.wait_for_pool(1).await;
}

#[tokio::test]
async fn a_pod_that_the_controller_makes_anew_is_given_to_nobody() {
    let world = SandboxWorld::new(Some(1), LONG).await;
    let first = world.call(0, "acme", "work", "goto").await;
    assert_eq!(first.reason(), "ok", "{first:?}");
    let of_uid = |pod: &Value| pod["metadata"]["uid"] == first.pod();
    let pod = world.api.list(&pods()).into_iter().find(of_uid).expect("it is there");
    world.controller.end_pod(&pod);
    world.wait_for_claims(0).await;
    world.wait_for_sessions(0).await;
    let lost = world.call(0, "acme", "work", "snapshot").await;
    assert_eq!(lost.reason(), "SESSION_LOST", "{lost:?}");
    world.wait_for_pool(1).await;
}

#[tokio::test]
async fn a_replica_that_leads_is_killed_while_claims_wait() {
    let mut world = SandboxWorld::new(Some(4), LONG).await;
    world.wait_for_pool(4).await;
    world.controller.set_paused(true);
    let leader = world.leader();
    let others: Vec<usize> = (0..3).filter(|at| *at != leader).collect();
    let addresses = [world.replicas[others[0]].address(), world.replicas[others[1]].address()];
    let tenants = ["acme", "beta", "gamma", "delta"];
    let calls = tenants.iter().enumerate().map(|(at, tenant)| {
        let (address, tenant) = (addresses[at % 2], tenant.to_string());
        tokio::spawn(async move { call(address, &tenant, "work", "goto", &[]).await })
    });
    let calls: Vec<_> = calls.collect();
    world.wait_for_claims(4).await;
    world.replicas[leader].kill().await;
    world.controller.set_paused(false);
    for (answer, tenant) in calls.into_iter().zip(tenants) {
        let answer = answer.await.expect("no panic");
        assert_eq!(answer.reason(), "ok", "{tenant}: {answer:?}");
        assert_eq!(world.claims_of(tenant).len(), 1, "{tenant}");
    }
    assert_eq!(world.api.list(&sandboxes()).len(), 8, "four of tenants, four in the pool");
}

#[tokio::test]
async fn a_claim_that_gets_no_pod_is_given_up_with_a_reason() {
    let world = SandboxWorld::new(Some(1), Duration::from_millis(500)).await;
    world.controller.set_paused(true);
    let busy = world.call(1, "acme", "work", "goto").await;
    assert_eq!((busy.status, busy.reason()), (StatusCode::TOO_MANY_REQUESTS, "FLEET_BUSY"));
    assert!(busy.body.to_string().contains("no pod was ready after"), "{busy:?}");
    world.wait_for_claims(0).await;
    world.controller.set_paused(false);
    assert_eq!(world.call(1, "acme", "work", "goto").await.reason(), "ok");
}

#[tokio::test]
async fn a_caller_that_cannot_wait_finds_its_claim_again() {
    let world = SandboxWorld::new(Some(1), LONG).await;
    world.wait_for_pool(1).await;
    world.controller.set_paused(true);
    let short = [("connect-timeout-ms", "300")];
    let busy = world.call_with(0, "acme", "work", "goto", &short).await;
    assert_eq!(busy.reason(), "FLEET_BUSY", "{busy:?}");
    assert!(busy.headers.contains_key("retry-after"));
    world.controller.set_paused(false);
    assert_eq!(world.call(0, "acme", "work", "goto").await.reason(), "ok");
    assert_eq!(world.claims_of("acme").len(), 1);
}

#[tokio::test]
async fn a_claim_that_the_controller_refuses_says_why() {
    let world = SandboxWorld::new(None, LONG).await;
    let refused = world.call(0, "acme", "work", "goto").await;
    assert_eq!(refused.reason(), "FLEET_BUSY", "{refused:?}");
    assert!(refused.body.to_string().contains("WarmPoolNotFound"), "{refused:?}");
    world.wait_for_claims(0).await;
}
