//! The claims against an API server for tests. The watches are played: a test reports what they
//! would.

use std::{sync::Arc, time::Duration};

use browse_fleet::{PodUid, SessionKey, Tenant};
use k8s_openapi::api::core::v1::Pod;
use kube::{Api, runtime::watcher::Event};
use serde_json::{Value, json};
use tokio::{sync::watch, task::JoinHandle, time::sleep};

use super::{
    claiming::PodClaimer,
    object::{ClaimTemplate, SandboxClaim},
    store::{ClaimState, SandboxStore},
    sweep::ClaimSweep,
    writer::ClaimWriter,
};
use crate::cluster::{
    Claim, ClusterError, Leadership, PodRecord,
    kubernetes::fake::{self, FakeServer},
};

/// The name of the first claim for the place of the tests.
const NAME: &str = "browse-4f2158f5f5f1898c-0";

struct World {
    server: Arc<FakeServer>,
    store: Arc<SandboxStore>,
    writer: Arc<ClaimWriter>,
    claimer: Arc<PodClaimer>,
}

impl World {
    fn new(claim_time: Duration) -> Self {
        let server = Arc::<FakeServer>::default();
        let store = Arc::new(SandboxStore::new(7443));
        let writer = Arc::new(ClaimWriter {
            claims: Api::namespaced(server.client(), fake::NAMESPACE),
            store: Arc::clone(&store),
            template: ClaimTemplate {
                fleet: "browse".to_owned(),
                warm_pool: "browse-pool".to_owned(),
                owner: None,
            },
        });
        let claimer = Arc::new(PodClaimer {
            writer: Arc::clone(&writer),
            store: Arc::clone(&store),
            claim_time,
        });
        store.handle_claims(vec![Event::Init, Event::InitDone]);
        store.handle_pods(vec![Event::Init, Event::InitDone]);
        Self { server, store, writer, claimer }
    }

    fn claim(&self, session: &str) -> JoinHandle<Result<PodRecord, ClusterError>> {
        let claimer = Arc::clone(&self.claimer);
        let claim = claim(session);
        tokio::spawn(async move { claimer.claim_pod(&place(), &claim).await })
    }

    /// Waits until the API server has a claim.
    async fn created(&self) -> Value {
        for _ in 0..500 {
            if let Some(object) = self.server.get(&path(NAME)) {
                return object;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("no claim was created");
    }

    /// Changes a claim as the controller does, and reports it.
    fn change(&self, change: Value) {
        let mut object = self.server.get(&path(NAME)).expect("it was created");
        object["metadata"]["uid"] = "claim".into();
        if let (Some(object), Value::Object(change)) = (object.as_object_mut(), change) {
            object.extend(change);
        }
        let stored = self.server.put(&path(NAME), object);
        self.report(stored);
    }

    fn report(&self, object: Value) {
        let claim: SandboxClaim = serde_json::from_value(object).expect("a claim");
        self.store.handle_claims(vec![Event::Apply(claim)]);
    }

    fn report_pod(&self, pod: Value) {
        let pod: Pod = serde_json::from_value(pod).expect("a pod");
        self.store.handle_pods(vec![Event::Apply(pod)]);
    }

    fn sweep(&self) -> ClaimSweep {
        let leads = Leadership { is_self: true, address: None };
        ClaimSweep {
            writer: Arc::clone(&self.writer),
            store: Arc::clone(&self.store),
            leadership: watch::channel(leads).1,
            health: Vec::new(),
            claim_time: Duration::from_secs(60),
        }
    }
}

fn place() -> SessionKey {
    SessionKey { tenant: Tenant::new("acme").expect("a tenant"), session: "s".to_owned() }
}

fn claim(session: &str) -> Claim {
    Claim::new(Tenant::new("acme").expect("a tenant")).with_session(session)
}

fn path(name: &str) -> String {
    let namespace = fake::NAMESPACE;
    format!("/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/{namespace}/sandboxclaims/{name}")
}

/// A pod of the sandbox `warm` that is ready; `labels` as the controller has set them.
fn pod(uid: &str, version: u32, labels: &Value) -> Value {
    let mut pod = fake::pod("warm", uid);
    pod["metadata"]["resourceVersion"] = version.to_string().into();
    pod["metadata"]["labels"] = labels.clone();
    pod["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "agents.x-k8s.io/v1beta1", "kind": "Sandbox", "name": "warm", "uid": "w",
        "controller": true, "blockOwnerDeletion": true,
    }]);
    pod
}

