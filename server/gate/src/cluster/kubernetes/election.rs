//! Which replica leads: the one that holds the Lease.
//!
//! A replica that could not renew the Lease for 7 seconds stops leading, counted from before its
//! last write; the others take the Lease when they have seen it unchanged for 10 seconds. So two
//! replicas do not lead at a time, as long as the clocks of both run at about the same rate.

use std::{sync::Arc, time::Duration};

use k8s_openapi::{api::coordination::v1::Lease, jiff::Timestamp};
use kube::{Api, api::PostParams};
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::{Instant, sleep_until, timeout_at},
};
use tokio_util::task::AbortOnDropHandle;

use super::{
    call::answer,
    health::CallHealth,
    lease::{LeaseCandidate, leader_address, released},
};
use crate::cluster::{ClusterError, Leadership};

/// Time for which a replica leads after it has renewed the Lease.
const LEAD_TIME: Duration = Duration::from_secs(7);

/// Time between renewals.
const RENEW_INTERVAL: Duration = Duration::from_secs(3);

/// Time after which a replica that does not lead reads the Lease again.
const READ_INTERVAL: Duration = Duration::from_secs(1);

/// Time between a failure and the next try.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Time in which the API server has to answer: after one renewal without an answer there is time
/// for another before the lead ends.
const CALL_TIMEOUT: Duration = Duration::from_secs(2);

/// This replica in the election. Dropping it ends the lead without releasing the Lease.
#[derive(Debug)]
pub(super) struct Election {
    leadership: watch::Receiver<Leadership>,
    withdrawals: mpsc::Sender<oneshot::Sender<()>>,
    _task: AbortOnDropHandle<()>,
}

impl Election {
    /// Takes part in the election of the replica that holds the Lease of `candidate`.
    pub(super) fn start(
        leases: Api<Lease>,
        candidate: LeaseCandidate,
        health: Arc<CallHealth>,
    ) -> Self {
        let (sender, leadership) = watch::channel(Leadership::default());
        let (withdrawals, receiver) = mpsc::channel(1);
        let task = ElectionTask {
            leases,
            candidate,
            health,
            leadership: sender,
            withdrawals: receiver,
            observed: None,
            leads_until: None,
            is_withdrawn: false,
        };
        let task = AbortOnDropHandle::new(tokio::spawn(task.run()));
        Self { leadership, withdrawals, _task: task }
    }

    /// Who leads, and each change of it.
    pub(super) fn leadership(&self) -> watch::Receiver<Leadership> {
        self.leadership.clone()
    }

    /// Stops leading, releases the Lease, and does not take it again.
    pub(super) async fn stop(&self) {
        let (done, is_done) = oneshot::channel();
        if self.withdrawals.send(done).await.is_ok() {
            // It fails only when the task has ended, which ends the lead as well.
            let _ = is_done.await;
        }
    }
}

struct ElectionTask {
    leases: Api<Lease>,
    candidate: LeaseCandidate,
    health: Arc<CallHealth>,
    leadership: watch::Sender<Leadership>,
    withdrawals: mpsc::Receiver<oneshot::Sender<()>>,
    observed: Option<ObservedLease>,
    /// When this replica stops leading; none while it does not lead.
    leads_until: Option<Instant>,
    is_withdrawn: bool,
}

/// A version of the Lease, and when this replica first saw it.
struct ObservedLease {
    version: Option<String>,
    since: Instant,
}

impl ElectionTask {
    async fn run(mut self) {
        loop {
            let next = self.turn().await;
            tokio::select! {
                () = sleep_until(next) => {}
                Some(done) = self.withdrawals.recv() => {
                    self.withdraw().await;
                    // The caller may not have waited.
                    let _ = done.send(());
                }
            }
        }
    }

    /// Takes, renews or reads the Lease, and stops leading when the time for it is over. Returns
    /// when the next turn is.
    async fn turn(&mut self) -> Instant {
        let started = Instant::now();
        let result = match self.leads_until {
            Some(deadline) => timeout_at(deadline, self.step()).await,
            None => Ok(self.step().await),
        };
        let now = Instant::now();
        let result = result.unwrap_or_else(|_| {
            self.health.record_failure(started, now);
            Err(ClusterError::Unavailable("the Lease was not renewed in time".to_owned()))
        });
        if let Err(error) = &result {
            tracing::debug!(%error, "the Lease was neither renewed nor read");
        }
        if self.leads_until.is_some_and(|deadline| now >= deadline) {
            tracing::warn!("this replica stops leading: it could not renew the Lease");
            self.follow(Leadership::default());
        }
        let wait = match (result, self.leads_until) {
            (Err(_), _) => RETRY_DELAY,
            (Ok(()), Some(_)) => RENEW_INTERVAL,
            (Ok(()), None) => READ_INTERVAL,
        };
        let next = now + wait;
        self.leads_until.map_or(next, |deadline| next.min(deadline))
    }

    async fn step(&mut self) -> Result<(), ClusterError> {
        let found = self.call(self.leases.get_opt(&self.candidate.lease)).await?;
        let is_free = match &found {
            Some(lease) => {
                let unchanged_for = self.observe(lease, Instant::now());
                self.candidate.may_take(lease, unchanged_for)
            }
            None => true,
        };
        if self.is_withdrawn || !is_free {
            let holder = found.as_ref().filter(|_| !is_free);
            let address = holder.and_then(leader_address);
            self.follow(Leadership { is_self: false, address });
            return Ok(());
        }
        let lease = self.candidate.held(found.as_ref(), Timestamp::now());
        let params = PostParams::default();
        // Before the write: the others count from when they see it.
        let started = Instant::now();
        if found.is_some() {
            self.call(self.leases.replace(&self.candidate.lease, &params, &lease)).await?;
        } else {
            self.call(self.leases.create(&params, &lease)).await?;
        }
        self.lead(started + LEAD_TIME);
        Ok(())
    }

