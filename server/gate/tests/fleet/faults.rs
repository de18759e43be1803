//! Pods and replicas that fail.

use http::StatusCode;

use crate::support::{World, eventually};

#[tokio::test]
async fn a_replica_that_leads_is_killed_while_callers_wait() {
    let world = World::new(1).await;
    let mut pods = world.add_pods(2).await;
    for session in ["a", "b"] {
        assert_eq!(world.call(1, "acme", session, "goto").await.reason(), "ok");
    }
    let leader =
        world.replicas.iter().position(|replica| replica.gateway.leads()).expect("one leads");
    let others: Vec<usize> = (0..3).filter(|at| *at != leader).collect();
    let waiting = async {
        let calls = (0..6).map(|at| {
            let session = format!("w{at}");
            let replica = others[at % 2];
            let world = &world;
            async move { world.call(replica, "beta", &session, "goto").await }
        });
        futures::future::join_all(calls).await
    };
    let kill = async {
        let depth = || world.replicas[leader].gateway.queue_len();
        eventually(|| (depth() == 6).then_some(())).await;
        world.replicas[leader].kill();
        let more = world.add_pods(6).await;
        eventually(|| {
            let leads = |at: &usize| world.replicas[*at].gateway.leads();
            others.iter().any(leads).then_some(())
        })
        .await;
        more
    };
    let (answers, more) = tokio::join!(waiting, kill);
    pods.extend(more);
    assert!(answers.iter().all(|answer| answer.reason() == "ok"), "{answers:?}");
    // The sessions of before are known to those that are left.
    for session in ["a", "b"] {
        assert_eq!(world.call(others[0], "acme", session, "snapshot").await.reason(), "ok");
    }
    let tenants: Vec<_> = pods.iter().filter_map(|pod| pod.tenant()).collect();
    assert_eq!(tenants.len(), 8, "no session has two pods");
}

#[tokio::test]
async fn an_action_whose_outcome_is_unknown_is_not_repeated_and_a_reading_is() {
    let world = World::new(1).await;
    let pod = world.add_pod().await;
    assert_eq!(world.call(0, "acme", "work", "goto").await.reason(), "ok");
    pod.break_next(1);
    let action = world.call(0, "acme", "work", "click").await;
    assert_eq!((action.status, action.reason()), (StatusCode::CONFLICT, "ACTION_UNKNOWN"));
    assert_eq!(pod.calls(), ["work goto", "work click"], "once");
    pod.break_next(1);
    assert_eq!(world.call(0, "acme", "work", "snapshot").await.reason(), "ok");
    assert_eq!(pod.calls()[2..], ["work snapshot", "work snapshot"]);
    // A batch reads by its scope, and its steps may act.
    pod.break_next(1);
    assert_eq!(world.call(0, "acme", "work", "batch").await.reason(), "ACTION_UNKNOWN");
    assert_eq!(pod.calls()[4..], ["work batch"]);
}

#[tokio::test]
async fn a_session_of_a_pod_that_is_deleted_is_lost() {
    let world = World::new(1).await;
    let pods = world.add_pods(2).await;
    let first = world.call(0, "acme", "work", "goto").await;
    let pod = pods.iter().find(|pod| pod.uid() == first.pod()).expect("it is one of them");
    world.cluster.set_ending(&pod.name);
    eventually(|| (world.replicas[1].gateway.session_count() == 0).then_some(())).await;
    world.cluster.remove_pod(&pod.name);
    assert_eq!(world.call(1, "acme", "work", "click").await.reason(), "SESSION_LOST");
}

