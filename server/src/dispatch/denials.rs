//! Puts what was denied to callers elsewhere on record.

use std::net::IpAddr;

use browse_proto::{Code, Reason};

use super::Context;
use crate::{
    daemon::Daemon,
    error::Error,
    policy::{ClientId, Kind},
    records::{self, Attempts, Surface},
};

/// Records that the call of `cx` failed, when that was a denial to somebody
/// elsewhere.
pub fn of_call(cx: &Context, error: &Error) {
    if cx.capability().kind != Kind::Paired && cx.capability().kind != Kind::Stranger {
        return;
    }
    let denies = matches!(
        error.reason().rule().code,
        Code::PermissionDenied | Code::Unauthenticated | Code::ResourceExhausted
    );
    // What may leave a site is recorded where that is decided.
    if denies && error.reason() != Reason::EgressDenied {
        let client = Some(cx.client()).filter(|_| cx.capability().kind == Kind::Paired);
        let host = error.metadata().get("url").and_then(|url| url::Url::parse(url).ok());
        let host = host.as_ref().and_then(|url| url.host_str()).unwrap_or_default();
        write(cx.daemon(), error.reason(), client, cx.peer(), host);
    }
}

/// Records a call that came no further than the gate.
pub fn at_gate(daemon: &Daemon, reason: Reason, client: Option<&ClientId>, peer: Option<IpAddr>) {
    write(daemon, reason, client, peer, "");
}

/// What a connection is on record as that was ended because its calls were
/// reset faster than they were looked at.
pub const RAPID_RESETS: &str = "RAPID_RESETS";

/// Records that a connection from `peer` was ended for what it did: `reason` is
/// no error, for there is no call to answer.
pub fn of_connection(attempts: &Attempts, reason: &str, peer: IpAddr) {
    attempts.note(Surface::Tunnel, reason, peer.to_string().as_bytes(), "");
}

fn write(
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
    records::attempt(daemon, Surface::Tunnel, reason.name(), source.as_bytes(), host);
}