    /// How long the Lease has been as it is.
    fn observe(&mut self, lease: &Lease, now: Instant) -> Duration {
        let version = &lease.metadata.resource_version;
        match &self.observed {
            Some(observed) if observed.version == *version => now.duration_since(observed.since),
            _ => {
                self.observed = Some(ObservedLease { version: version.clone(), since: now });
                Duration::ZERO
            }
        }
    }

    fn lead(&mut self, until: Instant) {
        if self.leads_until.replace(until).is_none() {
            tracing::info!(identity = %self.candidate.identity, "this replica leads");
        }
        let address = Some(self.candidate.address);
        self.announce(Leadership { is_self: true, address });
    }

    fn follow(&mut self, leadership: Leadership) {
        if self.leads_until.take().is_some() {
            tracing::info!(identity = %self.candidate.identity, "this replica does not lead");
        }
        self.announce(leadership);
    }

    fn announce(&self, leadership: Leadership) {
        self.leadership.send_if_modified(|known| {
            let is_changed = *known != leadership;
            *known = leadership;
            is_changed
        });
    }

    async fn withdraw(&mut self) {
        self.is_withdrawn = true;
        if self.leads_until.is_some() {
            self.follow(Leadership::default());
        }
        if let Err(error) = self.release().await {
            tracing::warn!(%error, "the Lease was not released; it expires by itself");
        }
    }

    async fn release(&self) -> Result<(), ClusterError> {
        let found = self.call(self.leases.get_opt(&self.candidate.lease)).await?;
        let Some(lease) = found.filter(|lease| self.candidate.holds(lease)) else {
            return Ok(());
        };
        let lease = released(lease);
        let params = PostParams::default();
        self.call(self.leases.replace(&self.candidate.lease, &params, &lease)).await.map(drop)
    }

    async fn call<T>(
        &self,
        call: impl Future<Output = Result<T, kube::Error>>,
    ) -> Result<T, ClusterError> {
        let started = Instant::now();
        let result = answer(CALL_TIMEOUT, call).await;
        match &result {
            Err(ClusterError::Unavailable(_)) => {
                self.health.record_failure(started, Instant::now());
            }
            _ => self.health.record_success(),
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;
    use crate::cluster::kubernetes::fake::{self, FakeServer};

    fn address(port: u16) -> SocketAddr {
        SocketAddr::from(([10, 0, 0, 1], port))
    }

    /// What a busy machine may add. The clock runs: the feature of tokio that stops it would make
    /// a build of the tests compile most crates a second time.
    const SLACK: Duration = Duration::from_secs(3);

    /// A replica with a name of its own for each port.
    fn start(server: &Arc<FakeServer>, port: u16) -> (Election, Arc<CallHealth>) {
        let leases: Api<Lease> = Api::namespaced(server.client(), fake::NAMESPACE);
        let identity = format!("gate-{port}");
        let candidate =
            LeaseCandidate { lease: "browse-gate".to_owned(), identity, address: address(port) };
        let health = Arc::new(CallHealth::default());
        (Election::start(leases, candidate, Arc::clone(&health)), health)
    }

    /// Waits until the replica leads; returns how long that took.
    async fn leads(election: &Election) -> Duration {
        until(election, |leadership| leadership.is_self).await
    }

    async fn until(election: &Election, is: impl FnMut(&Leadership) -> bool) -> Duration {
        let begun = Instant::now();
        election.leadership().wait_for(is).await.expect("the election goes on");
        begun.elapsed()
    }

    #[tokio::test]
    async fn the_next_one_leads_when_the_first_stops() {
        let server = Arc::new(FakeServer::default());
        let (first, _) = start(&server, 1);
        leads(&first).await;
        let (second, _) = start(&server, 2);
        until(&second, |leadership| leadership.address == Some(address(1))).await;
        tokio::time::sleep(LEAD_TIME + READ_INTERVAL).await;
        assert!(first.leadership().borrow().is_self, "it renews the Lease");
        assert!(!second.leadership().borrow().is_self);
        first.stop().await;
        assert_eq!(*first.leadership().borrow(), Leadership::default());
        assert!(leads(&second).await <= READ_INTERVAL + RETRY_DELAY + SLACK);
        until(&first, |leadership| leadership.address == Some(address(2))).await;
    }

    #[tokio::test]
    async fn the_next_one_leads_when_the_lease_expires() {
        let server = Arc::new(FakeServer::default());
        let (first, _) = start(&server, 1);
        leads(&first).await;
        let (second, _) = start(&server, 2);
        until(&second, |leadership| leadership.address == Some(address(1))).await;
        drop(first);
        let took = leads(&second).await;
        assert!(took > LEAD_TIME && took <= Duration::from_secs(12) + SLACK, "{took:?}");
    }

    #[tokio::test]
    async fn a_leader_that_cannot_renew_stops_leading() {
        let server = Arc::new(FakeServer::default());
        let (first, health) = start(&server, 1);
        leads(&first).await;
        server.set_down(true);
        let took = until(&first, |leadership| !leadership.is_self).await;
        assert!(took <= LEAD_TIME + SLACK, "{took:?}");
        assert!(health.is_failing(Instant::now()));
        server.set_down(false);
        assert!(leads(&first).await <= READ_INTERVAL + SLACK, "the Lease is still its own");
        assert!(!health.is_failing(Instant::now()));
    }
}
