//! Which pod has which session: an index of the pods of the cluster, made anew when they change.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use browse_fleet::{SessionKey, Tenant};

use crate::cluster::{PodRecord, PodTable};

/// How long a session that was lost with its pod is reported.
const LOST_TIME: Duration = Duration::from_secs(600);

/// The index.
#[derive(Default)]
pub struct Routes {
    pods: Arc<PodTable>,
    sessions: HashMap<SessionKey, String>,
    /// Sessions whose pod has gone, and when, until somebody calls.
    lost: HashMap<SessionKey, Instant>,
    /// Whether sessions stay with a pod that is being deleted until they have moved: it saves them
    /// before it ends, and another pod must not restore them earlier.
    moves_sessions: bool,
}

impl Routes {
    /// No pod yet.
    pub fn new(moves_sessions: bool) -> Self {
        Self { moves_sessions, ..Self::default() }
    }

    /// Takes in the pods as they are now.
    pub fn update(&mut self, pods: Arc<PodTable>, now: Instant) {
        let sessions = index(&pods, self.moves_sessions);
        for (key, pod) in &self.sessions {
            // One whose claim was given up has ended in order; a pod that ends takes its sessions
            // with it, claimed as they are.
            let claim = pods.get(pod).and_then(|pod| pod.claim.as_ref());
            let was_given_up =
                claim.is_some_and(|claim| !claim.sessions.contains_key(&key.session));
            if !sessions.contains_key(key) && !was_given_up {
                self.lost.insert(key.clone(), now);
            }
        }
        self.lost
            .retain(|key, at| !sessions.contains_key(key) && now.duration_since(*at) < LOST_TIME);
        self.sessions = sessions;
        self.pods = pods;
    }

    /// The pod of a session.
    pub fn pod(&self, key: &SessionKey) -> Option<&PodRecord> {
        self.pods.get(self.sessions.get(key)?)
    }

    /// A pod of the tenant, for what concerns no session of its own.
    pub fn any_pod(&self, tenant: &Tenant) -> Option<&PodRecord> {
        let is_theirs = |pod: &&PodRecord| {
            pod.is_reachable() && pod.claim.as_ref().is_some_and(|claim| claim.tenant == *tenant)
        };
        self.pods.values().find(is_theirs)
    }

    /// All pods.
    pub fn pods(&self) -> &Arc<PodTable> {
        &self.pods
    }

    /// How many sessions there are.
    pub fn len(&self) -> usize {
        self.sessions.len()
    }

    /// Whether the session was lost with its pod, and nobody knows yet.
    pub fn is_lost(&self, key: &SessionKey) -> bool {
        self.lost.contains_key(key)
    }

    /// Whether the session was lost with its pod; once.
    pub fn take_lost(&mut self, key: &SessionKey) -> bool {
        self.lost.remove(key).is_some()
    }
}

/// The pod of each session. Where two have one, the older place counts: a replica that led before
/// may have given another one late. One in a pod that is being deleted counts last.
fn index(pods: &PodTable, moves_sessions: bool) -> HashMap<SessionKey, String> {
    let mut found: HashMap<SessionKey, (bool, u64, &String)> = HashMap::new();
    for (name, pod) in pods {
        let has_sessions = pod.is_reachable() || moves_sessions && pod.address.is_some();
        let Some(claim) = pod.claim.as_ref().filter(|_| has_sessions) else { continue };
        for (session, place) in &claim.sessions {
            let key = SessionKey { tenant: claim.tenant.clone(), session: session.clone() };
            let own = (pod.is_ending, place.since, name);
            found.entry(key).and_modify(|known| *known = own.min(*known)).or_insert(own);
        }
    }
    found.into_iter().map(|(key, (_, _, name))| (key, name.clone())).collect()
}

#[cfg(test)]
mod tests {
    use browse_fleet::PodUid;

    use super::*;
    use crate::cluster::{Claim, ClaimedSession};