fn of_pool() -> Value {
    json!({ "browse.dev/pod": "browse" })
}

fn of_claim() -> Value {
    json!({ "browse.dev/pod": "browse", "agents.x-k8s.io/claim-uid": "claim" })
}

fn adopted() -> Value {
    json!({ "status": { "sandbox": { "name": "warm" } } })
}

fn condition(reason: &str) -> Value {
    json!({ "status": { "conditions": [{
        "type": "Ready", "status": "False", "reason": reason, "message": "why",
    }] } })
}

fn names(world: &World) -> Vec<String> {
    world.store.subscribe().borrow().keys().cloned().collect()
}

/// A claim that has the pod `u`.
async fn bound() -> (World, PodRecord) {
    let world = World::new(Duration::from_secs(60));
    let claimed = world.claim("s");
    world.created().await;
    world.report_pod(pod("u", 1, &of_pool()));
    world.change(adopted());
    let record = claimed.await.expect("no panic").expect("a pod");
    (world, record)
}

#[tokio::test]
async fn a_claim_gets_the_pod_of_its_sandbox_when_that_is_ready() {
    let world = World::new(Duration::from_secs(60));
    let mut starting = pod("u", 1, &of_pool());
    starting["status"]["conditions"] = json!([]);
    world.report_pod(starting);
    assert_eq!(names(&world), ["warm"], "it is in the pool");
    let claimed = world.claim("s");
    world.created().await;
    world.change(adopted());
    assert!(names(&world).is_empty(), "it is nobody's until it is handed over");
    world.report_pod(pod("u", 2, &of_claim()));
    let record = claimed.await.expect("no panic").expect("a pod");
    assert_eq!(record.uid.as_str(), "u");
    let written = record.claim.as_ref().expect("it has one");
    assert!(written.sessions.contains_key("s"));
    assert_eq!(world.store.record_of(&record.uid), Some(record));
    let object = world.server.get(&path(NAME)).expect("it is there");
    assert_eq!(object["metadata"]["annotations"]["browse.dev/pod"], "u");
}

#[tokio::test]
async fn later_sessions_are_written_on_the_claim() {
    let (world, record) = bound().await;
    let more = record.claim.as_ref().expect("it has one").with_session("t");
    let written = world.writer.write_claim(&record, &more).await.expect("nobody else writes");
    assert_eq!(written.claim.as_ref().map(|claim| claim.sessions.len()), Some(2));
    let late = world.writer.write_claim(&record, &more).await;
    assert!(matches!(late, Err(ClusterError::Conflict)), "{late:?}");
    world.writer.delete(&written).await.expect("it is the newest");
    assert!(world.server.get(&path(NAME)).is_none());
    let ending = world.store.record_of(&written.uid).expect("its pod is there");
    assert!(ending.is_ending && ending.claim.is_some());
}

#[tokio::test]
async fn a_table_shares_the_records_that_have_not_changed() {
    let (world, _) = bound().await;
    let report_other = |version| {
        let mut other = pod("o", version, &of_pool());
        other["metadata"]["name"] = "other".into();
        other["metadata"]["ownerReferences"][0]["name"] = "other".into();
        world.report_pod(other);
    };
    let table = || Arc::clone(&world.store.subscribe().borrow());
    report_other(1);
    let before = table();
    report_other(2);
    let changed = table();
    let is_shared = |name: &str| Arc::ptr_eq(&before[name], &changed[name]);
    assert!(is_shared("warm") && !is_shared("other"));
    let object = world.server.get(&path(NAME)).expect("it is there");
    let claim: SandboxClaim = serde_json::from_value(object).expect("a claim");
    world.store.handle_claims(vec![Event::Init, Event::InitApply(claim), Event::InitDone]);
    let listed = table();
    assert!(changed.iter().all(|(name, record)| Arc::ptr_eq(record, &listed[name])));
    world.change(json!({}));
    assert!(!Arc::ptr_eq(&listed["warm"], &table()["warm"]), "its claim has changed");
}

