//! The controller of agent-sandbox, played, with what Kubernetes does for it.
//!
//! It follows what is published of v1beta1 (`docs/api.md` and the controllers of
//! <https://github.com/kubernetes-sigs/agent-sandbox>), as far as the gateway meets it: a warm pool
//! has as many sandboxes as it should, each with a pod of its name; a claim gets a sandbox of the
//! pool, which belongs to it before the status of the claim names it, and when the pool is empty a
//! sandbox with the name of the claim is made; the pod of a claim has the label
//! `agents.x-k8s.io/claim-uid`; a sandbox whose pod has gone gets another one of the same name.
//! Objects go with their owners. A claim that is deleted in the foreground is there until its
//! sandbox and its pod have gone.

use std::{
    collections::HashMap,
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
};

use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::Notify};
use tokio_util::sync::CancellationToken;

use super::api::{ApiServer, core, of_group};
use crate::support::FakePod;

const CORE: &str = "agents.x-k8s.io/v1beta1";
const EXTENSIONS: &str = "extensions.agents.x-k8s.io/v1beta1";
const CLAIM_UID: &str = "agents.x-k8s.io/claim-uid";

/// Worlds so far: each has addresses of its own, because all pods have one port.
static WORLDS: AtomicU8 = AtomicU8::new(1);

/// The controller.
pub struct Controller {
    api: Arc<ApiServer>,
    identity: PathBuf,
    world: u8,
    /// The port of all pods.
    pub port: u16,
    next: AtomicU8,
    /// The pods that run, by uid.
    pods: Mutex<HashMap<String, FakePod>>,
    is_paused: AtomicBool,
    resumed: Notify,
}

/// The collection of the claims.
pub fn claims() -> String {
    of_group(EXTENSIONS, "sandboxclaims")
}

/// The collection of the sandboxes.
pub fn sandboxes() -> String {
    of_group(CORE, "sandboxes")
}

/// The collection of the warm pools.
pub fn pools() -> String {
    of_group(EXTENSIONS, "sandboxwarmpools")
}

/// The collection of the pods.
pub fn pods() -> String {
    core("pods")
}

impl Controller {
    /// Plays the controller until `done`. Pods have the certificate in `identity`.
    pub async fn start(
        api: Arc<ApiServer>,
        identity: PathBuf,
        done: CancellationToken,
    ) -> Arc<Self> {
        let world = WORLDS.fetch_add(1, Ordering::Relaxed);
        let first =
            TcpListener::bind(SocketAddr::from((address(world, 1), 0))).await.expect("a port");
        let port = first.local_addr().expect("an address").port();
        let controller = Arc::new(Self {
            api,
            identity,
            world,
            port,
            next: AtomicU8::new(1),
            pods: Mutex::default(),
            is_paused: AtomicBool::new(false),
            resumed: Notify::new(),
        });
        tokio::spawn(Arc::clone(&controller).run(done));
        controller
    }

    /// Whether nothing is done for claims, pools and sandboxes.
    pub fn set_paused(&self, is_paused: bool) {
        self.is_paused.store(is_paused, Ordering::SeqCst);
        self.resumed.notify_one();
    }

    /// Sets the size of the pool.
    pub fn scale(&self, replicas: usize) {
        let spec = json!({ "replicas": replicas });
        let pool = json!({ "metadata": { "name": "browse-pool" }, "spec": spec });
        match self.api.get(&pools(), "browse-pool") {
            Some(_) => self.api.patch(&pools(), "browse-pool", json!({ "spec": spec })),
            None => drop(self.api.put(&pools(), pool)),
        }
    }

    /// Whose the pod of this uid is.
    pub fn tenant_of(&self, uid: &str) -> Option<String> {
        self.pods.lock().expect("no panic").get(uid).and_then(FakePod::tenant)
    }

    async fn run(self: Arc<Self>, done: CancellationToken) {
        let mut versions = self.api.versions();
        loop {
            versions.mark_unchanged();
            self.collect_garbage();
            if !self.is_paused.load(Ordering::SeqCst) {
                self.reconcile().await;
            }
            tokio::select! {
                _ = versions.changed() => {}
                () = self.resumed.notified() => {}
                () = done.cancelled() => return,
            }
        }
    }

    /// Removes objects whose owner has gone, or is deleted in the foreground.
    fn collect_garbage(&self) {
        let (known, of_pools) = (self.api.list(&claims()), self.api.list(&pools()));
        let stays = |object: &&Value| !is_ending(object);
        let owners: Vec<Value> = known.iter().chain(&of_pools).filter(stays).map(uid).collect();
        let mut kept = Vec::new();
        for sandbox in self.api.list(&sandboxes()) {
            match owners.contains(&owner(&sandbox)) {
                true => kept.push(uid(&sandbox)),
                false => self.api.remove(&sandboxes(), name(&sandbox)),
            }
        }
        for pod in self.api.list(&pods()) {
            if !kept.contains(&owner(&pod)) {
                self.end_pod(&pod);
            }
        }
        // Their sandboxes and pods have gone by now.
        for claim in known.iter().filter(|claim| is_ending(claim)) {
            self.api.remove(&claims(), name(claim));
        }
    }

