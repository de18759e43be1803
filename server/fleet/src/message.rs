//! What the gateway asks pods and other replicas of the gateway: JSON over HTTP, by mutual TLS.

use serde::{Deserialize, Serialize};

use crate::name::{PodUid, Tenant};

/// Makes a token for a caller: `POST` of a [`TokenRequest`], answers a [`TokenResponse`]. A pod of
/// nobody belongs to the tenant from then on.
pub const TOKEN_PATH: &str = "/fleet/v1/token";

/// How a pod is: `GET`, answers a [`PodStatus`].
pub const STATUS_PATH: &str = "/fleet/v1/status";

/// Closes a session: `POST` of a [`CloseRequest`], answers a [`PodStatus`].
pub const CLOSE_PATH: &str = "/fleet/v1/close";

/// Takes no new sessions from now on: `POST`, answers a [`PodStatus`].
pub const DRAIN_PATH: &str = "/fleet/v1/drain";

/// Asks the leading replica for a place: `POST` of a [`PlaceRequest`], answers a
/// [`PlaceResponse`].
pub const PLACE_PATH: &str = "/gate/v1/place";

/// Tells the leading replica that a session has ended: `POST` of a [`ReleaseRequest`].
pub const RELEASE_PATH: &str = "/gate/v1/release";

/// Asks the leading replica whether the loss of a session was reported: `POST` of a [`LostRequest`],
/// answers a [`LostResponse`].
pub const LOST_PATH: &str = "/gate/v1/lost";

/// Where a client of the DevTools protocol connects: `GET` with an upgrade to a WebSocket, at a pod
/// and at the gateway. Below it, the gateway takes the name of a session, or the uid of a pod and
/// the capability of an address; a pod takes the capability alone.
pub const DEVTOOLS_PATH: &str = "/cdp";

/// Header of a call that gives out an address for clients of the DevTools protocol: where clients
/// reach the pod by the gateway, such as `wss://browse.example.com/cdp/<uid>`.
pub const ADDRESS_HEADER: &str = "browse-fleet-address";

/// Header with the seconds for which the token of the caller is still good; absent where the token
/// has no end.
pub const LIFETIME_HEADER: &str = "browse-fleet-lifetime";

/// Header with the tenant that a call is for.
pub const TENANT_HEADER: &str = "browse-fleet-tenant";

/// Header with the uid of the pod that a call is for.
pub const POD_HEADER: &str = "browse-fleet-pod";

/// Header of a response of a pod that did nothing, because the session has moved: another pod can
/// restore it.
pub const MOVED_HEADER: &str = "browse-fleet-moved";

/// Header of an answer of a pod that is not the one, or not of the tenant, that the call is for, or
/// that does not take its token any more. It has done nothing.
pub const MISMATCH_HEADER: &str = "browse-fleet-mismatch";

/// How a pod is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodStatus {
    /// Its uid.
    pub pod: PodUid,
    /// Whose it is; none until it is assigned.
    pub tenant: Option<Tenant>,
    /// Sessions that are open; `default` when it has a tab.
    pub sessions: Vec<SessionStatus>,
    /// Sessions that it holds at most.
    pub capacity: usize,
    /// Calls in flight, those of people who watch included: they say nothing of its use.
    pub calls: usize,
    /// Whether its browser runs.
    pub is_ready: bool,
    /// Whether it takes no new sessions.
    pub is_draining: bool,
    /// Whether its daemon was started anew after the pod was given to a tenant: it has lost what
    /// it had, and takes nobody.
    #[serde(default)]
    pub is_spent: bool,
}

/// How a session is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionStatus {
    /// Its name.
    pub name: String,
    /// Seconds since its last call; 0 while a call acts in it or a person holds it.
    pub idle_s: u64,
}

/// Closes a session that nobody uses.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CloseRequest {
    /// The pod that is meant.
    pub pod: PodUid,
    /// The session.
    pub session: String,
}

/// Which session a token is good for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionScope {
    /// Every session of the tenant.
    Any,
    /// This one alone.
    Only(String),
}

/// As what a caller acts at a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallerRole {
    /// A program, or an agent.
    #[default]
    Program,
    /// A person at a dashboard, who takes sessions over and decides what leaves.
    Person,
}

/// Asks for a token of a pod.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TokenRequest {
    /// Whose the caller is.
    pub tenant: Tenant,
    /// The pod that is meant.
    pub pod: PodUid,
    /// The caller, as the token at the edge names it.
    pub subject: String,
    /// What it may do: read, write, meta, admin, control.
    pub scopes: Vec<String>,
    /// Where.
    pub session: SessionScope,
    /// Hosts of the skill that calls, `*` for all that the pod visits; none of another caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_hosts: Option<Vec<String>>,
    /// As what. A gateway of before does not send it.
    #[serde(default)]
    pub role: CallerRole,
}

/// A token of a pod.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TokenResponse {
    /// The token. The daemon ends it with itself.
    pub token: String,
    /// Seconds that it is good for.
    pub lifetime_s: u64,
    /// Whether it is held to the hosts of a skill. A pod of an older version does not know of them.
    #[serde(default)]
    pub is_of_skill: bool,
}

/// Asks for a place for a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlaceRequest {
    /// Whose session it is.
    pub tenant: Tenant,
    /// Its name.
    pub session: String,
    /// What the tenant may have.
    pub quota: TenantQuota,
    /// Milliseconds that the caller waits.
    pub wait_ms: u64,
    /// A pod that the session has moved from: the place that it has there is given back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<PodUid>,
}

/// What a tenant may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TenantQuota {
    /// Sessions at a time.
    pub sessions: usize,
    /// New sessions a minute.
    pub sessions_per_minute: u32,
    /// Callers that wait for a place.
    pub queue: usize,
}

impl Default for TenantQuota {
    fn default() -> Self {
        Self { sessions: 20, sessions_per_minute: 120, queue: 100 }
    }
}

/// The pod of a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlaceResponse {
    /// The uid of the pod.
    pub pod: PodUid,
}

/// A session has ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReleaseRequest {
    /// Whose it was.
    pub tenant: Tenant,
    /// Its name.
    pub session: String,
}

/// A caller is about to be answered that a session was lost with its pod.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LostRequest {
    /// Whose it was.
    pub tenant: Tenant,
    /// Its name.
    pub session: String,
    /// The pod that it was lost with.
    pub pod: PodUid,
    /// The replica that asks: a number of its own. It may ask again, when its caller went away.
    #[serde(default)]
    pub replica: u64,
}

/// Whether a caller was answered so before.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct LostResponse {
    /// Whether this is the first report of the loss.
    pub is_first: bool,
}
