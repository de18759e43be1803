//! An API server in memory: lists, watches, and writes that compare versions as the real one does.
//! It does not look at selectors: a test has one fleet.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    error::Error,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use http::{Method, Request, Response, StatusCode};
use http_body_util::{Full, StreamBody};
use hyper::body::{Bytes, Frame};
use kube::{Client, client};
use serde_json::{Value, json};
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};
use tonic::body::Body;

/// The namespace of the tests.
pub const NAMESPACE: &str = "browse";

/// The API server.
pub struct ApiServer {
    state: Mutex<State>,
    versions: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    /// The objects by path.
    objects: BTreeMap<String, Value>,
    /// What happened: the version, the kind of the event, and the object with its collection.
    events: Vec<(u64, &'static str, String, Value)>,
    version: u64,
}

/// The path of a collection of the core API.
pub fn core(plural: &str) -> String {
    format!("/api/v1/namespaces/{NAMESPACE}/{plural}")
}

/// The path of a collection of another group.
pub fn of_group(group: &str, plural: &str) -> String {
    format!("/apis/{group}/namespaces/{NAMESPACE}/{plural}")
}

impl ApiServer {
    pub fn new() -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), versions: watch::Sender::new(0) })
    }

    /// A client of this server.
    pub fn client(self: &Arc<Self>) -> Client {
        let server = Arc::clone(self);
        let service = tower::service_fn(move |request: Request<client::Body>| {
            let server = Arc::clone(&server);
            async move { server.serve(request).await }
        });
        Client::new(service, NAMESPACE)
    }

    /// Each change.
    pub fn versions(&self) -> watch::Receiver<u64> {
        self.versions.subscribe()
    }

    /// The objects of a collection.
    pub fn list(&self, collection: &str) -> Vec<Value> {
        let state = self.lock();
        let of_it = state.objects.iter().filter(|(path, _)| collection_of(path) == collection);
        of_it.map(|(_, object)| object.clone()).collect()
    }

    /// The object of this name.
    pub fn get(&self, collection: &str, name: &str) -> Option<Value> {
        self.lock().objects.get(&format!("{collection}/{name}")).cloned()
    }

    /// Puts an object there; it gets a uid when it has none.
    pub fn put(&self, collection: &str, object: Value) -> Value {
        self.change(|state| state.store(collection, object))
    }

    /// Changes an object, if it is there.
    pub fn patch(&self, collection: &str, name: &str, patch: Value) {
        self.change(|state| {
            let known = state.objects.get(&format!("{collection}/{name}")).cloned();
            if let Some(mut object) = known {
                merge(&mut object, patch);
                state.store(collection, object);
            }
        });
    }

    /// Removes an object.
    pub fn remove(&self, collection: &str, name: &str) {
        self.change(|state| state.remove(collection, name));
    }

    async fn serve(
        self: Arc<Self>,
        request: Request<client::Body>,
    ) -> Result<Response<Body>, Box<dyn Error + Send + Sync>> {
        let (parts, body) = request.into_parts();
        let query = parts.uri.query().unwrap_or_default();
        let parameter = |name: &str| {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.filter(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).next()
        };
        let path = parts.uri.path().to_owned();
        if parameter("watch").as_deref() == Some("true") {
            let number = |name: &str| parameter(name).and_then(|text| text.parse::<u64>().ok());
            let time = Duration::from_secs(number("timeoutSeconds").unwrap_or(30));
            let version = number("resourceVersion").unwrap_or_default();
            return Ok(Response::new(self.watch(path, version, time)));
        }
        let bytes = body.collect_bytes().await?;
        let body = match bytes.is_empty() {
            true => Value::Null,
            false => serde_json::from_slice(&bytes)?,
        };
        let (status, answer) = self.change(|state| state.answer(&parts.method, &path, body));
        let mut response = Response::new(Body::new(Full::from(answer.to_string())));
        *response.status_mut() = StatusCode::from_u16(status)?;
        Ok(response)
    }

    /// Sends what happens in a collection after `version`, for `time`.
    fn watch(self: Arc<Self>, collection: String, version: u64, time: Duration) -> Body {
        let until = Instant::now() + time;
        let versions = self.versions();
        let state = (self, versions, version);
        let frames = futures::stream::unfold(state, move |(server, mut versions, version)| {
            let collection = collection.clone();
            async move {
                loop {
                    // Before the look: what comes after it is a change again.
                    versions.mark_unchanged();
                    let (lines, newest) = server.events_since(&collection, version);
                    if !lines.is_empty() {
                        let frame = Frame::data(Bytes::from(lines));
                        return Some((Ok::<_, Infallible>(frame), (server, versions, newest)));
                    }
                    match timeout_at(until, versions.changed()).await {
                        Ok(Ok(())) => {}
                        _ => return None,
                    }
                }
            }
        });
        Body::new(StreamBody::new(frames))
    }

    fn events_since(&self, collection: &str, version: u64) -> (String, u64) {
        let state = self.lock();
        let new = state.events.iter().filter(|(at, _, of, _)| *at > version && of == collection);
        let line = |(_, kind, _, object): &(u64, &str, String, Value)| -> String {
            format!("{}\n", json!({ "type": kind, "object": object }))
        };
        (new.map(line).collect(), state.version)
    }

    fn change<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.lock();
        let result = change(&mut state);
        let version = state.version;
        drop(state);
        self.versions.send_if_modified(|known| {
            let is_newer = version > *known;
            *known = version.max(*known);
            is_newer
        });
        result
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }
}

