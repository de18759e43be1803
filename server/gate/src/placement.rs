//! Hands out places for sessions, on the replica that leads.
//!
//! A place is a claim on a pod: one write that fails when the pod has changed meanwhile. Where the
//! cluster chooses the pod, it is asked for one. Callers that find none wait in a fair queue.
//! Nothing here has to survive: the cluster has the claims, and callers that waited at a replica
//! that has gone ask the next one.

mod choose;
mod claim_pods;
mod reconcile;
mod waiter;
mod write_claims;

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use browse_base::{Error, Result};
use browse_fleet::{PlaceRequest, PodUid, SessionKey, Tenant};
use browse_proto::Reason;
use tokio::{
    sync::{Notify, oneshot},
    time::timeout,
};

use crate::{
    cluster::{Cluster, ClusterError, PodRecord, PodTable},
    metrics::Metrics,
    pods::PodClient,
    queue::{FairQueue, QueueFull, Ticket},
    rates::SessionRates,
    retry::{MIN_RETRY, retry_later, unavailable},
};

use choose::{Choice, Reservation, Reservations};
use waiter::Waiter;

/// Time after which a write is tried again when the pod had changed.
const CONFLICT_DELAY: Duration = Duration::from_millis(20);

/// Writes of one claim before its callers wait for another pod.
const MAX_WRITES: usize = 5;

/// Settings of the placement.
#[derive(Clone, Copy, Debug)]
pub struct PlacementSettings {
    /// Sessions of one tenant in a pod.
    pub sessions_per_pod: usize,
    /// Time without a session after which the pod of a tenant is deleted.
    pub empty_pod_time: Duration,
    /// Time without a call after which a session is closed.
    pub idle_session_time: Duration,
}

/// The places of the fleet.
pub struct Placement {
    cluster: Arc<dyn Cluster>,
    pods: Arc<PodClient>,
    settings: PlacementSettings,
    state: Mutex<PlacementState>,
    wake: Notify,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct PlacementState {
    queue: FairQueue<SessionKey>,
    requests: HashMap<SessionKey, PlacementRequest>,
    /// Sessions that are about to get their place.
    reserved: Reservations,
    rates: SessionRates,
    next_waiter: u64,
}

/// A session that has no place yet.
struct PlacementRequest {
    /// Its ticket while it is in the queue; none while its claim is written.
    ticket: Option<Ticket>,
    waiters: Vec<(u64, oneshot::Sender<Result<PodUid>>)>,
    since: Instant,
    /// The pod that the session has moved from.
    avoided: Option<PodUid>,
}

impl Placement {
    /// Places in the pods of `cluster`; a task gives them out as pods come and go.
    pub fn start(
        cluster: Arc<dyn Cluster>,
        pods: Arc<PodClient>,
        settings: PlacementSettings,
        metrics: Arc<Metrics>,
    ) -> Arc<Self> {
        let placement = Arc::new(Self {
            cluster,
            pods,
            settings,
            state: Mutex::default(),
            wake: Notify::new(),
            metrics,
        });
        tokio::spawn(Arc::clone(&placement).run());
        tokio::spawn(reconcile::run(Arc::clone(&placement)));
        placement
    }

    /// The pod of a session: the one that it has, else a new place, for which the caller waits.
    ///
    /// # Errors
    /// `FLEET_QUOTA`: the tenant has as many sessions as it may, or opens them too quickly.
    /// `FLEET_BUSY`: no pod was free in time, or too many callers wait. `GATE_UNAVAILABLE`: this
    /// replica does not lead, or the cluster does not answer.
    pub async fn place(self: &Arc<Self>, request: &PlaceRequest) -> Result<PodUid> {
        let key = SessionKey { tenant: request.tenant.clone(), session: request.session.clone() };
        if let Some(pod) = &request.moved_from {
            self.release_moved(&key, pod).await?;
        }
        let Some((waiter, answer)) = self.enter(&key, request)? else {
            return self.existing(&key).map(|pod| pod.uid.clone()).ok_or_else(lost_leadership);
        };
        let waiter = Waiter { placement: Arc::clone(self), key, id: waiter };
        self.wake.notify_one();
        let wait = Duration::from_millis(request.wait_ms);
        let begun = Instant::now();
        let answer = match timeout(wait, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(lost_leadership()),
            Err(_) => Err(waiter.busy()),
        };
        self.metrics.record_claim(begun.elapsed(), answer.is_ok());
        answer
    }

