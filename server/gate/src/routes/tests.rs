//! Pods that come, change and go.

use fastrand::Rng;

use super::*;
use crate::cluster::Claim;

fn pod(name: &str, tenant: &str, sessions: &[(&str, u64)]) -> (String, Arc<PodRecord>) {
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
    (name.to_owned(), Arc::new(record))
}

fn key(tenant: &str, session: &str) -> SessionKey {
    SessionKey { tenant: Tenant::new(tenant).expect("a name"), session: session.to_owned() }
}

#[test]
fn a_session_is_found_in_the_pod_of_its_own_tenant() {
    let mut routes = SessionRoutes::new(false);
    let pods = [pod("p1", "a", &[("s", 1)]), pod("p2", "b", &[("s", 1), ("t", 2)])];
    routes.update(Arc::new(pods.into()), Instant::now());
    let name = |tenant, session| routes.pod(&key(tenant, session)).map(|pod| pod.name.clone());
    assert_eq!(name("a", "s").as_deref(), Some("p1"));
    assert_eq!(name("b", "s").as_deref(), Some("p2"));
    assert_eq!((name("a", "t"), routes.len()), (None, 3));
}

#[test]
fn of_two_places_the_older_one_counts() {
    let mut routes = SessionRoutes::new(false);
    let pods = [pod("p1", "a", &[("s", 5)]), pod("p2", "a", &[("s", 3)])];
    routes.update(Arc::new(pods.into()), Instant::now());
    assert_eq!(routes.pod(&key("a", "s")).map(|pod| pod.name.as_str()), Some("p2"));
}

#[test]
fn a_session_of_a_pod_that_is_being_deleted_is_lost() {
    let mut routes = SessionRoutes::new(false);
    let now = Instant::now();
    let (name, record) = pod("p1", "a", &[("s", 1)]);
    routes.update(Arc::new([(name.clone(), record.clone())].into()), now);
    let ending = Arc::new(PodRecord { is_ending: true, ..PodRecord::clone(&record) });
    routes.update(Arc::new([(name, ending)].into()), now);
    routes.update(Arc::default(), now);
    assert!(routes.pod(&key("a", "s")).is_none());
    let lost = routes.take_lost(&key("a", "s"), now);
    assert_eq!(lost.as_ref().map(PodUid::as_str), Some("p1"));
}

#[test]
fn a_session_that_can_move_stays_with_a_pod_that_is_being_deleted_until_it_has() {
    let mut routes = SessionRoutes::new(true);
    let now = Instant::now();
    let (name, record) = pod("p1", "a", &[("s", 1)]);
    let ending = Arc::new(PodRecord { is_ending: true, ..PodRecord::clone(&record) });
    routes.update(Arc::new([(name.clone(), ending.clone())].into()), now);
    let place =
        |routes: &SessionRoutes| routes.pod(&key("a", "s")).map(|pod| pod.name.as_str().to_owned());
    assert_eq!(place(&routes).as_deref(), Some("p1"));
    routes.update(Arc::new([(name, ending), pod("p2", "a", &[("s", 9)])].into()), now);
    assert_eq!(place(&routes).as_deref(), Some("p2"));
}

#[test]
fn a_session_that_went_with_its_pod_is_reported_once() {
    let mut routes = SessionRoutes::new(false);
    let now = Instant::now();
    let both = [pod("p1", "a", &[("s", 1), ("t", 1)]), pod("p2", "a", &[("u", 1)])];
    routes.update(Arc::new(both.into()), now);
    // One ends in order, two are lost.
    routes.update(Arc::new([pod("p2", "a", &[])].into()), now);
    let is_lost =
        |routes: &mut SessionRoutes, session| routes.take_lost(&key("a", session), now).is_some();
    assert!(!is_lost(&mut routes, "u"), "it was closed");
    assert!(is_lost(&mut routes, "s") && !is_lost(&mut routes, "s"));
    // It is there again: nobody has to hear of it.
    routes.update(Arc::new([pod("p3", "a", &[("t", 9)])].into()), now);
    assert!(!is_lost(&mut routes, "t"));
}

/// Names of sessions.
const SESSIONS: [&str; 4] = ["s", "t", "u", "v"];

/// The index that is built anew from each table.
struct RebuiltRoutes {
    pods: Arc<PodTable>,
    sessions: HashMap<SessionKey, String>,
    lost: HashMap<SessionKey, PodUid>,
    moves_sessions: bool,
}