#[tokio::test]
async fn the_loss_of_a_session_is_reported_by_one_replica() {
    let world = World::new(1).await;
    let pods = world.add_pods(3).await;
    for round in 0..2 {
        let first = world.call(0, "acme", "work", "goto").await;
        assert_eq!(first.reason(), "ok", "round {round}");
        let is_known = || world.replicas.iter().all(|one| one.gateway.session_count() == 1);
        eventually(|| is_known().then_some(())).await;
        let pod = pods.iter().find(|pod| pod.uid() == first.pod()).expect("it is one of them");
        world.cluster.remove_pod(&pod.name);
        let is_gone = || world.replicas.iter().all(|one| one.gateway.session_count() == 0);
        eventually(|| is_gone().then_some(())).await;
        // A reading does not open the session, so that all replicas still know of the loss.
        let mut reasons = Vec::new();
        for replica in [2, 1, 0] {
            let answer = world.call(replica, "acme", "work", "session close").await;
            reasons.push(answer.reason().to_owned());
        }
        assert_eq!(reasons, ["SESSION_LOST", "SESSION_NOT_FOUND", "SESSION_NOT_FOUND"]);
    }
}

#[tokio::test]
async fn a_session_that_is_lost_with_its_pod_is_reported_before_it_is_opened_anew() {
    let world = World::new(1).await;
    let pods = world.add_pods(2).await;
    let first = world.call(0, "acme", "work", "goto").await;
    let pod = pods.iter().find(|pod| pod.uid() == first.pod()).expect("it is one of them");
    pod.kill();
    let silent = world.call(0, "acme", "work", "snapshot").await;
    assert_eq!(
        (silent.status, silent.reason()),
        (StatusCode::SERVICE_UNAVAILABLE, "POD_UNREACHABLE")
    );
    world.cluster.remove_pod(&pod.name);
    eventually(|| (world.replicas[0].gateway.session_count() == 0).then_some(())).await;
    let lost = world.call(0, "acme", "work", "snapshot").await;
    assert_eq!((lost.status, lost.reason()), (StatusCode::CONFLICT, "SESSION_LOST"));
    let again = world.call(0, "acme", "work", "goto").await;
    assert!(again.reason() == "ok" && again.pod() != first.pod(), "{again:?}");
}

#[tokio::test]
async fn another_pod_at_an_address_of_before_is_not_taken_for_the_first() {
    let world = World::new(1).await;
    let pod = world.add_pod().await;
    assert_eq!(world.call(0, "acme", "work", "goto").await.reason(), "ok");
    let address = pod.address;
    pod.kill();
    drop(pod);
    let other = world.add_pod_at(address).await;
    let answer = world.call(0, "acme", "work", "snapshot").await;
    assert_eq!(answer.reason(), "POD_UNREACHABLE", "{answer:?}");
    assert!(other.calls().is_empty() && other.tenant().is_none(), "it got nothing");
}

#[tokio::test]
async fn without_the_cluster_sessions_go_on_and_new_ones_fail_at_once() {
    let world = World::new(1).await;
    let _pods = world.add_pods(2).await;
    assert_eq!(world.call(0, "acme", "work", "goto").await.reason(), "ok");
    world.cluster.set_available(false);
    assert_eq!(world.call(1, "acme", "work", "click").await.reason(), "ok");
    let begun = std::time::Instant::now();
    let refused = world.call(2, "acme", "more", "goto").await;
    assert_eq!(
        (refused.status, refused.reason()),
        (StatusCode::SERVICE_UNAVAILABLE, "GATE_UNAVAILABLE")
    );
    assert!(begun.elapsed().as_secs() < 2, "it does not wait");
    world.cluster.set_available(true);
    assert_eq!(world.call(2, "acme", "more", "goto").await.reason(), "ok");
}

#[tokio::test]
async fn a_daemon_that_was_started_anew_in_its_pod_serves_nobody() {
    let world = World::new(1).await;
    let pod = world.add_pod().await;
    assert_eq!(world.call(0, "acme", "work", "goto").await.reason(), "ok");
    pod.restart();
    // The claim is still that of the tenant, and the pod is empty: it takes the tenant again.
    let answer = world.call(0, "acme", "work", "goto").await;
    assert_eq!(answer.reason(), "ok", "{answer:?}");
    assert!(pod.tenant().is_none_or(|tenant| tenant == "acme"));
}
