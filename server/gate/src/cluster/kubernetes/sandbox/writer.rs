//! Writes on claims: each changes the claim that is meant, at the version that is meant, or fails.

use std::{sync::Arc, time::Duration};

use browse_fleet::PodUid;
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions},
};
use serde_json::json;

use super::{
    known::KnownClaim,
    object::{ClaimTemplate, POD_ANNOTATION, SandboxClaim},
    store::SandboxStore,
};
use crate::cluster::{
    Claim, ClusterError, PodRecord,
    kubernetes::{FIELD_MANAGER, call::answer, record::CLAIM_ANNOTATION},
};

/// Time in which the API server has to answer.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// Writes on the claims of the fleet, and keeps the table of pods up with them.
pub(super) struct ClaimWriter {
    pub(super) claims: Api<SandboxClaim>,
    pub(super) store: Arc<SandboxStore>,
    pub(super) template: ClaimTemplate,
}

impl ClaimWriter {
    /// Creates a claim without a pod.
    ///
    /// # Errors
    /// `Conflict`: there is one of this name.
    pub(super) async fn create(&self, name: &str, claim: &Claim) -> Result<(), ClusterError> {
        let params = PostParams { field_manager: Some(FIELD_MANAGER.to_owned()), dry_run: false };
        let object = self.template.object(name, claim);
        answer(WRITE_TIMEOUT, self.claims.create(&params, &object)).await.map(drop)
    }

    /// The claim of this name as the API server has it.
    pub(super) async fn read(&self, name: &str) -> Result<Option<KnownClaim>, ClusterError> {
        let found = answer(WRITE_TIMEOUT, self.claims.get_opt(name)).await?;
        Ok(found.as_ref().and_then(KnownClaim::read))
    }

    /// Writes on the claim that got the pod of this record.
    pub(super) async fn write_claim(
        &self,
        pod: &PodRecord,
        claim: &Claim,
    ) -> Result<PodRecord, ClusterError> {
        let known = self.claim_at(pod)?;
        self.bind(&known, &pod.uid, claim).await
    }

    /// Writes a claim with the pod that it got.
    pub(super) async fn bind(
        &self,
        known: &KnownClaim,
        pod: &PodUid,
        claim: &Claim,
    ) -> Result<PodRecord, ClusterError> {
        let claim_json = serde_json::to_string(claim).expect("a claim has only strings for keys");
        let patch = Patch::Merge(json!({ "metadata": {
            "resourceVersion": known.version,
            "annotations": { CLAIM_ANNOTATION: claim_json, POD_ANNOTATION: pod.as_str() },
        } }));
        let params =
            PatchParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..Default::default() };
        match answer(WRITE_TIMEOUT, self.claims.patch(&known.name, &params, &patch)).await {
            Ok(written) => {
                self.store.refresh(&written);
                self.store.record_of(pod).ok_or(ClusterError::Gone)
            }
            Err(error) => Err(self.after_failure(known, error).await),
        }
    }

    /// Deletes the claim that got the pod of this record, unless somebody has written on it: it may
    /// have got a session. Its sandbox and the pod go with it.
    pub(super) async fn delete(&self, pod: &PodRecord) -> Result<(), ClusterError> {
        let known = self.claim_at(pod)?;
        let version = Some(known.version.clone());
        self.delete_claim(&known, version).await
    }

    /// Deletes a claim, at `version` only where there is one. It is there until its sandbox and its
    /// pod have gone, so that calls that still run are found.
    pub(super) async fn delete_claim(
        &self,
        known: &KnownClaim,
        version: Option<String>,
    ) -> Result<(), ClusterError> {
        let preconditions =
            Preconditions { uid: Some(known.uid.clone()), resource_version: version };
        let params = DeleteParams::foreground().preconditions(preconditions);
        match answer(WRITE_TIMEOUT, self.claims.delete(&known.name, &params)).await {
            Ok(_) => {
                self.store.mark_ending(known);
                Ok(())
            }
            Err(error) => Err(self.after_failure(known, error).await),
        }
    }

    /// The claim that got a pod, at the version of its record.
    fn claim_at(&self, pod: &PodRecord) -> Result<KnownClaim, ClusterError> {
        let known = self.store.claim_of(&pod.uid).ok_or(ClusterError::Gone)?;
        match known.version == pod.version {
            true => Ok(known),
            false => Err(ClusterError::Conflict),
        }
    }

    /// Reads a claim whose version was not the newest, so that the next try need not wait for the
    /// watch. Returns why the write failed.
    async fn after_failure(&self, known: &KnownClaim, error: ClusterError) -> ClusterError {
        match error {
            ClusterError::Conflict => {}
            ClusterError::Gone => {
                self.store.forget(known);
                return ClusterError::Gone;
            }
            error => return error,
        }
        match answer(WRITE_TIMEOUT, self.claims.get_opt(&known.name)).await {
            Ok(Some(found)) if found.metadata.uid.as_deref() == Some(known.uid.as_str()) => {
                self.store.refresh(&found);
                ClusterError::Conflict
            }
            Ok(_) => {
                self.store.forget(known);
                ClusterError::Gone
            }
            Err(_) => ClusterError::Conflict,
        }
    }
}