impl RebuiltRoutes {
    fn update(&mut self, pods: Arc<PodTable>) {
        let mut found: HashMap<SessionKey, (bool, u64, String)> = HashMap::new();
        for (name, pod) in &*pods {
            let has_sessions = pod.address.is_some() && (!pod.is_ending || self.moves_sessions);
            let Some(claim) = pod.claim.as_ref().filter(|_| has_sessions) else { continue };
            for (session, place) in &claim.sessions {
                let key = SessionKey { tenant: claim.tenant.clone(), session: session.clone() };
                let place = (pod.is_ending, place.since, name.clone());
                let known = found.entry(key).or_insert_with(|| place.clone());
                if place < *known {
                    *known = place;
                }
            }
        }
        let sessions: HashMap<_, _> =
            found.into_iter().map(|(key, (_, _, name))| (key, name)).collect();
        for (key, pod) in &self.sessions {
            let claim = pods.get(pod).and_then(|pod| pod.claim.as_ref());
            let is_given_up = claim.is_some_and(|claim| !claim.sessions.contains_key(&key.session));
            if !sessions.contains_key(key) && !is_given_up {
                self.lost.insert(key.clone(), self.pods[pod].uid.clone());
            }
        }
        self.lost.retain(|key, _| !sessions.contains_key(key));
        self.sessions = sessions;
        self.pods = pods;
    }
}

/// Removes a pod, or puts another record of it into the table.
fn change(table: &mut PodTable, random: &mut Rng) {
    let name = format!("p{}", random.u8(..5));
    if random.u8(..4) == 0 {
        table.remove(&name);
        return;
    }
    let claim = (random.u8(..5) > 0).then(|| {
        let tenant = if random.bool() { "a" } else { "b" };
        let mut claim = Claim::new(Tenant::new(tenant).expect("a name"));
        for session in SESSIONS {
            if random.bool() {
                let since = random.u64(..4);
                claim.sessions.insert(session.to_owned(), ClaimedSession { since });
            }
        }
        claim
    });
    let record = PodRecord {
        name: name.clone(),
        // A pod of this name may be another one.
        uid: PodUid::new(format!("{name}-{}", random.u8(..2))).expect("a uid"),
        address: (random.u8(..6) > 0).then(|| ([127, 0, 0, 1], 1).into()),
        version: "1".to_owned(),
        is_ready: true,
        is_ending: random.u8(..4) == 0,
        claim,
    };
    table.insert(name, Arc::new(record));
}

#[test]
fn an_index_that_follows_changes_is_the_one_that_is_built_anew() {
    let keys: Vec<SessionKey> =
        ["a", "b"].iter().flat_map(|tenant| SESSIONS.map(|session| key(tenant, session))).collect();
    let now = Instant::now();
    for seed in 0..200 {
        let mut random = Rng::with_seed(seed);
        let moves_sessions = random.bool();
        let mut routes = SessionRoutes::new(moves_sessions);
        let mut rebuilt = RebuiltRoutes {
            pods: Arc::default(),
            sessions: HashMap::new(),
            lost: HashMap::new(),
            moves_sessions,
        };
        let mut table = PodTable::new();
        for step in 0..40 {
            for _ in 0..random.usize(1..4) {
                change(&mut table, &mut random);
            }
            let pods = Arc::new(table.clone());
            routes.update(Arc::clone(&pods), now);
            rebuilt.update(Arc::clone(&pods));
            let mut fresh = SessionRoutes::new(moves_sessions);
            fresh.update(pods, now);
            assert_eq!(routes.sessions, fresh.sessions, "seed {seed}, step {step}");
            assert_eq!(routes.len(), rebuilt.sessions.len(), "seed {seed}, step {step}");
            for key in &keys {
                let found = routes.pod(key).map(|pod| &pod.name);
                assert_eq!(found, rebuilt.sessions.get(key), "{key}: seed {seed}, step {step}");
                let is_lost = routes.lost.contains(key, now);
                let expected = rebuilt.lost.contains_key(key);
                assert_eq!(is_lost, expected, "{key}: seed {seed}, step {step}");
            }
            let called = &keys[random.usize(..keys.len())];
            let lost = routes.take_lost(called, now);
            assert_eq!(lost, rebuilt.lost.remove(called), "{called}: seed {seed}, step {step}");
        }
    }
}
