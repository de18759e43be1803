//! How a tenant gets a pod: a claim is created, the controller gives it a sandbox, and when the
//! pod of that is ready, the claim is written with the pod. Only then do calls go there.

use std::{sync::Arc, time::Duration};

use browse_base::hex;
use browse_fleet::SessionKey;
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep, timeout_at};

use super::{known::KnownClaim, store::SandboxStore, writer::ClaimWriter};
use crate::cluster::{Claim, ClusterError, PodRecord};

/// Time after which a write is tried again when the claim had changed: the controller writes on it
/// when it has found a sandbox.
const CONFLICT_DELAY: Duration = Duration::from_millis(20);

/// Claims for one place that are tried: those of before end while their pods do.
const MAX_NAMES: usize = 16;

/// Digits of the hash in the name of a claim.
const NAME_DIGITS: usize = 16;

/// Gets pods for tenants.
pub(super) struct PodClaimer {
    pub(super) writer: Arc<ClaimWriter>,
    pub(super) store: Arc<SandboxStore>,
    /// Time in which a claim has to get a pod that is ready.
    pub(super) claim_time: Duration,
}

impl PodClaimer {
    /// Claims a pod and waits for it. A claim that gets none in time is deleted.
    pub(super) async fn claim_pod(
        &self,
        place: &SessionKey,
        claim: &Claim,
    ) -> Result<PodRecord, ClusterError> {
        let until = Instant::now() + self.claim_time;
        let name = self.open(place, claim).await?;
        let result = timeout_at(until, self.wait(&name, claim)).await;
        let result = result.unwrap_or_else(|_| {
            let report = self.store.claim(&name).map(|claim| claim.report());
            let report = report.unwrap_or_else(|| format!("SandboxClaim `{name}` is not reported"));
            let seconds = self.claim_time.as_secs();
            Err(ClusterError::NoPod(format!("no pod was ready after {seconds} s; {report}")))
        });
        if result.is_err() {
            self.give_up(&name).await;
        }
        result
    }

    /// Creates the claim for a place, or finds one that waits. Returns its name.
    ///
    /// The name is that of the place: a replica that leads after this one finds the claim by it.
    async fn open(&self, place: &SessionKey, claim: &Claim) -> Result<String, ClusterError> {
        for number in 0..MAX_NAMES {
            let name = claim_name(&self.writer.template.fleet, place, number);
            if let Some(known) = self.store.claim(&name) {
                match known.waits_for(place) {
                    true => return Ok(name),
                    false => continue,
                }
            }
            match self.writer.create(&name, claim).await {
                Ok(()) => return Ok(name),
                // The watch has not reported it yet.
                Err(ClusterError::Conflict) => {
                    let found = self.writer.read(&name).await?;
                    if found.is_some_and(|known| known.waits_for(place)) {
                        return Ok(name);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Err(ClusterError::NoPod("the pods that the session had before still end".to_owned()))
    }

    /// Waits until a claim has a pod that is ready, and writes it on the claim.
    async fn wait(&self, name: &str, claim: &Claim) -> Result<PodRecord, ClusterError> {
        let mut changes = self.store.changes();
        let mut is_seen = false;
        loop {
            match self.store.claim(name) {
                Some(known) if !known.is_ending => {
                    is_seen = true;
                    if let Some(why) = known.refusal() {
                        return Err(ClusterError::NoPod(why));
                    }
                    if let Some(pod) = self.store.pod_for(&known) {
                        let claim = merged(&known, claim).ok_or(ClusterError::Gone)?;
                        match self.writer.bind(&known, &pod.uid, &claim).await {
                            Err(ClusterError::Conflict) => {
                                sleep(CONFLICT_DELAY).await;
                                continue;
                            }
                            result => return result,
                        }
                    }
                }
                None if !is_seen => {}
                _ => return Err(ClusterError::Gone),
            }
            if changes.changed().await.is_err() {
                return Err(ClusterError::Gone);
            }
        }
    }

    /// Deletes a claim that is of no use. One that has its pod by now stays.
    async fn give_up(&self, name: &str) {
        let found = match self.store.claim(name) {
            Some(known) => Ok(Some(known)),
            None => self.writer.read(name).await,
        };
        let deleted = match found {
            Ok(Some(known)) if known.pod.is_none() && !known.is_ending => {
                self.writer.delete_claim(&known, None).await
            }
            Ok(_) => return,
            Err(error) => Err(error),
        };
        match deleted {
            Ok(()) | Err(ClusterError::Gone) => {}
            // The sweep finds it.
            Err(error) => tracing::warn!(%error, claim = name, "a claim was not deleted"),
        }
    }
}

/// `claim` with the sessions that are on the claim already; none when that cannot be read, or is
/// of another tenant.
fn merged(known: &KnownClaim, claim: &Claim) -> Option<Claim> {
    let written = known.claim.as_ref().filter(|written| written.tenant == claim.tenant)?;
    let missing = claim.sessions.keys().filter(|name| !written.sessions.contains_key(*name));
    Some(missing.fold(written.clone(), |claim, name| claim.with_session(name)))
}

/// The name of claim `number` for a place.
fn claim_name(fleet: &str, place: &SessionKey, number: usize) -> String {
    // Neither has a `/`, so two places differ.
    let digest = Sha256::digest(format!("{}/{}", place.tenant, place.session));
    format!("{fleet}-{}-{number}", &hex(&digest)[..NAME_DIGITS])
}
