//! The objects of an API server that is played: writes compare versions as the real one does, and
//! pods are watched. It answers at once, so the time of etcd is in no figure.

use std::{collections::BTreeMap, net::SocketAddr};

use browse_base::Lock;
use browse_fleet::PodUid;
use browse_gate::cluster::Claim;
use http::Method;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::failure::{During as _, Outcome};

/// The namespace of the fleet.
pub const NAMESPACE: &str = "browse";

/// A pod as an API server lists it: that of the chart, with the fields that Kubernetes adds.
const POD: &str = include_str!("pod.json");

const CLAIM_ANNOTATION: &str = "browse.dev/claim";
const POOL_LABEL: &str = "browse.dev/pool";

/// The objects by path.
pub struct ApiStore {
    state: Lock<State>,
    versions: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    objects: BTreeMap<String, Value>,
    /// What happened to pods, the oldest first.
    events: Vec<Event>,
    version: u64,
    writes: Writes,
}

struct Event {
    version: u64,
    /// The event as a watch sends it.
    line: Vec<u8>,
}

/// Writes of the gateway.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Writes {
    /// Claims on pods.
    pub claims: u64,
    /// Those among them that took a pod from the pool.
    pub first_claims: u64,
    /// Pods that were deleted.
    pub deletions: u64,
    /// Writes of the Lease.
    pub leases: u64,
}

impl ApiStore {
    /// No objects.
    pub fn new() -> Self {
        Self { state: Lock::new(State::default()), versions: watch::Sender::new(0) }
    }

    /// Adds a pod: a warm one, or one with a claim.
    ///
    /// # Errors
    /// The file with the pod is not JSON.
    pub fn add_pod(
        &self,
        name: &str,
        uid: &PodUid,
        address: SocketAddr,
        claim: Option<&Claim>,
    ) -> Outcome<()> {
        let mut object: Value = serde_json::from_str(POD).during("pod.json")?;
        object["metadata"]["name"] = name.into();
        object["metadata"]["uid"] = uid.as_str().into();
        object["status"]["podIP"] = address.ip().to_string().into();
        if let Some(claim) = claim {
            let text = serde_json::to_string(claim).during("a claim")?;
            object["metadata"]["annotations"][CLAIM_ANNOTATION] = text.into();
            if let Some(labels) = object["metadata"]["labels"].as_object_mut() {
                labels.remove(POOL_LABEL);
            }
        }
        self.change(|state| state.store(&format!("{}/{name}", pods_path()), object));
        Ok(())
    }

    /// Removes a pod, as when its node has failed.
    pub fn remove_pod(&self, name: &str) {
        self.change(|state| state.remove(&format!("{}/{name}", pods_path())));
    }

    /// What the gateway has written.
    pub fn writes(&self) -> Writes {
        self.state.lock().writes
    }

    /// Each new version of the store.
    pub fn versions(&self) -> watch::Receiver<u64> {
        self.versions.subscribe()
    }

    /// What happened to pods after `version`, as lines of JSON, and the version of now.
    pub fn events_since(&self, version: u64) -> (Vec<u8>, u64) {
        let state = self.state.lock();
        let first = state.events.partition_point(|event| event.version <= version);
        let lines = state.events[first..].iter().flat_map(|event| &event.line).copied().collect();
        (lines, state.version)
    }

    /// Answers a call other than a watch, with a status of HTTP.
    pub fn answer(&self, method: &Method, path: &str, body: Value) -> (u16, Value) {
        self.change(|state| state.answer(method, path, body))
    }

    fn change<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let (result, version) = {
            let mut state = self.state.lock();
            let result = change(&mut state);
            (result, state.version)
        };
        self.versions.send_if_modified(|known| {
            let is_newer = version > *known;
            *known = version.max(*known);
            is_newer
        });
        result
    }
}

impl State {
    fn answer(&mut self, method: &Method, path: &str, body: Value) -> (u16, Value) {
        let is_pod = path.starts_with(&pods_path());
        if *method == Method::GET && path == pods_path() {
            return (200, self.list());
        }
        if *method == Method::POST {
            let name = body["metadata"]["name"].as_str().unwrap_or_default();
            let path = format!("{path}/{name}");
            self.writes.leases += u64::from(!is_pod);
            return match self.objects.contains_key(&path) {
                true => failure(409, "AlreadyExists"),
                false => (201, self.store(&path, body)),
            };
        }
        let Some(current) = self.objects.get(path).cloned() else {
            return failure(404, "NotFound");
        };
        match *method {
            Method::GET => (200, current),
            Method::PUT if is_current(&body["metadata"], &current) => {
                self.writes.leases += u64::from(!is_pod);
                (200, self.store(path, body))
            }
            Method::PATCH if is_current(&body["metadata"], &current) => {
                self.writes.claims += 1;
                let is_first = current["metadata"]["annotations"][CLAIM_ANNOTATION].is_null();
                self.writes.first_claims += u64::from(is_first);
                let mut object = current;
                merge(&mut object, body);
                (200, self.store(path, object))
            }
            Method::DELETE if is_current(&body["preconditions"], &current) => {
                self.writes.deletions += 1;
                self.remove(path);
                (200, current)
            }
            _ => failure(409, "Conflict"),
        }
    }

    fn list(&self) -> Value {
        let of_pods = self.objects.iter().filter(|(path, _)| path.starts_with(&pods_path()));
        let items: Vec<&Value> = of_pods.map(|(_, pod)| pod).collect();
        json!({
            "apiVersion": "v1", "kind": "PodList",
            "metadata": { "resourceVersion": self.version.to_string() },
            "items": items,
        })
    }

    fn store(&mut self, path: &str, mut object: Value) -> Value {
        self.version += 1;
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
        let known = self.objects.insert(path.to_owned(), object.clone());
        self.report(path, if known.is_some() { "MODIFIED" } else { "ADDED" }, &object);
        object
    }

    fn remove(&mut self, path: &str) {
        let Some(mut object) = self.objects.remove(path) else { return };
        self.version += 1;
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
        self.report(path, "DELETED", &object);
    }

    fn report(&mut self, path: &str, kind: &str, object: &Value) {
        if path.starts_with(&pods_path()) {
            let line = format!("{}\n", json!({ "type": kind, "object": object })).into_bytes();
            self.events.push(Event { version: self.version, line });
        }
    }
}

fn pods_path() -> String {
    format!("/api/v1/namespaces/{NAMESPACE}/pods")
}

/// Whether a write is for the object as it is: of the version, and of the uid, that it names.
fn is_current(named: &Value, current: &Value) -> bool {
    ["resourceVersion", "uid"].iter().all(|field| {
        let named = &named[*field];
        named.is_null() || *named == current["metadata"][*field]
    })
}

/// A merge patch. Source: RFC 7386.
fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let Value::Object(target) = target else { return };
    for (key, value) in patch {
        if value.is_null() {
            target.remove(&key);
        } else {
            merge(target.entry(key).or_insert(Value::Null), value);
        }
    }
}

fn failure(code: u16, reason: &str) -> (u16, Value) {
    let status = json!({
        "apiVersion": "v1", "kind": "Status", "status": "Failure",
        "code": code, "reason": reason, "message": reason,
    });
    (code, status)
}
