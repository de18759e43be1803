//! An API server for tests: objects by path, whose writes compare versions as the real one does.

use std::{collections::BTreeMap, error::Error, sync::Arc};

use browse_base::Lock;
use http::{Method, Request, Response};
use kube::{Client, client::Body};
use serde_json::{Value, json};

use super::record::{PodProfile, parse_pool_selector};

/// The namespace of the tests.
pub(super) const NAMESPACE: &str = "fleet";

/// The API server.
#[derive(Debug, Default)]
pub(super) struct FakeServer(Lock<FakeState>);

#[derive(Debug, Default)]
struct FakeState {
    objects: BTreeMap<String, Value>,
    last_version: u64,
    is_down: bool,
}

/// A pod that is ready in the pool.
pub(super) fn pod(name: &str, uid: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": NAMESPACE,
            "uid": uid,
            "labels": { "browse.dev/pod": "release", "browse.dev/pool": "default" },
            "ownerReferences": [{
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "pool", "uid": "set",
                "controller": true, "blockOwnerDeletion": true,
            }],
        },
        "status": {
            "phase": "Running",
            "podIP": "10.0.0.1",
            "conditions": [{ "type": "Ready", "status": "True" }],
        },
    })
}

/// How the pods of the tests are read.
pub(super) fn profile() -> PodProfile {
    let pool_labels = parse_pool_selector("browse.dev/pool=default").expect("a label");
    PodProfile { port: 7443, pool_labels }
}

/// The path of a pod.
pub(super) fn pod_path(name: &str) -> String {
    format!("/api/v1/namespaces/{NAMESPACE}/pods/{name}")
}

impl FakeServer {
    /// A client of this server.
    pub(super) fn client(self: &Arc<Self>) -> Client {
        let server = Arc::clone(self);
        let service = tower::service_fn(move |request: Request<Body>| {
            let server = Arc::clone(&server);
            async move { server.serve(request).await }
        });
        Client::new(service, NAMESPACE)
    }

    /// Puts an object there, with a new version.
    pub(super) fn put(&self, path: &str, object: Value) -> Value {
        self.0.lock().store(path, object)
    }

    /// The object that is there.
    pub(super) fn get(&self, path: &str) -> Option<Value> {
        self.0.lock().objects.get(path).cloned()
    }

    /// Removes the object that is there.
    pub(super) fn remove(&self, path: &str) {
        self.0.lock().objects.remove(path);
    }

    /// Whether it refuses all calls.
    pub(super) fn set_down(&self, is_down: bool) {
        self.0.lock().is_down = is_down;
    }

    async fn serve(
        &self,
        request: Request<Body>,
    ) -> Result<Response<Body>, Box<dyn Error + Send + Sync>> {
        let (parts, body) = request.into_parts();
        let bytes = body.collect_bytes().await?;
        let body = match bytes.is_empty() {
            true => Value::Null,
            false => serde_json::from_slice(&bytes)?,
        };
        let (status, answer) = self.0.lock().answer(&parts.method, parts.uri.path(), body);
        let answer = Body::from(answer.to_string().into_bytes());
        Ok(Response::builder().status(status).body(answer)?)
    }
}

impl FakeState {
    fn answer(&mut self, method: &Method, path: &str, body: Value) -> (u16, Value) {
        if self.is_down {
            return failure(503, "ServiceUnavailable");
        }
        if *method == Method::POST {
            let name = body["metadata"]["name"].as_str().unwrap_or_default();
            let path = format!("{path}/{name}");
            return match self.objects.contains_key(&path) {
                true => failure(409, "AlreadyExists"),
                false => (201, self.store(&path, body)),
            };
        }
        let Some(current) = self.objects.get(path).cloned() else {
            return failure(404, "NotFound");
        };
        let is_current = body["metadata"]["resourceVersion"] == version(&current);
        let uid = &body["preconditions"]["uid"];
        let is_meant = uid.is_null() || *uid == current["metadata"]["uid"];
        match *method {
            Method::GET => (200, current),
            Method::PUT if is_current => (200, self.store(path, body)),
            Method::PATCH if is_current => {
                let mut object = current;
                merge(&mut object, body);
                (200, self.store(path, object))
            }
            Method::DELETE if is_meant => {
                self.objects.remove(path);
                (200, current)
            }
            _ => failure(409, "Conflict"),
        }
    }

    fn store(&mut self, path: &str, mut object: Value) -> Value {
        self.last_version += 1;
        object["metadata"]["resourceVersion"] = self.last_version.to_string().into();
        self.objects.insert(path.to_owned(), object.clone());
        object
    }
}

fn version(object: &Value) -> Value {
    object["metadata"]["resourceVersion"].clone()
}

/// A merge of RFC 7386.
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
