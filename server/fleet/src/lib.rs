//! What `browse-gate` and the pods of a fleet agree on.
//!
//! A pod is one `browsed --pod`. It belongs to no tenant until the gateway assigns it to one,
//! once: afterwards it takes calls for that tenant alone. The gateway reaches it by mutual TLS
//! and sends two headers with each call, so that a call that was meant for another pod at the
//! same address, or for another tenant, is refused.

mod call_spans;
mod message;
mod name;
mod placed;
mod tls;
mod trace_parent;

pub use call_spans::{
    CallSpans, MAX_PHASES, MAX_REQUESTS, MAX_SPANS_BYTES, PhaseSpan, RequestSpan,
    SPAN_HOSTS_HEADER, SPANS_HEADER, known_method,
};
pub use message::{
    ADDRESS_HEADER, CLOSE_PATH, CallerRole, CloseRequest, DEVTOOLS_PATH, DRAIN_PATH,
    LIFETIME_HEADER, LOST_PATH, LostRequest, LostResponse, MISMATCH_HEADER, MOVED_HEADER,
    PLACE_PATH, POD_HEADER, PlaceRequest, PlaceResponse, PodStatus, RELEASE_PATH, ReleaseRequest,
    STATUS_PATH, SessionScope, SessionStatus, TENANT_HEADER, TOKEN_PATH, TenantQuota, TokenRequest,
    TokenResponse,
};
pub use name::{PodUid, SessionKey, Tenant};
pub use placed::opens_on_demand;
pub use tls::{FleetIdentity, GATE_NAME, POD_NAME};
pub use trace_parent::{SpanId, TraceId, TraceParent};
