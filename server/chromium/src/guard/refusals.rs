//! What the proxy of a context refused.

use std::collections::VecDeque;

use super::connect_policy::ConnectError;
use browse_base::Lock;

/// Refusals kept, so that a failed navigation can be explained.
const MAX_REFUSALS: usize = 64;

/// Whom the proxy turned away, newest last.
#[derive(Default)]
pub(crate) struct ProxyRefusals(Lock<VecDeque<(String, ConnectError)>>);

impl ProxyRefusals {
    /// Remembers one.
    pub(crate) fn add(&self, host: &str, refused: ConnectError) {
        tracing::info!(host, %refused, "the proxy refused a connection");
        let mut refusals = self.0.lock();
        if refusals.len() == MAX_REFUSALS {
            refusals.pop_front();
        }
        refusals.push_back((host.to_owned(), refused));
    }

    /// Takes the newest about a host.
    pub(crate) fn take(&self, host: &str) -> Option<ConnectError> {
        let mut refusals = self.0.lock();
        let at = refusals.iter().rposition(|(refused, _)| refused == host)?;
        refusals.remove(at).map(|(_, refused)| refused)
    }
}
