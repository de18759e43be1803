//! That a session was lost with its pod is reported once for the fleet. Each replica finds out by
//! itself, and asks the leading one before it reports the loss. When the caller goes away meanwhile,
//! the next call reports it that comes by this replica. Nothing is written for that, so a loss may be
//! reported again by another replica after the lead has changed.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use browse_base::{Error, Result, random};
use browse_fleet::{LOST_PATH, LostRequest, LostResponse, PodUid, SessionKey};
use browse_proto::Reason;

use super::Gateway;
use crate::{
    expiring_map::ExpiringMap,
    routes::{LOST_TIME, SessionRoutes},
};

/// How long the leading replica knows that a loss was reported. The replicas do not find out at the
/// same moment.
const REPORTED_TIME: Duration = LOST_TIME.saturating_mul(2);

/// Time in which the leading replica answers. After it, the loss is reported.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// The losses that were reported.
pub(super) struct LossReports {
    /// This replica.
    replica: u64,
    /// Which replica has reported them.
    reported: Mutex<ExpiringMap<(SessionKey, PodUid), u64>>,
}

/// A loss that is about to be reported. Dropping it before that has the next call report it.
struct PendingLoss<'a> {
    routes: &'a Mutex<SessionRoutes>,
    key: &'a SessionKey,
    pod: Option<PodUid>,
}

impl LossReports {
    /// None yet.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new() -> Result<Self> {
        let reported = Mutex::new(ExpiringMap::new(REPORTED_TIME));
        Ok(Self { replica: u64::from_le_bytes(random()?), reported })
    }

    /// Notes the report of a loss; returns whether it is the first one. A replica that asks again
    /// has not reported it.
    fn record(&self, key: SessionKey, pod: PodUid, replica: u64, now: Instant) -> bool {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        // The same session may be lost again, with another pod.
        let loss = (key, pod);
        let known = reported.get(&loss, now).copied();
        if known.is_none() {
            reported.insert(loss, replica, now);
        }
        known.is_none_or(|reporter| reporter == replica)
    }
}

impl PendingLoss<'_> {
    /// The caller gets to know.
    fn settle(mut self) {
        self.pod = None;
    }
}

impl Drop for PendingLoss<'_> {
    fn drop(&mut self) {
        if let Some(pod) = self.pod.take() {
            let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
            routes.return_lost(self.key, pod, Instant::now());
        }
    }
}

impl Gateway {
    /// Notes on the replica that leads that a loss is about to be reported.
    pub fn report_loss_here(&self, request: LostRequest) -> LostResponse {
        let LostRequest { tenant, session, pod, replica } = request;
        let key = SessionKey { tenant, session };
        LostResponse { is_first: self.loss_reports.record(key, pod, replica, Instant::now()) }
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
        let request = LostRequest {
            tenant: key.tenant.clone(),
            session: key.session.clone(),
            pod: pod.clone(),
            replica: self.loss_reports.replica,
        };
        let leadership = self.cluster.leadership().borrow().clone();
        if leadership.is_self {
            return self.report_loss_here(request).is_first;
        }
        let Some(address) = leadership.address else { return true };
        let pending = PendingLoss { routes: &self.routes, key, pod: Some(pod) };
        let answer: Result<LostResponse> =
            self.replicas.post(address, LOST_PATH, &request, ANSWER_TIMEOUT).await;
        pending.settle();
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
    use std::sync::Arc;

    use browse_fleet::Tenant;

    use super::*;
    use crate::cluster::{Claim, ClaimedSession, PodRecord};

    fn key(tenant: &str) -> SessionKey {
        SessionKey { tenant: Tenant::new(tenant).expect("a name"), session: "s".to_owned() }
    }

    #[test]
    fn each_loss_of_a_session_is_reported_once() {
        let reports = LossReports::new().expect("random numbers");
        let now = Instant::now();
        let record = |tenant: &str, pod: &str, replica, now| {
            reports.record(key(tenant), PodUid::new(pod).expect("a uid"), replica, now)
        };
        assert!(record("a", "p1", 1, now) && !record("a", "p1", 2, now));
        assert!(record("a", "p1", 1, now), "its caller went away");
        assert!(record("b", "p1", 2, now), "it is another session");
        assert!(record("a", "p2", 2, now), "it was opened anew, and lost again");
        assert!(!record("a", "p1", 2, now + LOST_TIME));
    }

    #[test]
    fn a_loss_whose_caller_went_away_is_reported_to_the_next() {
        let (routes, key) = (Mutex::new(SessionRoutes::new(false)), key("a"));
        let lost = PodUid::new("p1").expect("a uid");
        let take = || routes.lock().expect("no panic").take_lost(&key, Instant::now());
        let pending = || PendingLoss { routes: &routes, key: &key, pod: Some(lost.clone()) };
        drop(pending());
        assert_eq!(take(), Some(lost.clone()));
        pending().settle();
        assert_eq!(take(), None);
        // Meanwhile it was opened anew.
        let mut claim = Claim::new(key.tenant.clone());
        claim.sessions.insert(key.session.clone(), ClaimedSession { since: 1 });
        let pod = PodRecord {
            name: "p2".to_owned(),
            uid: PodUid::new("p2").expect("a uid"),
            address: Some(([127, 0, 0, 1], 1).into()),
            version: "1".to_owned(),
            is_ready: true,
            is_ending: false,
            claim: Some(claim),
        };
        let pods = Arc::new([(pod.name.clone(), Arc::new(pod))].into());
        routes.lock().expect("no panic").update(pods, Instant::now());
        drop(pending());
        assert_eq!(take(), None);
    }
}
