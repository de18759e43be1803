//! The SandboxClaim of agent-sandbox, as far as the gateway writes and reads it.
//!
//! Source: `extensions.agents.x-k8s.io/v1beta1` in `docs/api.md` of
//! <https://github.com/kubernetes-sigs/agent-sandbox>.

use std::{borrow::Cow, collections::BTreeMap};

use k8s_openapi::{
    NamespaceResourceScope,
    apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference},
};
use kube::Resource;
use serde::{Deserialize, Serialize};

use crate::cluster::{
    Claim,
    kubernetes::{
        Owner,
        claim::{SAFE_TO_EVICT_ANNOTATION, TENANT_LABEL},
        record::CLAIM_ANNOTATION,
    },
};

const GROUP: &str = "extensions.agents.x-k8s.io";
const VERSION: &str = "v1beta1";
const KIND: &str = "SandboxClaim";

/// The label by which the gateway finds the claims of its fleet.
pub(super) const FLEET_LABEL: &str = "browse.dev/fleet";

/// The annotation with the uid of the pod that the tenant got.
pub(super) const POD_ANNOTATION: &str = "browse.dev/pod";

/// A claim for a sandbox of a warm pool.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SandboxClaim {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    pub(super) metadata: ObjectMeta,
    #[serde(default)]
    spec: SandboxClaimSpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<SandboxClaimStatus>,
}

/// What is claimed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SandboxClaimSpec {
    #[serde(default)]
    warm_pool_ref: WarmPoolReference,
    #[serde(default)]
    additional_pod_metadata: SandboxPodMetadata,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct WarmPoolReference {
    #[serde(default)]
    name: String,
}

/// What the controller writes on the pod of the claim. Labels are left out: the controller refuses
/// a claim whose labels are not of the domains that its operator has allowed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct SandboxPodMetadata {
    #[serde(default)]
    annotations: BTreeMap<String, String>,
}

/// What the controller has found for a claim.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct SandboxClaimStatus {
    #[serde(default)]
    pub(super) conditions: Vec<SandboxCondition>,
    #[serde(default)]
    pub(super) sandbox: ClaimedSandbox,
}

/// A condition of a claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SandboxCondition {
    #[serde(default, rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) status: String,
    #[serde(default)]
    pub(super) reason: String,
    #[serde(default)]
    pub(super) message: String,
}

/// The sandbox that belongs to a claim.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct ClaimedSandbox {
    /// Its name; empty until there is one.
    #[serde(default)]
    pub(super) name: String,
}

/// What all claims of a fleet have in common.
#[derive(Clone, Debug)]
pub(super) struct ClaimTemplate {
    /// The fleet.
    pub(super) fleet: String,
    /// The SandboxWarmPool that gives the pods.
    pub(super) warm_pool: String,
    /// Who owns the claims.
    pub(super) owner: Option<Owner>,
}

impl ClaimTemplate {
    /// The claim `name` as it is created: without a pod.
    pub(super) fn object(&self, name: &str, claim: &Claim) -> SandboxClaim {
        let claim_json = serde_json::to_string(claim).expect("a claim has only strings for keys");
        let tenant = claim.tenant.as_str().to_owned();
        let owner = self.owner.as_ref().map(|owner| OwnerReference {
            api_version: owner.api_version.clone(),
            kind: owner.kind.clone(),
            name: owner.name.clone(),
            uid: owner.uid.clone(),
            ..OwnerReference::default()
        });
        let labels = [(FLEET_LABEL, self.fleet.clone()), (TENANT_LABEL, tenant.clone())];
        let on_pod = [(TENANT_LABEL, tenant), (SAFE_TO_EVICT_ANNOTATION, "false".to_owned())];
        SandboxClaim {
            api_version: format!("{GROUP}/{VERSION}"),
            kind: KIND.to_owned(),
            metadata: ObjectMeta {
                name: Some(name.to_owned()),
                labels: Some(strings(labels)),
                annotations: Some(strings([(CLAIM_ANNOTATION, claim_json)])),
                owner_references: owner.map(|owner| vec![owner]),
                ..ObjectMeta::default()
            },
            spec: SandboxClaimSpec {
                warm_pool_ref: WarmPoolReference { name: self.warm_pool.clone() },
                additional_pod_metadata: SandboxPodMetadata { annotations: strings(on_pod) },
            },
            status: None,
        }
    }
}

fn strings<const N: usize>(pairs: [(&str, String); N]) -> BTreeMap<String, String> {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

impl Resource for SandboxClaim {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind(_: &()) -> Cow<'_, str> {
        KIND.into()
    }

    fn group(_: &()) -> Cow<'_, str> {
        GROUP.into()
    }

    fn version(_: &()) -> Cow<'_, str> {
        VERSION.into()
    }

    fn plural(_: &()) -> Cow<'_, str> {
        "sandboxclaims".into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[cfg(test)]
mod tests {
    use browse_fleet::Tenant;
    use serde_json::json;

    use super::*;
    use crate::cluster::ClaimedSession;

    #[test]
    fn a_claim_names_its_pool_its_tenant_and_its_owner() {
        let template = ClaimTemplate {
            fleet: "browse".to_owned(),
            warm_pool: "browse-pool".to_owned(),
            owner: Some(Owner {
                api_version: "apps/v1".to_owned(),
                kind: "Deployment".to_owned(),
                name: "browse-gate".to_owned(),
                uid: "gate".to_owned(),
            }),
        };
        let claim = Claim {
            tenant: Tenant::new("acme").expect("a tenant"),
            sessions: [("s".to_owned(), ClaimedSession { since: 5 })].into(),
            empty_since: None,
        };
        let object = serde_json::to_value(template.object("c", &claim)).expect("JSON");
        let expected = json!({
            "apiVersion": "extensions.agents.x-k8s.io/v1beta1",
            "kind": "SandboxClaim",
            "metadata": {
                "name": "c",
                "labels": { "browse.dev/fleet": "browse", "browse.dev/tenant": "acme" },
                "annotations": {
                    "browse.dev/claim": r#"{"tenant":"acme","sessions":{"s":{"since":5}}}"#,
                },
                "ownerReferences": [{
                    "apiVersion": "apps/v1", "kind": "Deployment", "name": "browse-gate",
                    "uid": "gate",
                }],
            },
            "spec": {
                "warmPoolRef": { "name": "browse-pool" },
                "additionalPodMetadata": { "annotations": {
                    "browse.dev/tenant": "acme",
                    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
                } },
            },
        });
        assert_eq!(object, expected);
    }

    #[test]
    fn what_is_not_known_here_is_passed_over() {
        let object: SandboxClaim = serde_json::from_value(json!({
            "apiVersion": "extensions.agents.x-k8s.io/v1beta1",
            "kind": "SandboxClaim",
            "metadata": { "name": "c", "uid": "u", "resourceVersion": "1" },
            "spec": { "warmPoolRef": { "name": "p" }, "lifecycle": { "shutdownPolicy": "Retain" } },
            "status": {
                "sandbox": { "name": "s", "podIPs": ["10.0.0.1"] },
                "conditions": [{
                    "type": "Ready", "status": "True", "reason": "DependenciesReady",
                    "message": "Pod is Ready", "lastTransitionTime": "2026-01-01T00:00:00Z",
                    "observedGeneration": 1,
                }],
            },
        }))
        .expect("a claim");
        let status = object.status.expect("it has one");
        assert_eq!((status.sandbox.name.as_str(), status.conditions.len()), ("s", 1));
        assert_eq!(
            SandboxClaim::url_path(&(), Some("fleet")),
            "/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/fleet/sandboxclaims"
        );
    }
}
