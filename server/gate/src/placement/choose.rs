//! Which pod a session gets: one that its tenant has, else another one.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use browse_fleet::{PodUid, Tenant};

use super::Placement;
use crate::cluster::{PodRecord, PodTable};

/// Where a session gets its place.
pub(super) enum Choice {
    /// In the pod of this name.
    Pod(String),
    /// In the pod that the claim of this number gets.
    Claim(u64),
    /// In the pod of a claim that is to be made.
    NewClaim,
}

/// Sessions that are about to get their place.
#[derive(Default)]
pub(super) struct Reservations {
    /// Those that are written on a pod, by its name.
    pub(super) pods: HashMap<String, Reservation>,
    /// Those for which the cluster is asked for a pod, by the number of the claim.
    pub(super) claims: BTreeMap<u64, Reservation>,
    next_claim: u64,
}

/// Sessions of a tenant for one pod.
pub(super) struct Reservation {
    pub(super) tenant: Tenant,
    pub(super) sessions: BTreeSet<String>,
}

impl Reservations {
    /// Reserves a pod that is to be claimed for a session; returns the number of the claim.
    pub(super) fn add_claim(&mut self, tenant: Tenant, session: String) -> u64 {
        let number = self.next_claim;
        self.next_claim += 1;
        self.claims.insert(number, Reservation { tenant, sessions: [session].into() });
        number
    }

    /// A claim of the tenant that waits and has room, else another one, while fewer than
    /// `max_waiting` wait.
    fn choose_claim(&self, tenant: &Tenant, room: usize, max_waiting: usize) -> Option<Choice> {
        let has_room =
            |reserved: &Reservation| reserved.tenant == *tenant && reserved.sessions.len() < room;
        let own = self.claims.iter().find(|(_, reserved)| has_room(reserved));
        match own {
            Some((number, _)) => Some(Choice::Claim(*number)),
            None => (self.claims.len() < max_waiting).then_some(Choice::NewClaim),
        }
    }
}

impl Placement {
    /// The pod with room for a session of `tenant`: one that it has, else a warm one, or one that
    /// the cluster is asked for.
    pub(super) fn choose(
        &self,
        pods: &PodTable,
        reserved: &Reservations,
        tenant: &Tenant,
        avoided: Option<&PodUid>,
    ) -> Option<Choice> {
        let has_room = |pod: &&Arc<PodRecord>| {
            let claimed = pod.claim.as_ref().filter(|claim| claim.tenant == *tenant);
            let waiting = reserved.pods.get(&pod.name);
            let is_theirs = claimed.is_some()
                || pod.is_warm() && waiting.is_some_and(|waiting| waiting.tenant == *tenant);
            let is_claimed =
                |name: &&String| claimed.is_some_and(|claim| claim.sessions.contains_key(*name));
            let on_their_way = waiting.map_or(0, |waiting| {
                waiting.sessions.iter().filter(|name| !is_claimed(name)).count()
            });
            let sessions = claimed.map_or(0, |claim| claim.sessions.len()) + on_their_way;
            is_theirs
                && pod.is_ready
                && !pod.is_ending
                && avoided != Some(&pod.uid)
                && pod.address.is_some()
                && sessions < self.settings.sessions_per_pod
        };
        let is_free = |pod: &&Arc<PodRecord>| {
            pod.is_warm() && !reserved.pods.contains_key(&pod.name) && avoided != Some(&pod.uid)
        };
        if let Some(own) = pods.values().find(has_room) {
            return Some(Choice::Pod(own.name.clone()));
        }
        match self.cluster.pod_claims() {
            Some(claims) => {
                let room = self.settings.sessions_per_pod;
                reserved.choose_claim(tenant, room, claims.max_waiting())
            }
            None => pods.values().find(is_free).map(|pod| Choice::Pod(pod.name.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_a_tenant_share_a_claim_and_tenants_do_not() {
        let tenant = |name: &str| Tenant::new(name).expect("a name");
        let mut reserved = Reservations::default();
        let choose = |reserved: &Reservations, name| reserved.choose_claim(&tenant(name), 2, 2);
        assert!(matches!(choose(&reserved, "a"), Some(Choice::NewClaim)));
        let first = reserved.add_claim(tenant("a"), "s".to_owned());
        assert!(matches!(choose(&reserved, "a"), Some(Choice::Claim(number)) if number == first));
        assert!(matches!(choose(&reserved, "b"), Some(Choice::NewClaim)));
        let second = reserved.add_claim(tenant("b"), "s".to_owned());
        assert_ne!(first, second);
        assert!(choose(&reserved, "c").is_none(), "as many wait as may");
        reserved.claims.get_mut(&first).expect("it is there").sessions.insert("t".to_owned());
        assert!(choose(&reserved, "a").is_none(), "it has no room");
        reserved.claims.remove(&second);
        assert!(matches!(choose(&reserved, "a"), Some(Choice::NewClaim)));
    }
}
