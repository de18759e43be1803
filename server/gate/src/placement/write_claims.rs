//! Writes reserved sessions on their pod: one write takes all that came meanwhile.

use std::{collections::BTreeSet, sync::Arc};

use browse_base::Result;
use browse_fleet::{PodUid, SessionKey, Tenant};

use super::{CONFLICT_DELAY, MAX_WRITES, Placement, PlacementState, choose::Reservation};
use crate::{
    cluster::{Claim, ClusterError},
    retry::unavailable,
};

impl Placement {
    /// Writes the sessions that are reserved for a pod on it, until none is left.
    pub(super) async fn write_claims(self: Arc<Self>, pod: String) {
        let mut tries = 0;
        while let Some((tenant, sessions)) = self.reserved_sessions(&pod) {
            let record = self.cluster.pods().borrow().get(&pod).cloned();
            let record = record.filter(|record| {
                let is_theirs = |claim: &Claim| claim.tenant == tenant;
                !record.is_ending && record.claim.as_ref().is_none_or(is_theirs)
            });
            let Some(record) = record else {
                self.put_back(&pod);
                break;
            };
            let claim = record.claim.clone().unwrap_or_else(|| Claim::new(tenant.clone()));
            let claim = sessions.iter().fold(claim, |claim, name| claim.with_session(name));
            tries += 1;
            match self.cluster.write_claim(&record, &claim).await {
                // It is being deleted meanwhile, by whomever.
                Ok(record) if record.is_ending => {
                    self.put_back(&pod);
                    break;
                }
                Ok(record) => {
                    tries = 0;
                    self.answer(&pod, &tenant, &sessions, &Ok(record.uid));
                }
                Err(ClusterError::Conflict) if tries < MAX_WRITES => {
                    tokio::time::sleep(CONFLICT_DELAY).await;
                }
                Err(ClusterError::Conflict | ClusterError::Gone) => {
                    self.put_back(&pod);
                    break;
                }
                Err(error @ (ClusterError::NoPod(_) | ClusterError::Unavailable(_))) => {
                    let error = unavailable(&format!("no session can be opened: {error}"));
                    self.answer(&pod, &tenant, &sessions, &Err(error));
                }
            }
        }
        self.wake.notify_one();
    }

    /// The sessions that are reserved for a pod; when there are none, the reservation ends.
    fn reserved_sessions(&self, pod: &str) -> Option<(Tenant, BTreeSet<String>)> {
        let mut state = self.lock();
        let reserved = &mut state.reserved.pods;
        let reservation = reserved.get(pod)?;
        if reservation.sessions.is_empty() {
            reserved.remove(pod);
            return None;
        }
        Some((reservation.tenant.clone(), reservation.sessions.clone()))
    }

    /// Answers those who wait for sessions that have their place now, or get none.
    fn answer(
        &self,
        pod: &str,
        tenant: &Tenant,
        sessions: &BTreeSet<String>,
        answer: &Result<PodUid>,
    ) {
        let mut state = self.lock();
        if let Some(reservation) = state.reserved.pods.get_mut(pod) {
            reservation.sessions.retain(|session| !sessions.contains(session));
        }
        let answered = Reservation { tenant: tenant.clone(), sessions: sessions.clone() };
        state.answer(&answered, answer);
    }

    /// Puts those who wait for a pod that cannot be had back into the queue.
    fn put_back(&self, pod: &str) {
        let mut state = self.lock();
        let Some(reservation) = state.reserved.pods.remove(pod) else { return };
        state.put_back(reservation);
    }
}

impl PlacementState {
    /// Answers those who wait for the sessions of a reservation.
    pub(super) fn answer(&mut self, answered: &Reservation, answer: &Result<PodUid>) {
        for session in &answered.sessions {
            let key = SessionKey { tenant: answered.tenant.clone(), session: session.clone() };
            let Some(request) = self.requests.remove(&key) else { continue };
            for (_, waiter) in request.waiters {
                // One that has gone leaves its session to the next caller, or to the sweep of
                // those that nobody opened.
                let _ = waiter.send(answer.clone());
            }
        }
    }

    /// Puts those who wait for the sessions of a reservation back into the queue.
    pub(super) fn put_back(&mut self, reservation: Reservation) {
        for session in reservation.sessions.into_iter().rev() {
            let key = SessionKey { tenant: reservation.tenant.clone(), session };
            let Some(request) = self.requests.get_mut(&key) else { continue };
            if request.waiters.is_empty() {
                self.requests.remove(&key);
            } else {
                request.ticket = Some(self.queue.put_back(&reservation.tenant, key));
            }
        }
    }
}
