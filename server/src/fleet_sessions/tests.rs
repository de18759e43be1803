//! Pods that share a store in memory; none has a browser.

use std::{sync::Arc, time::Duration};

use browse_base::Result;
use browse_fleet::{PodUid, Tenant};
use browse_net::HostPolicy;
use browse_policy::ClientId;
use browse_proto::Reason;
use browse_sessions::{KeptSession, SessionRules, Sessions};
use object_store::{ObjectStore, memory::InMemory};
use serde_json::json;
use tokio::time::sleep;

use super::*;
use crate::session_state::{StateKey, pack_state};

const INTERVAL: Duration = Duration::from_secs(15);

fn key() -> StateKey {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("key");
    std::fs::write(&path, "ab".repeat(32)).expect("a file");
    StateKey::mounted(&path).expect("a key")
}

/// A pod of the tenant `acme`.
fn pod(store: &Arc<InMemory>, uid: &str) -> Arc<FleetSessions> {
    pod_with_interval(store, uid, INTERVAL)
}

fn pod_with_interval(store: &Arc<InMemory>, uid: &str, interval: Duration) -> Arc<FleetSessions> {
    let store = Arc::clone(store) as Arc<dyn ObjectStore>;
    let fleet = FleetSessions::new(FleetSessionsParts {
        sessions: Sessions::new(),
        objects: StateObjects::new(store, "/fleet/"),
        key: key(),
        pod: PodUid::new(uid).expect("a uid"),
        interval,
    });
    fleet.set_tenant(&Tenant::new("acme").expect("a name"));
    fleet
}

async fn open(pod: &Arc<FleetSessions>) -> Result<Option<RestoredSession>> {
    pod.open("work", &ClientId::root(), &SessionRules::unrestricted()).await
}

/// Writes a session with one cookie, as a save does.
async fn write_cookie(pod: &FleetSessions) -> bool {
    let cookies = vec![json!({"name": "sid", "value": "top-secret", "domain": "a.example"})];
    let contents = KeptSession { cookies, ..KeptSession::default() };
    let packed = pack_state(&contents).expect("it is small");
    let held = pod.entry("work").expect("a name");
    let mut progress = held.progress.lock().await;
    pod.write(&held, &mut progress, 1_000, &packed).await.expect("the store answers")
}

async fn save(pod: &FleetSessions) {
    let held = pod.entry("work").expect("a name");
    pod.save(&held).await.expect("the store answers");
}

fn reason<T>(outcome: Result<T>) -> Reason {
    outcome.map(drop).expect_err("it is refused").reason()
}

#[tokio::test]
async fn another_pod_restores_what_was_saved_and_the_first_one_loses_it() {
    let store = Arc::new(InMemory::new());
    let (first, second) = (pod(&store, "p1"), pod(&store, "p2"));
    assert_eq!(open(&first).await.expect("it opens"), None);
    assert!(write_cookie(&first).await);
    let restored = open(&second).await.expect("it opens").expect("it was saved");
    assert_eq!((restored.counts.cookies, restored.saved_at), (1, 1_000));
    assert!(restored.notice("work").contains("1970-01-01T00:16:40Z: 1 cookie"));
    // It is kept until a response has reported it, and reported once.
    assert_eq!(second.restored("work").as_ref(), Some(&restored));
    assert_eq!(second.take_restored("work"), Some(restored));
    assert_eq!((second.restored("work"), second.take_restored("work")), (None, None));
    assert_eq!(first.restored("work"), None, "it began here");
    assert_eq!(second.parts.sessions.require("work").expect("open").snapshot().cookies().len(), 1);
    // The first one finds out when it saves, and does not take it back.
    first.parts.sessions.get_or_open(&"work".parse().expect("a name"), &ClientId::root());
    assert!(!write_cookie(&first).await && !first.has_moved("work"));
    save(&first).await;
    assert!(first.has_moved("work") && !second.has_moved("work"));
    assert!(first.parts.sessions.get("work").is_none());
    assert_eq!(reason(open(&first).await), Reason::SessionMoved);
    assert_eq!(reason(first.admit("work").await), Reason::SessionMoved);
    assert_eq!(reason(first.remove("work").await), Reason::SessionMoved);
    save(&second).await;
    assert_eq!(open(&second).await.expect("it is open"), None);
}

#[tokio::test]
async fn a_session_that_is_restored_is_held_to_the_hosts_of_its_skill() {
    let store = Arc::new(InMemory::new());
    let (first, second) = (pod(&store, "p1"), pod(&store, "p2"));
    open(&first).await.expect("it opens");
    assert!(write_cookie(&first).await);
    let hosts = HostPolicy::from_patterns(["a.example"]).expect("a pattern");
    let rules = SessionRules { hosts };
    second.open("work", &ClientId::root(), &rules).await.expect("it opens").expect("it was saved");
    let session = second.parts.sessions.require("work").expect("open");
    assert_eq!(session.rules().hosts.patterns(), ["a.example"]);
}