    /// Time after which a session without a call is closed.
    pub fn idle_session_time(&self) -> Duration {
        self.settings.idle_session_time
    }

    /// Callers that wait.
    pub fn queue_len(&self) -> usize {
        self.lock().queue.len()
    }

    /// A session has ended: its place is free, and its pod goes when that was the last one.
    pub async fn release(&self, key: &SessionKey) {
        let Some(pod) = self.existing(key) else { return };
        let place = pod.claim.as_ref().and_then(|claim| claim.sessions.get(&key.session));
        let Some(since) = place.map(|place| place.since) else { return };
        self.release_in(&pod.name, key, since).await;
    }

    /// Gives back the place of a session in the pod that it has moved from, if it has it there.
    async fn release_moved(&self, key: &SessionKey, from: &PodUid) -> Result<()> {
        if !self.leads() {
            return Err(lost_leadership());
        }
        let is_there = || self.existing(key).is_some_and(|pod| pod.uid == *from);
        if is_there() {
            self.release(key).await;
        }
        match is_there() {
            true => Err(unavailable("the session still has its place in the pod of before")),
            false => Ok(()),
        }
    }

    /// Gives back the place that a session got in a pod at `since`, and no later one.
    async fn release_in(&self, pod: &str, key: &SessionKey, since: u64) {
        for _ in 0..MAX_WRITES {
            let Some(pod) = self.cluster.pods().borrow().get(pod).cloned() else { return };
            let claim = pod.claim.as_ref().filter(|claim| {
                let place = claim.sessions.get(&key.session);
                claim.tenant == key.tenant && place.is_some_and(|place| place.since == since)
            });
            let Some(claim) = claim.map(|claim| claim.without_session(&key.session)) else {
                return;
            };
            match self.cluster.write_claim(&pod, &claim).await {
                Err(ClusterError::Conflict) => tokio::time::sleep(CONFLICT_DELAY).await,
                Err(error) => return tracing::warn!(%error, %key, "a place was not given back"),
                Ok(_) => return,
            }
        }
    }

    /// Puts the caller into the queue; answers nothing when the session has a pod.
    fn enter(
        &self,
        key: &SessionKey,
        place: &PlaceRequest,
    ) -> Result<Option<(u64, oneshot::Receiver<Result<PodUid>>)>> {
        let quota = place.quota;
        if !self.leads() {
            return Err(lost_leadership());
        }
        if !self.cluster.is_available() && self.existing(key).is_none() {
            return Err(unavailable("the cluster does not answer, so no session can be opened"));
        }
        let mut state = self.lock();
        let state = &mut *state;
        // Under the lock: its claim is written before its request is answered.
        if !state.requests.contains_key(key) && self.existing(key).is_some() {
            return Ok(None);
        }
        let (sender, receiver) = oneshot::channel();
        let waiter = state.next_waiter;
        state.next_waiter += 1;
        if let Some(request) = state.requests.get_mut(key) {
            request.waiters.push((waiter, sender));
            return Ok(Some((waiter, receiver)));
        }
        let is_theirs = |known: &&SessionKey| known.tenant == key.tenant;
        let open = sessions_of(&self.cluster.pods().borrow(), &key.tenant);
        let sessions = open + state.requests.keys().filter(is_theirs).count();
        if sessions >= quota.sessions {
            let message = format!(
                "the tenant has {sessions} sessions, and may have {} at a time",
                quota.sessions
            );
            return Err(Error::new(Reason::FleetQuota, message).with("sessions", sessions));
        }
        let now = Instant::now();
        // One that moves is not another one.
        if place.moved_from.is_none() {
            state.rates.count(&key.tenant, quota.sessions_per_minute, now).map_err(|wait| {
                let message =
                    format!("the tenant may open {} sessions a minute", quota.sessions_per_minute);
                retry_later(Error::new(Reason::FleetQuota, message), wait)
            })?;
        }
        let ticket = state.queue.push(&key.tenant, quota.queue, key.clone());
        let ticket = ticket.map_err(|QueueFull { waiting }| {
            let message = format!("{waiting} callers of the tenant wait for a place already");
            retry_later(Error::new(Reason::FleetBusy, message), MIN_RETRY)
        })?;
        let request = PlacementRequest {
            ticket: Some(ticket),
            waiters: vec![(waiter, sender)],
            since: now,
            avoided: place.moved_from.clone(),
        };
        state.requests.insert(key.clone(), request);
        Ok(Some((waiter, receiver)))
    }

