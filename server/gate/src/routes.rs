//! Which pod has which session: an index of the pods of the cluster, which follows their changes.

use std::{
    cmp::Ordering,
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use browse_fleet::{PodUid, SessionKey, Tenant};

use crate::{
    cluster::{ClaimedSession, PodRecord, PodTable},
    expiring_map::ExpiringMap,
};

/// How long a session that was lost with its pod is reported.
pub const LOST_TIME: Duration = Duration::from_secs(600);

/// The index.
pub struct SessionRoutes {
    pods: Arc<PodTable>,
    /// The places of each session. The first one counts.
    sessions: HashMap<SessionKey, Vec<SessionPlace>>,
    /// Sessions whose pod has gone, and which, until somebody calls.
    lost: ExpiringMap<SessionKey, PodUid>,
    /// Whether sessions stay with a pod that is being deleted until they have moved: it saves them
    /// before it ends, and another pod must not restore them earlier.
    moves_sessions: bool,
}

/// A place of a session. Of two, the lesser one counts: the older one, because a replica that led
/// before may have given another one late, and one in a pod that is being deleted last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SessionPlace {
    is_ending: bool,
    since: u64,
    pod: Arc<str>,
}

/// A pod that is not the same in two tables.
struct Change<'a> {
    before: Option<&'a PodRecord>,
    after: Option<&'a PodRecord>,
}

impl<'a> Change<'a> {
    /// The pod that is not there any more.
    fn gone(&self) -> Option<&'a PodUid> {
        let before = &self.before?.uid;
        self.after.is_none_or(|after| after.uid != *before).then_some(before)
    }
}

impl SessionRoutes {
    /// No pod yet.
    pub fn new(moves_sessions: bool) -> Self {
        Self {
            pods: Arc::default(),
            sessions: HashMap::new(),
            lost: ExpiringMap::new(LOST_TIME),
            moves_sessions,
        }
    }

    /// Takes in the pods as they are now; returns those that have gone. Only sessions of pods that
    /// have changed are looked at.
    pub fn update(&mut self, pods: Arc<PodTable>, now: Instant) -> Vec<PodUid> {
        let before = std::mem::replace(&mut self.pods, Arc::clone(&pods));
        let changes = changed_pods(&before, &pods);
        let places = |pod: Option<&PodRecord>| {
            pod.map(|pod| places_in(pod, self.moves_sessions)).unwrap_or_default()
        };
        let left: Vec<_> = changes.iter().flat_map(|change| places(change.before)).collect();
        let taken: Vec<_> = changes.iter().flat_map(|change| places(change.after)).collect();
        let counted = |(key, place): &&(SessionKey, SessionPlace)| {
            self.sessions.get(key).and_then(|places| places.first()) == Some(place)
        };
        let routed: Vec<_> = left.iter().filter(counted).cloned().collect();
        for (key, place) in &left {
            self.leave(key, place);
        }
        for (key, place) in taken {
            self.take(key, place, now);
        }
        for (key, place) in routed {
            let before = before.get(&*place.pod);
            let after = pods.get(&*place.pod);
            if !self.sessions.contains_key(&key)
                && !was_given_up(&key, after.map(|pod| &**pod))
                && let Some(before) = before
            {
                self.lost.insert(key, before.uid.clone(), now);
            }
        }
        changes.iter().filter_map(Change::gone).cloned().collect()
    }

    fn take(&mut self, key: SessionKey, place: SessionPlace, now: Instant) {
        self.lost.remove(&key, now);
        let places = self.sessions.entry(key).or_insert_with(|| Vec::with_capacity(1));
        let at = places.partition_point(|known| *known < place);
        places.insert(at, place);
    }

    fn leave(&mut self, key: &SessionKey, place: &SessionPlace) {
        let Some(places) = self.sessions.get_mut(key) else { return };
        places.retain(|known| known != place);
        if places.is_empty() {
            self.sessions.remove(key);
        }
    }

    /// The pod of a session.
    pub fn pod(&self, key: &SessionKey) -> Option<&PodRecord> {
        let place = self.sessions.get(key)?.first()?;
        self.pods.get(&*place.pod).map(|pod| &**pod)
    }

    /// A pod of the tenant, for what concerns no session of its own.
    pub fn any_pod(&self, tenant: &Tenant) -> Option<&PodRecord> {
        self.reachable_pods(tenant).next()
    }

    /// The pods of the tenant.
    pub fn pods_of(&self, tenant: &Tenant) -> Vec<PodRecord> {
        self.reachable_pods(tenant).cloned().collect()
    }

    fn reachable_pods(&self, tenant: &Tenant) -> impl Iterator<Item = &PodRecord> {
        let pods = self.pods.values().map(|pod| &**pod);
        pods.filter(move |pod| {
            pod.is_reachable() && pod.claim.as_ref().is_some_and(|claim| claim.tenant == *tenant)
        })
    }

    /// All pods.
    pub fn pods(&self) -> &Arc<PodTable> {
        &self.pods
    }

    /// How many sessions there are.
    pub fn len(&self) -> usize {
        self.sessions.len()
    }

    /// The pod that the session was lost with, if it was; once.
    pub fn take_lost(&mut self, key: &SessionKey, now: Instant) -> Option<PodUid> {
        self.lost.remove(key, now)
    }

    /// Takes a loss back that was not reported, unless the session has been opened anew.
    pub fn return_lost(&mut self, key: &SessionKey, pod: PodUid, now: Instant) {
        if !self.sessions.contains_key(key) {
            self.lost.insert(key.clone(), pod, now);
        }
    }

    /// Whether the session was lost with its pod, and nobody knows yet.
    pub fn is_lost(&self, key: &SessionKey, now: Instant) -> bool {
        self.lost.contains(key, now)
    }
}

/// The places of the sessions in a pod that has them.
fn places_in(pod: &PodRecord, moves_sessions: bool) -> Vec<(SessionKey, SessionPlace)> {
    let has_sessions = pod.is_reachable() || moves_sessions && pod.address.is_some();
    let Some(claim) = pod.claim.as_ref().filter(|_| has_sessions) else { return Vec::new() };
    let name: Arc<str> = pod.name.as_str().into();
    let place = |(session, claimed): (&String, &ClaimedSession)| {
        let key = SessionKey { tenant: claim.tenant.clone(), session: session.clone() };
        let (is_ending, since) = (pod.is_ending, claimed.since);
        (key, SessionPlace { is_ending, since, pod: Arc::clone(&name) })
    };
    claim.sessions.iter().map(place).collect()
}

/// Whether a session has ended in order: its claim was given up. A pod that ends takes its sessions
/// with it, claimed as they are.
fn was_given_up(key: &SessionKey, pod: Option<&PodRecord>) -> bool {
    let claim = pod.and_then(|pod| pod.claim.as_ref());
    claim.is_some_and(|claim| !claim.sessions.contains_key(&key.session))
}

/// The pods that are not the same in both tables.
fn changed_pods<'a>(before: &'a PodTable, after: &'a PodTable) -> Vec<Change<'a>> {
    let (mut old, mut new) = (before.values().peekable(), after.values().peekable());
    let mut changes = Vec::new();
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return changes,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.name.cmp(&new.name),
        };
        let before = if order.is_le() { old.next() } else { None };
        let after = if order.is_ge() { new.next() } else { None };
        if !matches!((before, after), (Some(before), Some(after)) if Arc::ptr_eq(before, after)) {
            let (before, after) = (before.map(|pod| &**pod), after.map(|pod| &**pod));
            changes.push(Change { before, after });
        }
    }
}

#[cfg(test)]
mod tests;
