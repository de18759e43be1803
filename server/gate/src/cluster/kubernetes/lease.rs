//! The Lease of the leading replica: who holds it, and who may take it.
//!
//! Clocks of machines differ, so nobody compares the times in the Lease with their own: a Lease
//! has expired for a replica that has seen it unchanged for as long as it lasts.

use std::{net::SocketAddr, time::Duration};

use k8s_openapi::{
    api::coordination::v1::Lease, apimachinery::pkg::apis::meta::v1::MicroTime, jiff::Timestamp,
};

/// Seconds that a Lease lasts after it was renewed.
const LEASE_SECONDS: u32 = 10;

/// The annotation with the address at which the other replicas reach the leading one.
const ADDRESS_ANNOTATION: &str = "browse.dev/address";

/// A replica that would lead.
#[derive(Clone, Debug)]
pub(super) struct LeaseCandidate {
    /// The name of the Lease.
    pub(super) lease: String,
    /// The name of this replica.
    pub(super) identity: String,
    /// Where the others reach it.
    pub(super) address: SocketAddr,
}

impl LeaseCandidate {
    /// Whether this replica holds the Lease.
    pub(super) fn holds(&self, lease: &Lease) -> bool {
        holder(lease) == Some(self.identity.as_str())
    }

    /// Whether this replica may take the Lease, or renew it: nobody else holds it, or its
    /// holder has not renewed it.
    pub(super) fn may_take(&self, lease: &Lease, unchanged_for: Duration) -> bool {
        holder(lease).is_none() || self.holds(lease) || unchanged_for >= duration(lease)
    }

    /// The Lease as this replica writes it to take or renew it. It has the version of `found`, so
    /// that the write fails when somebody else has written meanwhile.
    pub(super) fn held(&self, found: Option<&Lease>, now: Timestamp) -> Lease {
        let is_renewal = found.is_some_and(|lease| self.holds(lease));
        let mut lease = found.cloned().unwrap_or_default();
        lease.metadata.name = Some(self.lease.clone());
        let annotations = lease.metadata.annotations.get_or_insert_default();
        annotations.insert(ADDRESS_ANNOTATION.to_owned(), self.address.to_string());
        let spec = lease.spec.get_or_insert_default();
        spec.holder_identity = Some(self.identity.clone());
        spec.lease_duration_seconds = i32::try_from(LEASE_SECONDS).ok();
        spec.renew_time = Some(MicroTime(now));
        if !is_renewal {
            spec.acquire_time = Some(MicroTime(now));
            let transitions = spec.lease_transitions.map_or(0, |count| count.saturating_add(1));
            spec.lease_transitions = Some(transitions);
        }
        lease
    }
}

/// The Lease without a holder, so that another replica takes it at once.
pub(super) fn released(mut lease: Lease) -> Lease {
    if let Some(annotations) = &mut lease.metadata.annotations {
        annotations.remove(ADDRESS_ANNOTATION);
    }
    if let Some(spec) = &mut lease.spec {
        spec.holder_identity = None;
    }
    lease
}

/// Where the replica that holds the Lease is reached.
pub(super) fn leader_address(lease: &Lease) -> Option<SocketAddr> {
    lease.metadata.annotations.as_ref()?.get(ADDRESS_ANNOTATION)?.parse().ok()
}

fn holder(lease: &Lease) -> Option<&str> {
    let holder = lease.spec.as_ref()?.holder_identity.as_deref();
    holder.filter(|holder| !holder.is_empty())
}

fn duration(lease: &Lease) -> Duration {
    let seconds = lease.spec.as_ref().and_then(|spec| spec.lease_duration_seconds);
    let seconds = seconds.and_then(|seconds| u32::try_from(seconds).ok());
    Duration::from_secs(seconds.unwrap_or(LEASE_SECONDS).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(identity: &str) -> LeaseCandidate {
        LeaseCandidate {
            lease: "browse-gate".to_owned(),
            identity: identity.to_owned(),
            address: SocketAddr::from(([10, 0, 0, 1], 7444)),
        }
    }

    fn now(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    #[test]
    fn a_lease_is_taken_when_it_is_free_or_has_expired() {
        let (a, b) = (candidate("a"), candidate("b"));
        let held = a.held(None, now(1));
        let seconds = Duration::from_secs;
        assert!(a.may_take(&held, seconds(0)), "it renews it");
        assert!(!b.may_take(&held, seconds(9)));
        assert!(b.may_take(&held, seconds(10)));
        assert!(b.may_take(&released(held), seconds(0)));
        assert!(b.may_take(&Lease::default(), seconds(0)));
    }

    #[test]
    fn a_renewal_keeps_the_time_at_which_it_was_taken() {
        let (a, b) = (candidate("a"), candidate("b"));
        let mut taken = a.held(None, now(1));
        taken.metadata.resource_version = Some("7".to_owned());
        let renewed = a.held(Some(&taken), now(4));
        let spec = renewed.spec.as_ref().expect("it is held");
        assert_eq!(spec.acquire_time, Some(MicroTime(now(1))));
        assert_eq!(spec.renew_time, Some(MicroTime(now(4))));
        assert_eq!((spec.lease_transitions, spec.lease_duration_seconds), (Some(0), Some(10)));
        assert_eq!(renewed.metadata.resource_version.as_deref(), Some("7"), "it is compared");
        let other = b.held(Some(&renewed), now(20)).spec.expect("it is held");
        assert_eq!(other.acquire_time, Some(MicroTime(now(20))));
        assert_eq!(other.lease_transitions, Some(1));
    }

    #[test]
    fn the_address_of_the_holder_is_on_the_lease() {
        let held = candidate("a").held(None, now(1));
        assert_eq!(leader_address(&held), Some(candidate("a").address));
        assert_eq!(leader_address(&released(held)), None);
    }
}
