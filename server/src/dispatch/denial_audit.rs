//! Puts what was denied to remote callers on record.

use std::net::IpAddr;

use browse_proto::{Code, Reason};

use super::CallContext;
use crate::daemon::Daemon;
use browse_base::Error;
use browse_policy::{ClientId, ClientKind, Listener};
use browse_records::SecuritySurface;

/// Records that the call of `cx` failed, when that was a denial to somebody
/// somewhere else.
pub fn record_denied_call(cx: &CallContext, error: &Error) {
    if cx.listener() != Listener::Tunnel {
        return;
    }
    let denies = matches!(
        error.reason().rule().code,
        Code::PermissionDenied | Code::Unauthenticated | Code::ResourceExhausted
    );
    // What may leave a site is recorded where that is decided.
    if denies && error.reason() != Reason::EgressDenied {
        let client = Some(cx.client()).filter(|_| cx.capability().kind != ClientKind::Anonymous);
        let host = error.metadata().get("url").and_then(|url| url::Url::parse(url).ok());
        let host = host.as_ref().and_then(|url| url.host_str()).unwrap_or_default();
        record_denial(cx.daemon(), error.reason(), client, cx.peer(), host);
    }
}

/// Records a call that came no further than the gate.
pub fn record_refused_at_gate(
    daemon: &Daemon,
    reason: Reason,
    client: Option<&ClientId>,
    peer: Option<IpAddr>,
) {
    record_denial(daemon, reason, client, peer, "");
}

fn record_denial(
    daemon: &Daemon,
    reason: Reason,
    client: Option<&ClientId>,
    peer: Option<IpAddr>,
    host: &str,
) {
    // A name says more than an address, which may be that of a tunnel.
    let source = match (client, peer) {
        (Some(client), _) => client.to_string(),
        (None, Some(peer)) => peer.to_string(),
        (None, None) => "unknown".to_owned(),
    };
    daemon.attempts().record(SecuritySurface::Tunnel, reason.name(), source.as_bytes(), host);
}
