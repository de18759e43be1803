//! Asks the cluster for pods, where that chooses them.

use std::{collections::BTreeSet, sync::Arc};

use browse_base::{Error, Result};
use browse_fleet::{PodUid, SessionKey};
use browse_proto::Reason;

use super::{CONFLICT_DELAY, Placement, choose::Reservation};
use crate::{
    cluster::{Claim, ClusterError, PodRecord},
    retry::{MIN_RETRY, retry_later, unavailable},
};

impl Placement {
    /// Claims a pod for the sessions that wait for claim `number`, of which `place` is the first.
    /// Those that come while it is waited for are placed in that pod afterwards.
    pub(super) async fn claim_new_pod(self: Arc<Self>, number: u64, place: SessionKey) {
        let sessions = self.claimed_sessions(number);
        let claim = Claim::new(place.tenant.clone());
        let claim = sessions.iter().fold(claim, |claim, name| claim.with_session(name));
        let result = match self.cluster.pod_claims() {
            Some(claims) => claims.claim_pod(&place, &claim).await,
            None => Err(ClusterError::Gone),
        };
        let answer = answer_of(result);
        if answer.is_none() {
            // What went wrong may go wrong again at once.
            tokio::time::sleep(CONFLICT_DELAY).await;
        }
        self.end_claim(number, &sessions, answer);
        self.wake.notify_one();
    }

    fn claimed_sessions(&self, number: u64) -> BTreeSet<String> {
        let state = self.lock();
        let reserved = state.reserved.claims.get(&number);
        reserved.map(|reserved| reserved.sessions.clone()).unwrap_or_default()
    }

    /// Answers those who wait for `sessions`, and puts the others back into the queue; all of them
    /// when there is no answer.
    fn end_claim(&self, number: u64, sessions: &BTreeSet<String>, answer: Option<Result<PodUid>>) {
        let mut state = self.lock();
        let Some(mut left) = state.reserved.claims.remove(&number) else { return };
        if let Some(answer) = answer {
            left.sessions.retain(|session| !sessions.contains(session));
            let answered = Reservation { tenant: left.tenant.clone(), sessions: sessions.clone() };
            state.answer(&answered, &answer);
        }
        state.put_back(left);
    }
}

/// What the callers are answered; none when their claim is to be tried again.
fn answer_of(result: std::result::Result<PodRecord, ClusterError>) -> Option<Result<PodUid>> {
    match result {
        Ok(pod) if pod.is_ending => None,
        Ok(pod) => Some(Ok(pod.uid)),
        Err(ClusterError::Conflict | ClusterError::Gone) => None,
        Err(ClusterError::NoPod(why)) => {
            let message = format!("no pod is free: {why}");
            let error = Error::new(Reason::FleetBusy, message).with("place", 1);
            Some(Err(retry_later(error, MIN_RETRY)))
        }
        Err(error @ ClusterError::Unavailable(_)) => {
            Some(Err(unavailable(&format!("no session can be opened: {error}"))))
        }
    }
}
