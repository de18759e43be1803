//! That a session has ended is reported to the replica that leads, which gives its place to another.

use browse_base::Result;
use browse_fleet::{RELEASE_PATH, ReleaseRequest, SessionKey};

use super::{Gateway, WAIT_MARGIN};

impl Gateway {
    /// Notes on the replica that leads that a session has ended.
    pub async fn release_here(&self, request: &ReleaseRequest) {
        let ReleaseRequest { tenant, session } = request;
        let key = SessionKey { tenant: tenant.clone(), session: session.clone() };
        self.placement.release(&key).await;
    }

    /// Tells the replica that leads that a session has ended. When that does not come about, the
    /// leader finds out by itself.
    pub(super) async fn release(&self, key: &SessionKey) {
        let request = ReleaseRequest { tenant: key.tenant.clone(), session: key.session.clone() };
        let leadership = self.cluster.leadership().borrow().clone();
        if leadership.is_self {
            return self.release_here(&request).await;
        }
        let Some(address) = leadership.address else { return };
        let released: Result<serde_json::Value> =
            self.replicas.post(address, RELEASE_PATH, &request, WAIT_MARGIN).await;
        if let Err(error) = released {
            tracing::debug!(%error, %key, "the end of a session was not reported");
        }
    }
}