#[tokio::test]
async fn of_two_pods_that_open_a_session_at_once_one_gets_it() {
    let store = Arc::new(InMemory::new());
    let pods = ["p1", "p2", "p3", "p4"].map(|uid| pod(&store, uid));
    let opened = futures::future::join_all(pods.iter().map(open)).await;
    // One that came after the first has restored it in turn, and the first has lost it then.
    let mut owners = 0;
    for (pod, opened) in pods.iter().zip(opened) {
        let is_owner = opened.is_ok() && write_cookie(pod).await;
        owners += usize::from(is_owner);
    }
    assert_eq!(owners, 1);
}

#[tokio::test]
async fn the_epoch_rises_with_each_write_and_nothing_is_readable() {
    let store = Arc::new(InMemory::new());
    let first = pod(&store, "p1");
    let held = first.entry("work").expect("a name");
    open(&first).await.expect("it opens");
    for epoch in 1..4 {
        let object = first.parts.objects.read(&held.name).await.expect("it answers").expect("it");
        let (header, _) = object::read_header(&object.bytes, &held.name).expect("it is whole");
        assert_eq!((header.epoch, header.pod.as_str()), (epoch, "p1"));
        assert!(!object.bytes.windows(10).any(|part| part == b"top-secret"));
        assert!(write_cookie(&first).await);
    }
}

#[tokio::test]
async fn a_write_whose_answer_was_lost_is_the_pods_own() {
    let store = Arc::new(InMemory::new());
    let first = pod(&store, "p1");
    open(&first).await.expect("it opens");
    let held = first.entry("work").expect("a name");
    let before = held.progress.lock().await.version.clone();
    assert!(write_cookie(&first).await);
    held.progress.lock().await.version = before;
    save(&first).await;
    assert_eq!(open(&first).await.expect("it is still open"), None);
    assert!(write_cookie(&first).await);
}

#[tokio::test]
async fn a_pod_that_does_not_hear_of_the_store_stops_in_time() {
    let store = Arc::new(InMemory::new());
    let interval = Duration::from_millis(500);
    let first = pod_with_interval(&store, "p1", interval);
    open(&first).await.expect("it opens");
    assert_eq!(open(&first).await.expect("it holds it"), None);
    sleep(interval * 4).await;
    assert_eq!(reason(open(&first).await), Reason::StateUnavailable);
    // The store answers again, and the session is still this pod's.
    save(&first).await;
    assert_eq!(open(&first).await.expect("it holds it"), None);
}

#[tokio::test]
async fn a_session_that_is_closed_leaves_nothing() {
    let store = Arc::new(InMemory::new());
    let (first, second) = (pod(&store, "p1"), pod(&store, "p2"));
    open(&first).await.expect("it opens");
    assert!(first.remove("work").await.expect("the store answers"));
    assert_eq!(open(&second).await.expect("it is new"), None);
    // One that is in no pod any more can be closed, too.
    assert!(first.remove("work").await.expect("the store answers"));
    assert!(!first.remove("work").await.expect("there is nothing"));
    save(&second).await;
    assert_eq!(reason(open(&second).await), Reason::SessionMoved);
}

#[tokio::test]
async fn calls_wait_for_the_last_save_of_a_pod_that_ends() {
    let store = Arc::new(InMemory::new());
    let (first, second) = (pod(&store, "p1"), pod(&store, "p2"));
    open(&first).await.expect("it opens");
    first.admit("work").await.expect("it serves");
    first.start_draining();
    let waiting = tokio::spawn({
        let first = Arc::clone(&first);
        async move { first.admit("work").await }
    });
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished(), "it is not saved yet");
    first.finish(Duration::from_secs(5)).await;
    assert_eq!(reason(waiting.await.expect("no panic")), Reason::SessionMoved);
    assert_eq!(reason(open(&first).await), Reason::SessionMoved, "for running calls, too");
    assert!(open(&second).await.expect("it opens").is_some());
}

#[tokio::test]
async fn a_store_with_conditions_is_taken() {
    let objects = StateObjects::new(Arc::new(InMemory::new()), "");
    objects.check_conditions().await.expect("it has them");
    for url in ["", "bucket", "file:///tmp/x", "s3:///prefix", "s3://bucket/?x=1"] {
        let error = StateObjects::from_url(url).map(drop).expect_err(url);
        assert_eq!(error.reason(), Reason::SettingInvalid, "{url}");
    }
}
