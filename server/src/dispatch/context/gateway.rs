//! What the gateway of a fleet reports with a call.

use std::time::Duration;

use super::CallContext;
use browse_policy::Listener;

impl CallContext {
    /// Whether the call came by the gateway of a fleet.
    pub fn is_of_fleet(&self) -> bool {
        self.listener() == Listener::Gateway
    }

    /// Where clients of the DevTools protocol reach the daemon by the gateway.
    pub fn gateway_address(&self) -> Option<&str> {
        self.metadata.gateway_address.as_deref().filter(|_| self.is_of_fleet())
    }

    /// How long the token of the caller is still good at the gateway; none for one without an end.
    pub fn token_lifetime(&self) -> Option<Duration> {
        self.metadata.token_lifetime.filter(|_| self.is_of_fleet())
    }
}