    fn pod(name: &str, tenant: &str, sessions: &[(&str, u64)]) -> (String, PodRecord) {
        let mut claim = Claim::new(Tenant::new(tenant).expect("a name"));
        for (session, since) in sessions {
            claim.sessions.insert((*session).to_owned(), ClaimedSession { since: *since });
        }
        let record = PodRecord {
            name: name.to_owned(),
            uid: PodUid::new(name).expect("a uid"),
            address: Some(([127, 0, 0, 1], 1).into()),
            version: "1".to_owned(),
            is_ready: true,
            is_ending: false,
            claim: Some(claim),
        };
        (name.to_owned(), record)
    }

    fn key(tenant: &str, session: &str) -> SessionKey {
        SessionKey { tenant: Tenant::new(tenant).expect("a name"), session: session.to_owned() }
    }

    #[test]
    fn a_session_is_found_in_the_pod_of_its_own_tenant() {
        let mut routes = Routes::default();
        let pods = [pod("p1", "a", &[("s", 1)]), pod("p2", "b", &[("s", 1), ("t", 2)])];
        routes.update(Arc::new(pods.into()), Instant::now());
        let name = |tenant, session| routes.pod(&key(tenant, session)).map(|pod| pod.name.clone());
        assert_eq!(name("a", "s").as_deref(), Some("p1"));
        assert_eq!(name("b", "s").as_deref(), Some("p2"));
        assert_eq!((name("a", "t"), routes.len()), (None, 3));
    }

    #[test]
    fn of_two_places_the_older_one_counts() {
        let mut routes = Routes::default();
        let pods = [pod("p1", "a", &[("s", 5)]), pod("p2", "a", &[("s", 3)])];
        routes.update(Arc::new(pods.into()), Instant::now());
        assert_eq!(routes.pod(&key("a", "s")).map(|pod| pod.name.as_str()), Some("p2"));
    }

    #[test]
    fn a_session_of_a_pod_that_is_being_deleted_is_lost() {
        let mut routes = Routes::default();
        let now = Instant::now();
        let (name, record) = pod("p1", "a", &[("s", 1)]);
        routes.update(Arc::new([(name.clone(), record.clone())].into()), now);
        let ending = PodRecord { is_ending: true, ..record };
        routes.update(Arc::new([(name, ending)].into()), now);
        routes.update(Arc::default(), now);
        assert!(routes.pod(&key("a", "s")).is_none() && routes.take_lost(&key("a", "s")));
    }

    #[test]
    fn a_session_that_can_move_stays_with_a_pod_that_is_being_deleted_until_it_has() {
        let mut routes = Routes::new(true);
        let now = Instant::now();
        let (name, record) = pod("p1", "a", &[("s", 1)]);
        let ending = PodRecord { is_ending: true, ..record };
        routes.update(Arc::new([(name.clone(), ending.clone())].into()), now);
        let place =
            |routes: &Routes| routes.pod(&key("a", "s")).map(|pod| pod.name.as_str().to_owned());
        assert_eq!(place(&routes).as_deref(), Some("p1"));
        routes.update(Arc::new([(name, ending), pod("p2", "a", &[("s", 9)])].into()), now);
        assert_eq!(place(&routes).as_deref(), Some("p2"));
    }

    #[test]
    fn a_session_that_went_with_its_pod_is_reported_once() {
        let mut routes = Routes::default();
        let now = Instant::now();
        let both = [pod("p1", "a", &[("s", 1), ("t", 1)]), pod("p2", "a", &[("u", 1)])];
        routes.update(Arc::new(both.into()), now);
        // One ends in order, two are lost.
        routes.update(Arc::new([pod("p2", "a", &[])].into()), now);
        assert!(!routes.take_lost(&key("a", "u")), "it was closed");
        assert!(routes.take_lost(&key("a", "s")) && !routes.take_lost(&key("a", "s")));
        // It is there again: nobody has to hear of it.
        routes.update(Arc::new([pod("p3", "a", &[("t", 9)])].into()), now);
        assert!(!routes.take_lost(&key("a", "t")));
    }
}
