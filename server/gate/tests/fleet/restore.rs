//! Sessions whose pod ends, in a fleet whose pods save them.

use crate::support::{FakePod, World, eventually};

/// The pod that answered, of `pods`.
fn pod_of<'a>(pods: &'a [FakePod], uid: &str) -> &'a FakePod {
    pods.iter().find(|pod| pod.uid() == uid).expect("it is one of them")
}

#[tokio::test]
async fn a_call_of_a_session_that_has_moved_is_sent_to_another_pod() {
    let world = World::restoring(1).await;
    let pods = world.add_pods(2).await;
    let first = world.call(0, "acme", "work", "goto").await;
    let before = pod_of(&pods, first.pod());
    before.move_sessions();
    // Nothing was done, so that actions are sent again, too.
    let moved = world.call(1, "acme", "work", "click").await;
    assert!(moved.reason() == "ok" && moved.pod() != first.pod(), "{moved:?}");
    for replica in 0..3 {
        let next = world.call(replica, "acme", "work", "snapshot").await;
        assert_eq!((next.reason(), next.pod()), ("ok", moved.pod()), "replica {replica}");
    }
    assert_eq!(before.calls(), ["work goto"], "it does nothing more");
}

#[tokio::test]
async fn a_session_of_a_pod_that_was_killed_is_placed_anew() {
    let world = World::restoring(1).await;
    let pods = world.add_pods(3).await;
    let first = world.call(0, "acme", "work", "goto").await;
    pod_of(&pods, first.pod()).kill();
    let reading = world.call(0, "acme", "work", "snapshot").await;
    assert!(reading.reason() == "ok" && reading.pod() != first.pod(), "{reading:?}");
    // An action that was under way has an unknown outcome, and is not repeated.
    let second = pod_of(&pods, reading.pod());
    second.break_next(1);
    let action = world.call(1, "acme", "work", "click").await;
    assert_eq!(action.reason(), "ACTION_UNKNOWN");
    assert_eq!(second.calls(), ["work snapshot", "work click"]);
    second.kill();
    world.cluster.remove_pod(&second.name);
    eventually(|| (world.replicas[1].gateway.session_count() == 0).then_some(())).await;
    let next = world.call(1, "acme", "work", "click").await;
    assert!(next.reason() == "ok" && next.pod() != second.uid(), "{next:?}");
}

#[tokio::test]
async fn a_pod_that_is_being_deleted_has_its_sessions_until_they_have_moved() {
    let world = World::restoring(1).await;
    let pods = world.add_pods(2).await;
    let first = world.call(0, "acme", "work", "goto").await;
    let pod = pod_of(&pods, first.pod());
    world.cluster.set_ending(&pod.name);
    let call = world.call(2, "acme", "work", "snapshot").await;
    assert_eq!(call.pod(), first.pod(), "its state is not saved yet: {call:?}");
    pod.move_sessions();
    let moved = world.call(2, "acme", "work", "snapshot").await;
    assert!(moved.reason() == "ok" && moved.pod() != first.pod(), "{moved:?}");
}

#[tokio::test]
async fn a_session_that_lies_in_the_store_alone_can_be_closed() {
    let world = World::restoring(1).await;
    let pods = world.add_pods(2).await;
    let first = world.call(0, "acme", "work", "goto").await;
    let pod = pod_of(&pods, first.pod());
    pod.kill();
    world.cluster.remove_pod(&pod.name);
    eventually(|| (world.replicas[0].gateway.session_count() == 0).then_some(())).await;
    let closed = world.call(0, "acme", "work", "session close").await;
    assert!(closed.reason() == "ok" && closed.pod() != first.pod(), "{closed:?}");
}