#[tokio::test]
async fn a_claim_without_a_pod_is_given_up() {
    let world = World::new(Duration::from_millis(100));
    let claimed = world.claim("s");
    world.created().await;
    world.change(condition("DependenciesNotReady"));
    let error = claimed.await.expect("no panic").expect_err("it has no sandbox");
    assert!(matches!(error, ClusterError::NoPod(_)), "{error:?}");
    assert!(error.to_string().contains("DependenciesNotReady: why"), "{error}");
    assert!(world.server.get(&path(NAME)).is_none(), "it is deleted");
}

#[tokio::test]
async fn a_claim_that_is_refused_is_given_up_at_once() {
    let world = World::new(Duration::from_secs(60));
    let claimed = world.claim("s");
    world.created().await;
    world.change(condition("WarmPoolNotFound"));
    let error = claimed.await.expect("no panic").expect_err("it is refused");
    assert!(error.to_string().contains("WarmPoolNotFound"), "{error}");
    assert!(world.server.get(&path(NAME)).is_none(), "it is deleted");
}

#[tokio::test]
async fn a_claim_that_another_replica_has_left_is_used() {
    let world = World::new(Duration::from_secs(60));
    world.writer.create(NAME, &claim("s")).await.expect("it is the first");
    world.change(json!({}));
    let claimed = world.claim("s");
    world.change(adopted());
    world.report_pod(pod("u", 1, &of_claim()));
    let record = claimed.await.expect("no panic").expect("a pod");
    assert_eq!(record.uid.as_str(), "u");
    assert!(world.server.get(&path("browse-4f2158f5f5f1898c-1")).is_none(), "there is one claim");
}

#[tokio::test]
async fn a_pod_that_the_controller_made_anew_belongs_to_nobody() {
    let (world, record) = bound().await;
    let mut other = pod("v", 9, &of_claim());
    other["metadata"]["uid"] = "v".into();
    world.report_pod(other);
    assert!(names(&world).is_empty());
    assert!(world.store.record_of(&record.uid).is_none());
    let states: Vec<_> = world.store.states().into_iter().map(|(_, state)| state).collect();
    assert_eq!(states, [ClaimState::PodMissing]);
}

#[tokio::test]
async fn the_claim_of_a_pod_that_ends_is_deleted() {
    let (world, record) = bound().await;
    let sweep = tokio::spawn(world.sweep().run());
    let mut ending = pod("u", 9, &of_claim());
    ending["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    world.report_pod(ending);
    for _ in 0..500 {
        if world.server.get(&path(NAME)).is_none() {
            break;
        }
        sleep(Duration::from_millis(10)).await;
    }
    sweep.abort();
    assert!(world.server.get(&path(NAME)).is_none());
    let record = world.store.record_of(&record.uid).expect("it has not gone");
    assert!(record.is_ending && record.claim.is_some(), "its sessions can still be saved");
}

#[tokio::test]
async fn a_claim_that_cannot_be_read_keeps_its_pod_from_others() {
    let (world, record) = bound().await;
    let uid = PodUid::new("u").expect("a uid");
    let mut object = world.server.get(&path(NAME)).expect("it is there");
    object["metadata"]["annotations"]["browse.dev/claim"] = "{}".into();
    let object = world.server.put(&path(NAME), object);
    world.report(object);
    let found = world.store.record_of(&uid).expect("it is there");
    assert!(found.is_ending && !found.is_warm() && found.claim.is_none());
    assert!(record.claim.is_some());
}