    /// Ends a pod, as when somebody has deleted it by force.
    pub fn end_pod(&self, pod: &Value) {
        self.api.remove(&pods(), name(pod));
        self.pods.lock().expect("no panic").remove(uid(pod).as_str().unwrap_or_default());
    }

    async fn reconcile(&self) {
        for claim in self.api.list(&claims()) {
            let sandbox = claim["status"]["sandbox"]["name"].as_str();
            let is_bound = sandbox.is_some_and(|name| self.api.get(&sandboxes(), name).is_some());
            if !is_ending(&claim) && !is_bound {
                self.bind(&claim);
            }
        }
        for pool in self.api.list(&pools()) {
            let size = pool["spec"]["replicas"].as_u64().unwrap_or_default();
            let owned = self.api.list(&sandboxes());
            let count = owned.iter().filter(|sandbox| owner(sandbox) == uid(&pool)).count() as u64;
            for _ in count..size {
                let number = self.next.fetch_add(1, Ordering::Relaxed);
                self.make_sandbox(&format!("{}-{number}", name(&pool)), &pool);
            }
        }
        for sandbox in self.api.list(&sandboxes()) {
            self.keep_pod(&sandbox).await;
        }
    }

    /// Gives a claim a sandbox of its pool, or makes one.
    fn bind(&self, claim: &Value) {
        let Some(pool) = claim["spec"]["warmPoolRef"]["name"].as_str() else { return };
        let Some(pool) = self.api.get(&pools(), pool) else {
            let condition = json!({
                "type": "Ready", "status": "False", "reason": "WarmPoolNotFound",
                "message": "the pool does not exist",
            });
            if claim["status"]["conditions"][0] != condition {
                let status = json!({ "status": { "conditions": [condition] } });
                self.api.patch(&claims(), name(claim), status);
            }
            return;
        };
        let warm = self.api.list(&sandboxes());
        let warm = warm.into_iter().find(|sandbox| owner(sandbox) == uid(&pool));
        let sandbox = match warm {
            Some(sandbox) => {
                let adopted = json!({ "metadata": { "ownerReferences": [reference(claim)] } });
                self.api.patch(&sandboxes(), name(&sandbox), adopted);
                name(&sandbox).to_owned()
            }
            None => {
                self.make_sandbox(name(claim), claim);
                name(claim).to_owned()
            }
        };
        let status = json!({ "status": { "sandbox": { "name": sandbox } } });
        self.api.patch(&claims(), name(claim), status);
    }

    fn make_sandbox(&self, name: &str, owner: &Value) {
        let metadata = json!({ "name": name, "ownerReferences": [reference(owner)] });
        self.api.put(&sandboxes(), json!({ "kind": "Sandbox", "metadata": metadata }));
    }

    /// Starts the pod of a sandbox, or writes on it whose it is.
    async fn keep_pod(&self, sandbox: &Value) {
        let of_claim = sandbox["metadata"]["ownerReferences"][0]["kind"] == "SandboxClaim";
        let label = if of_claim { owner(sandbox) } else { Value::Null };
        if let Some(pod) = self.api.get(&pods(), name(sandbox)) {
            if pod["metadata"]["labels"][CLAIM_UID] != label {
                let labels = json!({ "metadata": { "labels": { CLAIM_UID: label } } });
                self.api.patch(&pods(), name(sandbox), labels);
            }
            return;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (uid, ip) = (format!("pod-{}-{number}", self.world), address(self.world, number));
        let address = SocketAddr::from((ip, self.port));
        let pod = FakePod::start(name(sandbox), &uid, &self.identity, address).await;
        self.pods.lock().expect("no panic").insert(uid.clone(), pod);
        let mut labels = json!({ "browse.dev/pod": "browse" });
        if of_claim {
            labels[CLAIM_UID] = label;
        }
        let ip = std::net::Ipv4Addr::from(ip).to_string();
        let pod = json!({
            "metadata": {
                "name": name(sandbox), "uid": uid, "labels": labels,
                "ownerReferences": [reference(sandbox)],
            },
            "status": {
                "phase": "Running", "podIP": ip,
                "conditions": [{ "type": "Ready", "status": "True" }],
            },
        });
        self.api.put(&pods(), pod);
    }
}

fn address(world: u8, number: u8) -> [u8; 4] {
    [127, 88, world, number]
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().expect("each has a name")
}

fn uid(object: &Value) -> Value {
    object["metadata"]["uid"].clone()
}

fn is_ending(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

/// The uid of the owner that controls an object.
fn owner(object: &Value) -> Value {
    let owners = object["metadata"]["ownerReferences"].as_array();
    let controller = owners.into_iter().flatten().find(|owner| owner["controller"] == true);
    controller.map_or(Value::Null, |owner| owner["uid"].clone())
}

/// A reference to the owner that controls an object.
fn reference(object: &Value) -> Value {
    let kind = match object["kind"].as_str() {
        Some("Sandbox") => "Sandbox",
        Some("SandboxClaim") => "SandboxClaim",
        _ => "SandboxWarmPool",
    };
    let version = if kind == "Sandbox" { CORE } else { EXTENSIONS };
    json!({
        "apiVersion": version, "kind": kind, "name": name(object), "uid": uid(object),
        "controller": true, "blockOwnerDeletion": true,
    })
}
