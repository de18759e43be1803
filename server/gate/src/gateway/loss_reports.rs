//! That a session was lost with its pod is reported once for the fleet. Each replica finds out by
//! itself, and asks the leading one before it reports the loss. Nothing is written for that, so a
//! loss may be reported again by another replica after the lead has changed.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use browse_base::{Error, Result};
use browse_fleet::{LOST_PATH, LostRequest, LostResponse, PodUid, SessionKey};
use browse_proto::Reason;

use super::Gateway;
use crate::{expiring_map::ExpiringMap, routes::LOST_TIME};

/// How long the leading replica knows that a loss was reported. The replicas do not find out at the
/// same moment.
const REPORTED_TIME: Duration = LOST_TIME.saturating_mul(2);

/// Time in which the leading replica answers. After it, the loss is reported.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// The losses that were reported.
pub(super) struct LossReports(Mutex<ExpiringMap<(SessionKey, PodUid), ()>>);

impl LossReports {
    pub fn new() -> Self {
        Self(Mutex::new(ExpiringMap::new(REPORTED_TIME)))
    }

    /// Notes the report of a loss; returns whether it is the first one.
    fn record(&self, key: SessionKey, pod: PodUid, now: Instant) -> bool {
        let mut reported = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The same session may be lost again, with another pod.
        let loss = (key, pod);
        let is_first = !reported.contains(&loss, now);
        if is_first {
            reported.insert(loss, (), now);
        }
        is_first
    }
}

impl Gateway {
    /// Notes on the replica that leads that a loss is about to be reported.
    pub fn report_loss_here(&self, request: LostRequest) -> LostResponse {
        let LostRequest { tenant, session, pod } = request;
        let key = SessionKey { tenant, session };
        LostResponse { is_first: self.loss_reports.record(key, pod, Instant::now()) }
    }

    /// Refuses a call of a session that this replica has found to be lost with a pod, if it is the
    /// first one of the fleet. Where sessions are restored, none is lost.
    ///
    /// # Errors
    /// `SESSION_LOST`.
    pub(super) async fn check_not_lost(
        &self,
        key: &SessionKey,
        lost_with: Option<PodUid>,
    ) -> Result<()> {
        let Some(pod) = lost_with.filter(|_| !self.restores_sessions) else { return Ok(()) };
        if !self.reports_loss(key, pod).await {
            return Ok(());
        }
        let message = format!("the pod of the session `{}` has ended", key.session);
        Err(Error::new(Reason::SessionLost, message).with("session", &key.session))
    }

    /// Whether this call is the one that reports that the session was lost with `pod`. When the
    /// leading replica does not answer, it is.
    async fn reports_loss(&self, key: &SessionKey, pod: PodUid) -> bool {
        let request = LostRequest { tenant: key.tenant.clone(), session: key.session.clone(), pod };
        let leadership = self.cluster.leadership().borrow().clone();
        if leadership.is_self {
            return self.report_loss_here(request).is_first;
        }
        let Some(address) = leadership.address else { return true };
        let answer: Result<LostResponse> =
            self.replicas.post(address, LOST_PATH, &request, ANSWER_TIMEOUT).await;
        match answer {
            Ok(answer) => answer.is_first,
            Err(error) => {
                tracing::debug!(%error, %key, "a loss may be reported twice");
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use browse_fleet::Tenant;

    use super::*;

    #[test]
    fn each_loss_of_a_session_is_reported_once() {
        let reports = LossReports::new();
        let now = Instant::now();
        let record = |tenant: &str, pod: &str, now| {
            let tenant = Tenant::new(tenant).expect("a name");
            let key = SessionKey { tenant, session: "s".to_owned() };
            reports.record(key, PodUid::new(pod).expect("a uid"), now)
        };
        assert!(record("a", "p1", now) && !record("a", "p1", now));
        assert!(record("b", "p1", now), "it is another session");
        assert!(record("a", "p2", now), "it was opened anew, and lost again");
        assert!(!record("a", "p1", now + LOST_TIME));
    }
}
