//! What the gateway keeps of claims and of pods of sandboxes.

use std::sync::Arc;

use browse_fleet::{PodUid, SessionKey};
use k8s_openapi::api::core::v1::Pod;

use super::object::{POD_ANNOTATION, SandboxClaim, SandboxCondition};
use crate::cluster::{
    Claim, PodRecord,
    kubernetes::{
        objects::KeptObject,
        record::{bare_record, read_claim},
    },
};

/// The label that the controller gives the pod of a sandbox that belongs to a claim.
const CLAIM_UID_LABEL: &str = "agents.x-k8s.io/claim-uid";

/// Where sandboxes are defined.
const SANDBOX_GROUP: &str = "agents.x-k8s.io/";

/// Reasons of the condition `Ready` that last until somebody changes the settings.
const REFUSALS: [&str; 5] = [
    "WarmPoolNotFound",
    "TemplateNotFound",
    "InvalidMetadata",
    "EnvVarsInjectionRejected",
    "VolumeClaimTemplatesError",
];

/// A claim of the fleet.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KnownClaim {
    /// Its name.
    pub(super) name: String,
    /// Its uid.
    pub(super) uid: String,
    /// Its version.
    pub(super) version: String,
    /// Whose it is; none when that cannot be read.
    pub(super) claim: Option<Claim>,
    /// The pod that the tenant got; none while the claim waits for one.
    pub(super) pod: Option<PodUid>,
    /// The sandbox that the controller found or made for it.
    pub(super) sandbox: Option<String>,
    /// Whether it is being deleted.
    pub(super) is_ending: bool,
    /// What the controller reports of it.
    ready: Option<SandboxCondition>,
}

/// The pod of a sandbox.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SandboxPod {
    /// Its record, without a claim.
    pub(super) record: Arc<PodRecord>,
    /// The sandbox.
    pub(super) sandbox: String,
    /// Whether the sandbox belongs to a claim, and not to the warm pool any more.
    pub(super) is_claimed: bool,
}

impl KnownClaim {
    /// Reads a claim; none for one that has not been named by the API server.
    pub(super) fn read(object: &SandboxClaim) -> Option<Self> {
        let metadata = &object.metadata;
        let name = metadata.name.clone()?;
        let claim = read_claim(metadata);
        if let Err(error) = &claim {
            tracing::warn!(claim = %name, %error, "a claim cannot be read");
        }
        let annotations = metadata.annotations.as_ref();
        let pod = annotations.and_then(|annotations| annotations.get(POD_ANNOTATION));
        let status = object.status.as_ref();
        let sandbox = status.map(|status| status.sandbox.name.clone());
        let mut conditions = status.into_iter().flat_map(|status| &status.conditions);
        Some(Self {
            uid: metadata.uid.clone()?,
            version: metadata.resource_version.clone()?,
            claim: claim.ok().flatten(),
            pod: pod.and_then(|uid| PodUid::new(uid.clone()).ok()),
            sandbox: sandbox.filter(|name| !name.is_empty()),
            is_ending: metadata.deletion_timestamp.is_some(),
            ready: conditions.find(|condition| condition.kind == "Ready").cloned(),
            name,
        })
    }

    /// Whether it waits for a pod in which `place` is to be opened.
    pub(super) fn waits_for(&self, place: &SessionKey) -> bool {
        let claim = self.claim.as_ref().filter(|claim| claim.tenant == place.tenant);
        !self.is_ending
            && self.pod.is_none()
            && claim.is_some_and(|claim| claim.sessions.contains_key(&place.session))
    }

    /// Why the controller refuses it, if it does.
    pub(super) fn refusal(&self) -> Option<String> {
        let ready = self.ready.as_ref().filter(|ready| ready.status == "False");
        let refused = ready.filter(|ready| REFUSALS.contains(&ready.reason.as_str()));
        refused.map(|_| self.report())
    }

    /// What the controller reports of it, in words.
    pub(super) fn report(&self) -> String {
        match &self.ready {
            Some(ready) => {
                format!("SandboxClaim `{}`: {}: {}", self.name, ready.reason, ready.message)
            }
            None => format!(
                "SandboxClaim `{}`: no controller has looked at it; does agent-sandbox run with \
                 its extensions?",
                self.name
            ),
        }
    }
}

impl SandboxPod {
    /// Reads a pod; none for one that no sandbox controls.
    pub(super) fn read(pod: &Pod, port: u16) -> Option<Self> {
        let metadata = &pod.metadata;
        let mut owners = metadata.owner_references.iter().flatten();
        let sandbox = owners.find(|owner| {
            owner.controller == Some(true)
                && owner.kind == "Sandbox"
                && owner.api_version.starts_with(SANDBOX_GROUP)
        })?;
        let labels = metadata.labels.as_ref();
        Some(Self {
            record: Arc::new(bare_record(pod, port)?),
            sandbox: sandbox.name.clone(),
            is_claimed: labels.is_some_and(|labels| labels.contains_key(CLAIM_UID_LABEL)),
        })
    }

    /// The record of the pod with the claim that got it: `known`, if it has not changed.
    pub(super) fn claimed_record(
        &self,
        claim: &KnownClaim,
        known: Option<&Arc<PodRecord>>,
    ) -> Arc<PodRecord> {
        let pod = &self.record;
        // One whose claim cannot be read may hold the data of a tenant.
        let is_ending = pod.is_ending || claim.is_ending || claim.claim.is_none();
        let is_same = |known: &&Arc<PodRecord>| {
            known.uid == pod.uid
                && known.address == pod.address
                && known.version == claim.version
                && known.is_ready == pod.is_ready
                && known.is_ending == is_ending
                && known.claim == claim.claim
        };
        known.filter(is_same).cloned().unwrap_or_else(|| {
            Arc::new(PodRecord {
                version: claim.version.clone(),
                is_ending,
                claim: claim.claim.clone(),
                ..PodRecord::clone(pod)
            })
        })
    }
}

impl KeptObject for KnownClaim {
    fn name(&self) -> &str {
        &self.name
    }

    fn uid(&self) -> &str {
        &self.uid
    }

    fn version(&self) -> &str {
        &self.version
    }
}

impl KeptObject for SandboxPod {
    fn name(&self) -> &str {
        &self.record.name
    }

    fn uid(&self) -> &str {
        self.record.uid.as_str()
    }

    fn version(&self) -> &str {
        &self.record.version
    }
}
