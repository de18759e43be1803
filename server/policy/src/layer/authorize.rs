//! Token to grant, path to method, both to a permit.

use std::{net::IpAddr, num::NonZeroU32, sync::Arc};

use browse_proto::{Reason, Scope};
use governor::{
    DefaultKeyedRateLimiter, Quota,
    clock::{Clock as _, DefaultClock},
};
use http::{Request, header};
use tonic::body::Body;

use super::filter::RequestCheck;
use crate::{Authority, CallMethod, ClientKind, Listener, check, rate};
use browse_base::{Error, HINT_KEY, Result};

/// Failures a second that one peer may cause before it is asked to wait.
const MAX_FAILURES_PER_SECOND: NonZeroU32 = NonZeroU32::new(20).expect("20 is not 0");

/// Peers that are remembered before those at rest are forgotten.
const MAX_TRACKED_PEERS: usize = 4096;

/// Who is at the other end of the connection.
#[derive(Clone, Copy, Debug)]
pub struct PeerAddress(pub IpAddr);

/// The check that turns a token and a path into a permit.
pub struct AuthorizeCheck {
    authority: Arc<Authority>,
    listener: Listener,
    failures: DefaultKeyedRateLimiter<Option<IpAddr>>,
}

impl AuthorizeCheck {
    /// The check of one listener.
    pub fn new(authority: Arc<Authority>, listener: Listener) -> Self {
        let failures = DefaultKeyedRateLimiter::keyed(Quota::per_second(MAX_FAILURES_PER_SECOND));
        Self { authority, listener, failures }
    }

    /// Counts a failed authentication; who causes too many learns no more
    /// than that. Callers with a good token are never held up by it.
    fn count_failure(&self, peer: Option<IpAddr>, error: Error) -> Error {
        let error = match self.listener {
            Listener::Local | Listener::Skills | Listener::Dashboard | Listener::Gateway => error,
            Listener::Tunnel => with_remote_hint(error),
        };
        if self.failures.len() > MAX_TRACKED_PEERS {
            self.failures.retain_recent();
        }
        match self.failures.check_key(&peer) {
            Ok(()) => error,
            Err(until) => {
                let wait = until.wait_time_from(DefaultClock::default().now());
                rate::rate_limited(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1))
            }
        }
    }
}

impl RequestCheck for AuthorizeCheck {
    fn check(&self, request: &mut Request<Body>) -> Result<()> {
        let method = CallMethod::by_path(request.uri().path());
        let open = method.filter(|method| method.scope() == Scope::Public);
        match (open, self.listener) {
            (Some(CallMethod::Standard(_)), Listener::Local | Listener::Skills) => return Ok(()),
            // What an anonymous caller has to show is in the message.
            (Some(CallMethod::Command(command)), Listener::Tunnel) => {
                request.headers_mut().remove(header::AUTHORIZATION);
                let permit =
                    check::check(self.authority.anonymous_grant(), command, self.listener)?;
                request.extensions_mut().insert(permit);
                return Ok(());
            }
            _ => {}
        }
        let peer = request.extensions().get::<PeerAddress>().map(|peer| peer.0);
        let grant = bearer_token(request)
            .and_then(|token| self.authority.identify(token.as_deref(), self.listener))
            .map_err(|error| self.count_failure(peer, error))?;
        // No handler and no log needs the token from here on.
        request.headers_mut().remove(header::AUTHORIZATION);
        request.extensions_mut().insert(Arc::clone(&grant));
        match (method, self.listener) {
            (Some(CallMethod::Command(command)), _) => {
                let permit = check::check(&grant, command, self.listener);
                let permit = permit.map_err(|error| match self.listener {
                    Listener::Local
                    | Listener::Skills
                    | Listener::Dashboard
                    | Listener::Gateway => error,
                    Listener::Tunnel => with_scope_hint(error, grant.capability().kind),
                })?;
                request.extensions_mut().insert(permit);
                Ok(())
            }
            (Some(method), _) => check::check_allowed(&grant, method, self.listener),
            (None, Listener::Tunnel) => Err(Error::new(
                Reason::TunnelDenied,
                "the method cannot be called through a tunnel",
            )),
            (
                None,
                Listener::Local | Listener::Skills | Listener::Dashboard | Listener::Gateway,
            ) => {
                let path = request.uri().path();
                Err(Error::new(
                    Reason::MethodUnknown,
                    format!("`{}` is not a method", browse_base::quote(path)),
                ))
            }
        }
    }
}

/// The same error with what a remote caller can do: it has no state file.
fn with_remote_hint(error: Error) -> Error {
    match error.reason() {
        Reason::TokenMissing => error.with(
            HINT_KEY,
            "Send `authorization: Bearer <token>`: the token is in the answer to the setup key",
        ),
        Reason::TokenInvalid => error.with(
            HINT_KEY,
            "It was revoked, has ended, or never was one: ask the owner for a new pairing block, \
             and redeem that",
        ),
        _ => error,
    }
}

/// The same error with how the owner pairs a caller again that lacks a scope.
fn with_scope_hint(error: Error, kind: ClientKind) -> Error {
    if error.reason() != Reason::ScopeDenied {
        return error;
    }
    let scope = error.metadata().get("required").cloned().unwrap_or_default();
    let flags = match kind {
        ClientKind::Dashboard => "--dashboard --scope read,write,meta",
        _ => "--scope read,write",
    };
    let again = format!("`browse pair new <name> {flags},{scope}`");
    error.with(HINT_KEY, format!("Ask the owner to pair you again with the scope: {again}"))
}

/// The token of a call: `authorization: Bearer <token>`, once.
///
/// # Errors
/// `TOKEN_INVALID`: the header is another, or is repeated.
pub fn bearer_token<B>(request: &Request<B>) -> Result<Option<String>> {
    let malformed =
        || Error::new(Reason::TokenInvalid, "the `authorization` entry is not `Bearer <token>`");
    let mut entries = request.headers().get_all(header::AUTHORIZATION).iter();
    let Some(entry) = entries.next() else { return Ok(None) };
    if entries.next().is_some() {
        return Err(malformed());
    }
    let entry = entry.to_str().map_err(|_| malformed())?;
    let (scheme, token) = entry.split_once(' ').ok_or_else(malformed)?;
    let bearer = scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty();
    if bearer { Ok(Some(token.trim().to_owned())) } else { Err(malformed()) }
}
