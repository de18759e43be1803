//! Token to grant, path to method, both to a permit.

use std::{net::IpAddr, num::NonZeroU32, sync::Arc};

use browse_proto::{Reason, Scope};
use governor::{
    DefaultKeyedRateLimiter, Quota,
    clock::{Clock as _, DefaultClock},
};
use http::{Request, header};
use tonic::body::Body;

use super::filter::Check;
use crate::{
    error::{Error, HINT, Result},
    policy::{Authority, Listener, Method, check, rate},
};

/// Failures a second that one peer may cause before it is told to wait.
const FAILURES: NonZeroU32 = NonZeroU32::new(20).expect("20 is not 0");

/// Peers that are remembered before those at rest are forgotten.
const PEERS: usize = 4096;

/// Who is at the other end of the connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// The check that turns a token and a path into a permit.
pub struct Authorize {
    authority: Arc<Authority>,
    listener: Listener,
    failures: DefaultKeyedRateLimiter<Option<IpAddr>>,
}

impl Authorize {
    /// The check of one listener.
    pub fn new(authority: Arc<Authority>, listener: Listener) -> Self {
        let failures = DefaultKeyedRateLimiter::keyed(Quota::per_second(FAILURES));
        Self { authority, listener, failures }
    }

    /// Counts a failed authentication; who causes too many learns no more
    /// than that. Callers with a good token are never held up by it.
    fn failed(&self, peer: Option<IpAddr>, error: Error) -> Error {
        let error = match self.listener {
            Listener::Local | Listener::Skills => error,
            Listener::Tunnel => elsewhere(error),
        };
        if self.failures.len() > PEERS {
            self.failures.retain_recent();
        }
        match self.failures.check_key(&peer) {
            Ok(()) => error,
            Err(until) => {
                let wait = until.wait_time_from(DefaultClock::default().now());
                rate::limited(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1))
            }
        }
    }
}

impl Check for Authorize {
    fn check(&self, request: &mut Request<Body>) -> Result<()> {
        let method = Method::by_path(request.uri().path());
        let open = method.filter(|method| method.scope() == Scope::Public);
        match (open, self.listener) {
            (Some(Method::Standard(_)), Listener::Local | Listener::Skills) => return Ok(()),
            // What a stranger has to show is in the message.
            (Some(Method::Command(command)), Listener::Tunnel) => {
                request.headers_mut().remove(header::AUTHORIZATION);
                let permit = check::check(self.authority.stranger(), command, self.listener)?;
                request.extensions_mut().insert(permit);
                return Ok(());
            }
            _ => {}
        }
        let peer = request.extensions().get::<Peer>().map(|peer| peer.0);
        let grant = bearer(request)
            .and_then(|token| self.authority.identify(token.as_deref(), self.listener))
            .map_err(|error| self.failed(peer, error))?;
        // No handler and no log needs the token from here on.
        request.headers_mut().remove(header::AUTHORIZATION);
        request.extensions_mut().insert(Arc::clone(&grant));
        match (method, self.listener) {
            (Some(Method::Command(command)), _) => {
                let permit = check::check(&grant, command, self.listener);
                let permit = permit.map_err(|error| match self.listener {
                    Listener::Local | Listener::Skills => error,
                    Listener::Tunnel => elsewhere(error),
                })?;
                request.extensions_mut().insert(permit);
                Ok(())
            }
            (Some(method), _) => check::allow(&grant, method, self.listener),
            (None, Listener::Tunnel) => Err(Error::new(
                Reason::TunnelDenied,
                "the method cannot be called through a tunnel",
            )),
            (None, Listener::Local | Listener::Skills) => {
                let path = request.uri().path();
                Err(Error::new(
                    Reason::MethodUnknown,
                    format!("`{}` is no method", crate::error::quote(path)),
                ))
            }
        }
    }
}

/// The same error with what a caller elsewhere can do: it has no state file.
fn elsewhere(error: Error) -> Error {
    match error.reason() {
        Reason::TokenMissing => error.with(
            HINT,
            "Send `authorization: Bearer <token>`: the token is in the answer to the setup key",
        ),
        Reason::TokenInvalid => error.with(
            HINT,
            "It was revoked, has ended, or never was one: ask the owner for a new pairing block, \
             and redeem that",
        ),
        Reason::ScopeDenied => {
            let scope = error.metadata().get("required").cloned().unwrap_or_default();
            let again = format!("`browse pair new <name> --scope read,write,{scope}`");
            error.with(HINT, format!("Ask the owner to pair you again with the scope: {again}"))
        }
        _ => error,
    }
}

/// The token of a call: `authorization: Bearer <token>`, once.
fn bearer(request: &Request<Body>) -> Result<Option<String>> {
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
