//! Whose a pod is.

use std::{
    fs,
    path::PathBuf,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use browse_base::{Error, Result};
use browse_fleet::{PodUid, Tenant};
use browse_proto::Reason;

/// The part of a pod that calls are checked against.
pub struct PodState {
    uid: PodUid,
    tenant: OnceLock<Tenant>,
    capacity: usize,
    is_draining: AtomicBool,
    /// File that marks a pod that was given. A daemon that finds one has lost what the one before
    /// it had in this pod, and is given to nobody.
    marker: PathBuf,
    is_spent: bool,
}

impl PodState {
    /// A pod of no tenant, unless a daemon before this one had one.
    pub fn new(uid: PodUid, capacity: usize, marker: PathBuf) -> Self {
        Self {
            uid,
            tenant: OnceLock::new(),
            capacity,
            is_draining: AtomicBool::new(false),
            is_spent: marker.exists(),
            marker,
        }
    }

    /// Its uid.
    pub fn uid(&self) -> &PodUid {
        &self.uid
    }

    /// Whose it is.
    pub fn tenant(&self) -> Option<&Tenant> {
        self.tenant.get()
    }

    /// Sessions that it holds at most.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Whether a daemon before this one had a tenant in this pod.
    pub fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// Whether it takes no new sessions.
    pub fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// Takes no new sessions from now on.
    pub fn start_draining(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    /// Gives it to a tenant; answers whether it was nobody's before. To the same one again changes
    /// nothing: another replica of the gateway may have done it.
    ///
    /// # Errors
    /// `POD_MISMATCH`: it is another pod, or somebody else's. `POD_DRAINING`.
    pub fn assign(&self, tenant: &Tenant, pod: &PodUid) -> Result<bool> {
        self.check_pod(pod.as_str())?;
        if self.is_spent {
            return Err(mismatch(
                "the daemon of the pod was started anew, and its sessions are lost",
            ));
        }
        if self.is_draining() && self.tenant().is_none() {
            return Err(Error::new(Reason::PodDraining, "the pod is about to end"));
        }
        if self.tenant().is_none() {
            fs::write(&self.marker, "").map_err(|error| {
                let path = self.marker.display();
                let message = format!("`{path}` cannot be written: {error}");
                Error::new(Reason::FileUnwritable, message).with("path", path)
            })?;
        }
        let is_new = self.tenant.set(tenant.clone()).is_ok();
        match self.tenant() == Some(tenant) {
            true => Ok(is_new),
            false => Err(mismatch("the pod belongs to another tenant")),
        }
    }

    /// Checks a call that is meant for `pod` and `tenant`.
    ///
    /// # Errors
    /// `POD_MISMATCH`.
    pub fn check_call(&self, pod: Option<&str>, tenant: Option<&str>) -> Result<()> {
        self.check_pod(pod.unwrap_or_default())?;
        let is_ours = self.tenant().is_some_and(|own| tenant == Some(own.as_str()));
        if is_ours { Ok(()) } else { Err(mismatch("the pod does not belong to this tenant")) }
    }

    /// Checks a request that is meant for `pod`.
    ///
    /// # Errors
    /// `POD_MISMATCH`.
    pub fn check_pod(&self, pod: &str) -> Result<()> {
        match pod == self.uid.as_str() {
            true => Ok(()),
            false => Err(mismatch("another pod had this address before")),
        }
    }
}

/// It names neither the tenant nor the pod: the caller has the wrong one.
fn mismatch(message: &str) -> Error {
    Error::new(Reason::PodMismatch, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(folder: &tempfile::TempDir) -> PodState {
        PodState::new(PodUid::new("p1").expect("a uid"), 1, folder.path().join("given"))
    }

    fn assign(pod: &PodState, tenant: &str, uid: &str) -> Result<bool> {
        pod.assign(&Tenant::new(tenant).expect("a name"), &PodUid::new(uid).expect("a uid"))
    }

    #[test]
    fn a_pod_is_given_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let pod = new(&folder);
        assert!(pod.check_call(Some("p1"), Some("acme")).is_err(), "it is nobody's yet");
        assert!(assign(&pod, "acme", "p2").is_err(), "another pod is meant");
        assert!(assign(&pod, "acme", "p1").expect("it is free"));
        assert!(!assign(&pod, "acme", "p1").expect("it is the same"));
        let refused = assign(&pod, "other", "p1").expect_err("it is taken");
        assert_eq!(refused.reason(), Reason::PodMismatch);
        assert!(!refused.to_string().contains("acme"), "{refused}");
        pod.check_call(Some("p1"), Some("acme")).expect("it is theirs");
        for (uid, tenant) in [
            (Some("p2"), Some("acme")),
            (Some("p1"), Some("other")),
            (None, Some("acme")),
            (Some("p1"), None),
        ] {
            assert!(pod.check_call(uid, tenant).is_err(), "{uid:?} {tenant:?}");
        }
    }

    #[test]
    fn a_daemon_that_was_started_anew_in_its_pod_is_given_to_nobody() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = new(&folder);
        assert!(assign(&first, "acme", "p1").expect("it is free"));
        let again = new(&folder);
        assert!(again.is_spent() && !first.is_spent());
        let refused = assign(&again, "acme", "p1").expect_err("its sessions are lost");
        assert_eq!(refused.reason(), Reason::PodMismatch);
    }

    #[test]
    fn a_pod_that_drains_is_given_to_nobody() {
        let folder = tempfile::tempdir().expect("a folder");
        let pod = new(&folder);
        pod.start_draining();
        let refused = assign(&pod, "acme", "p1").expect_err("it ends");
        assert_eq!(refused.reason(), Reason::PodDraining);
    }
}
