//! Callers that wait for a place, at three replicas.

use std::{collections::BTreeMap, time::Duration};

use futures::{StreamExt as _, stream::FuturesUnordered};
use http::StatusCode;

use crate::support::World;

const TENANTS: [&str; 4] = ["acme", "beta", "gamma", "delta"];

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_callers_take_turns_at_ten_places() {
    let world = World::new(1).await;
    let mut pods = world.add_pods(10).await;
    // One tenant has most of the callers.
    let mut waiting = FuturesUnordered::new();
    for at in 0..200_usize {
        let tenant = if at < 140 { "acme" } else { TENANTS[1 + at % 3] };
        let (world, session) = (&world, format!("s{at}"));
        waiting.push(async move {
            let answer = world.call(at % 3, tenant, &session, "goto").await;
            (at, tenant, session, answer)
        });
    }
    let mut order: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut served = Vec::new();
    while let Some((at, tenant, session, answer)) = waiting.next().await {
        assert_eq!(answer.reason(), "ok", "{session}: {answer:?}");
        served.push(tenant);
        order.entry(tenant).or_default().push(at);
        // Its pod is not used again: another one comes into the pool.
        let closed = world.call(at % 3, tenant, &session, "session close").await;
        assert_eq!(closed.reason(), "ok", "{closed:?}");
        if served.len() <= 190 {
            pods.push(world.add_pod().await);
        }
    }
    assert_eq!(served.len(), 200);
    // The three others are done long before the one with most callers.
    let last_other = served.iter().rposition(|tenant| *tenant != "acme").expect("others");
    assert!(last_other < 180, "the others were held up until {last_other}");
    let all: usize = order.values().map(Vec::len).sum();
    assert_eq!(all, 200, "each was served once");
}

#[tokio::test]
async fn who_leaves_makes_room_and_a_full_queue_says_so() {
    let quota = "sessions = 10\nsessions_per_minute = 100\nqueue = 2";
    let world = World::with_quota(1, quota).await;
    let _pod = world.add_pod().await;
    assert_eq!(world.call(0, "acme", "held", "goto").await.reason(), "ok");
    let short = [("connect-timeout-ms", "600")];
    let calls = ["a", "b", "c"].map(|session| world.call_with(1, "beta", session, "goto", &short));
    let answers = futures::future::join_all(calls).await;
    assert!(answers.iter().all(|answer| answer.reason() == "FLEET_BUSY"), "{answers:?}");
    assert!(answers.iter().all(|answer| answer.status == StatusCode::TOO_MANY_REQUESTS));
    let full = answers
        .iter()
        .filter(|answer| answer.body.to_string().contains("wait for a place already"));
    assert_eq!(full.count(), 1, "two wait, the third does not: {answers:?}");
    // Those have left: there is room again, and one who goes away leaves at once.
    let abandoned = tokio::time::timeout(
        Duration::from_millis(200),
        world.call_with(2, "beta", "d", "goto", &[("connect-timeout-ms", "60000")]),
    );
    assert!(abandoned.await.is_err(), "no pod is free");
    let again = ["e", "f"].map(|session| world.call_with(0, "beta", session, "goto", &short));
    for answer in futures::future::join_all(again).await {
        assert!(answer.body.to_string().contains("in the queue"), "{answer:?}");
    }
}

#[tokio::test]
async fn a_tenant_has_as_many_sessions_as_it_may() {
    let quota = "sessions = 2\nsessions_per_minute = 3\nqueue = 10";
    let world = World::with_quota(10, quota).await;
    let _pods = world.add_pods(2).await;
    for session in ["a", "b"] {
        assert_eq!(world.call(0, "acme", session, "goto").await.reason(), "ok");
    }
    let third = world.call(1, "acme", "c", "goto").await;
    assert_eq!((third.status, third.reason()), (StatusCode::TOO_MANY_REQUESTS, "FLEET_QUOTA"));
    assert_eq!(world.call(2, "beta", "c", "goto").await.reason(), "ok", "others have their own");
    assert_eq!(world.call(0, "acme", "a", "session close").await.reason(), "ok");
    assert_eq!(world.call(0, "acme", "c", "goto").await.reason(), "ok");
    assert_eq!(world.call(0, "acme", "b", "session close").await.reason(), "ok");
    let fast = world.call(0, "acme", "d", "goto").await;
    assert!(fast.body.to_string().contains("a minute"), "three were opened: {fast:?}");
    assert!(fast.headers.contains_key("retry-after"));
}
