//! The entry of a call in the activity log.

use browse_engine::Reference;

use super::{CallContext, RequestMessage};
use browse_records::{CallFacts, PendingActivity};

impl CallContext {
    /// Begins the entry of this call.
    pub(super) fn begin_activity(&self, request: &dyn RequestMessage) -> PendingActivity {
        // Also of one that is refused before it comes to a tab.
        let own = (self.command().service == "BrowserService").then(|| self.session_name());
        let facts = CallFacts {
            client: self.client(),
            command: self.command(),
            tab: self.requested_tab(),
            session: own.as_deref().or_else(|| self.requested_session()),
            raw: self.requested_raw(),
            trace_id: self.trace_id(),
        };
        // A large request is a document, which has no target.
        let is_small = request.byte_len() <= PendingActivity::MAX_REQUEST_BYTES;
        let bytes = if is_small { request.encoded() } else { Vec::new() };
        PendingActivity::begin(facts, &bytes)
    }

    /// Notes the tab that the call came to act on, where it has one.
    pub(super) fn note_tab(&self, entry: &mut PendingActivity) {
        if let Some(tab) = self.tab_if_any() {
            entry.set_tab(tab.id(), tab.session(), |target| {
                tab.engine().ref_label(&Reference::from_target(target)?.to_string())
            });
        }
    }
}