impl State {
    fn answer(&mut self, method: &Method, path: &str, body: Value) -> (u16, Value) {
        if *method == Method::POST {
            let name = body["metadata"]["name"].as_str().unwrap_or_default();
            return match self.objects.contains_key(&format!("{path}/{name}")) {
                true => failure(409, "AlreadyExists"),
                false => (201, self.store(path, body)),
            };
        }
        // A collection has one word less behind the namespace.
        let is_collection = path.rsplit('/').nth(1) == Some(NAMESPACE);
        if is_collection {
            let of_it = self.objects.iter().filter(|(known, _)| collection_of(known) == path);
            let items: Vec<&Value> = of_it.map(|(_, object)| object).collect();
            let version = json!({ "resourceVersion": self.version.to_string() });
            let list = json!({
                "apiVersion": "v1", "kind": "List", "metadata": version, "items": items,
            });
            return (200, list);
        }
        let Some(current) = self.objects.get(path).cloned() else {
            return failure(404, "NotFound");
        };
        let collection = collection_of(path).to_owned();
        match *method {
            Method::GET => (200, current),
            Method::PUT if is_current(&body["metadata"], &current) => {
                (200, self.store(&collection, body))
            }
            Method::PATCH if is_current(&body["metadata"], &current) => {
                let mut object = current;
                merge(&mut object, body);
                (200, self.store(&collection, object))
            }
            Method::DELETE if is_current(&body["preconditions"], &current) => {
                if body["propagationPolicy"] == "Foreground" {
                    let mut object = current;
                    object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
                    return (200, self.store(&collection, object));
                }
                let name = current["metadata"]["name"].as_str().unwrap_or_default().to_owned();
                self.remove(&collection, &name);
                (200, current)
            }
            _ => failure(409, "Conflict"),
        }
    }

    fn store(&mut self, collection: &str, mut object: Value) -> Value {
        self.version += 1;
        let metadata = &mut object["metadata"];
        metadata["resourceVersion"] = self.version.to_string().into();
        if metadata["uid"].is_null() {
            metadata["uid"] = format!("uid-{}", self.version).into();
        }
        let name = metadata["name"].as_str().unwrap_or_default();
        let path = format!("{collection}/{name}");
        let known = self.objects.insert(path, object.clone());
        let kind = if known.is_some() { "MODIFIED" } else { "ADDED" };
        self.events.push((self.version, kind, collection.to_owned(), object.clone()));
        object
    }

    fn remove(&mut self, collection: &str, name: &str) {
        let Some(mut object) = self.objects.remove(&format!("{collection}/{name}")) else { return };
        self.version += 1;
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
        self.events.push((self.version, "DELETED", collection.to_owned(), object));
    }
}

fn collection_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(collection, _)| collection)
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