    /// Gives out places whenever a caller came or the pods have changed.
    async fn run(self: Arc<Self>) {
        let mut pods = self.cluster.pods();
        let mut leadership = self.cluster.leadership();
        loop {
            if self.leads() {
                self.give_out();
            } else {
                self.refuse_all();
            }
            self.metrics.set_queue_depth(self.queue_len());
            tokio::select! {
                () = self.wake.notified() => {}
                changed = pods.changed() => if changed.is_err() { return },
                changed = leadership.changed() => if changed.is_err() { return },
            }
        }
    }

    /// Reserves a place for each caller for whom there is one, and writes the claims.
    fn give_out(self: &Arc<Self>) {
        let pods = Arc::clone(&self.cluster.pods().borrow());
        let mut state = self.lock();
        let state = &mut *state;
        loop {
            let (reserved, requests) = (&state.reserved, &state.requests);
            let choose = |tenant: &Tenant, key: &SessionKey| {
                let avoided = requests.get(key).and_then(|request| request.avoided.as_ref());
                self.choose(&pods, reserved, tenant, avoided)
            };
            let Some((key, choice)) = state.queue.take(choose) else { return };
            // Nobody waits for it any more.
            let Some(request) = state.requests.get_mut(&key) else { continue };
            request.ticket = None;
            // Another replica has given it a place meanwhile.
            if let Some(known) = self.existing(&key) {
                let request = state.requests.remove(&key);
                for (_, waiter) in request.into_iter().flat_map(|request| request.waiters) {
                    let _ = waiter.send(Ok(known.uid.clone()));
                }
                continue;
            }
            self.reserve(&mut state.reserved, choice, key);
        }
    }

    /// Reserves a place for a session, and has the claim written.
    fn reserve(self: &Arc<Self>, reserved: &mut Reservations, choice: Choice, key: SessionKey) {
        match choice {
            Choice::Pod(pod) => {
                let is_new = !reserved.pods.contains_key(&pod);
                let reservation = reserved.pods.entry(pod.clone()).or_insert_with(|| Reservation {
                    tenant: key.tenant.clone(),
                    sessions: BTreeSet::new(),
                });
                reservation.sessions.insert(key.session);
                // One that is being written takes what came meanwhile with its next write.
                if is_new {
                    tokio::spawn(Arc::clone(self).write_claims(pod));
                }
            }
            Choice::Claim(number) => {
                if let Some(reservation) = reserved.claims.get_mut(&number) {
                    reservation.sessions.insert(key.session);
                }
            }
            Choice::NewClaim => {
                let number = reserved.add_claim(key.tenant.clone(), key.session.clone());
                tokio::spawn(Arc::clone(self).claim_new_pod(number, key));
            }
        }
    }

    /// Sends all away: another replica leads.
    fn refuse_all(&self) {
        let mut state = self.lock();
        state.queue.drain();
        let waiting = std::mem::take(&mut state.requests);
        for (_, waiter) in waiting.into_values().flat_map(|request| request.waiters) {
            let _ = waiter.send(Err(lost_leadership()));
        }
    }

    fn leads(&self) -> bool {
        self.cluster.leadership().borrow().is_self
    }

    /// The pod that has the session, of two the one with the older place.
    fn existing(&self, key: &SessionKey) -> Option<Arc<PodRecord>> {
        let pods = self.cluster.pods();
        let pods = pods.borrow();
        let place = |pod: &&Arc<PodRecord>| {
            let claim = pod.claim.as_ref().filter(|claim| claim.tenant == key.tenant)?;
            claim.sessions.get(&key.session).map(|place| (place.since, pod.name.clone()))
        };
        let having = pods.values().filter(|pod| pod.is_reachable() && place(pod).is_some());
        having.min_by_key(place).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, PlacementState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn sessions_of(pods: &PodTable, tenant: &Tenant) -> usize {
    let claims = pods.values().filter_map(|pod| pod.claim.as_ref().filter(|_| !pod.is_ending));
    claims.filter(|claim| claim.tenant == *tenant).map(|claim| claim.sessions.len()).sum()
}

fn lost_leadership() -> Error {
    unavailable("this replica of the gateway does not hand out places")
}
