//! A caller that waits for a place.

use std::sync::Arc;

use browse_base::Error;
use browse_fleet::SessionKey;
use browse_proto::Reason;

use super::{Placement, retry_later};

/// A caller that waits. It leaves the queue when it goes away.
pub(super) struct Waiter {
    pub(super) placement: Arc<Placement>,
    pub(super) key: SessionKey,
    pub(super) id: u64,
}

impl Waiter {
    /// No place was free in time.
    pub(super) fn busy(&self) -> Error {
        let state = self.placement.lock();
        let request = state.requests.get(&self.key);
        let position = request
            .and_then(|request| request.ticket)
            .and_then(|ticket| state.queue.position(&self.key.tenant, ticket));
        let waited = request.map(|request| request.since.elapsed()).unwrap_or_default();
        let place = position.unwrap_or(1);
        let message = format!("no pod is free; place {place} in the queue");
        retry_later(Error::new(Reason::FleetBusy, message).with("place", place), waited)
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut state = self.placement.lock();
        let state = &mut *state;
        let Some(request) = state.requests.get_mut(&self.key) else { return };
        request.waiters.retain(|(id, _)| *id != self.id);
        if request.waiters.is_empty()
            && let Some(ticket) = request.ticket
        {
            state.queue.remove(&self.key.tenant, ticket);
            state.requests.remove(&self.key);
        }
    }
}
