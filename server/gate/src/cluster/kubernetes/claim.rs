//! The patch that writes a claim on a pod.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use serde_json::{Map, Value, json};

use super::{Owner, record::CLAIM_ANNOTATION};
use crate::cluster::{Claim, PodRecord};

/// The label with the tenant of a claimed pod, for policies and people.
pub(super) const TENANT_LABEL: &str = "browse.dev/tenant";

/// Keeps the autoscaler from moving a pod with sessions.
pub(super) const SAFE_TO_EVICT_ANNOTATION: &str = "cluster-autoscaler.kubernetes.io/safe-to-evict";

/// What a first claim changes besides the annotation.
#[derive(Clone, Debug)]
pub(super) struct FirstClaim {
    /// Keys of the labels that keep a pod in the pool.
    pub(super) pool_labels: Vec<String>,
    /// Who owns claimed pods.
    pub(super) owner: Option<Owner>,
}

impl FirstClaim {
    /// A JSON merge patch that writes `claim` on `pod` if its version is still the newest.
    ///
    /// The first claim also takes the pod out of the pool: without the label, the ReplicaSet lets
    /// go of it and makes another. The ReplicaSet removes its own reference from the owners then;
    /// this patch leaves it there and adds the one of the fleet, which does not control the pod,
    /// so that uninstalling the release deletes pods with claims too. A merge patch replaces lists
    /// whole, so `owners` has to be the list at the version of `pod`.
    pub(super) fn patch(
        &self,
        pod: &PodRecord,
        claim: &Claim,
        owners: Vec<OwnerReference>,
    ) -> Value {
        let claim_json = serde_json::to_string(claim).expect("a claim has only strings for keys");
        let mut metadata = json!({
            "resourceVersion": pod.version,
            "annotations": { CLAIM_ANNOTATION: claim_json },
        });
        if pod.claim.is_none() {
            metadata["annotations"][SAFE_TO_EVICT_ANNOTATION] = "false".into();
            metadata["labels"] = self.labels(claim);
            if let Some(owners) = self.with_owner(owners) {
                metadata["ownerReferences"] = json!(owners);
            }
        }
        json!({ "metadata": metadata })
    }

    fn labels(&self, claim: &Claim) -> Value {
        let mut labels = Map::new();
        for key in &self.pool_labels {
            labels.insert(key.clone(), Value::Null);
        }
        labels.insert(TENANT_LABEL.to_owned(), claim.tenant.as_str().into());
        Value::Object(labels)
    }

    /// The owners with that of claimed pods; none when nothing is to be changed.
    fn with_owner(&self, mut owners: Vec<OwnerReference>) -> Option<Vec<OwnerReference>> {
        let owner = self.owner.as_ref()?;
        if owners.iter().any(|known| known.uid == owner.uid) {
            return None;
        }
        owners.push(OwnerReference {
            api_version: owner.api_version.clone(),
            kind: owner.kind.clone(),
            name: owner.name.clone(),
            uid: owner.uid.clone(),
            ..OwnerReference::default()
        });
        Some(owners)
    }
}

#[cfg(test)]
mod tests {
    use browse_fleet::Tenant;
    use k8s_openapi::api::core::v1::Pod;

    use super::*;
    use crate::cluster::kubernetes::{fake, record::pod_record};

    fn first_claim(owner: Option<&str>) -> FirstClaim {
        let owner = owner.map(|uid| Owner {
            api_version: "apps/v1".to_owned(),
            kind: "Deployment".to_owned(),
            name: "browse-gate".to_owned(),
            uid: uid.to_owned(),
        });
        FirstClaim { pool_labels: vec!["browse.dev/pool".to_owned()], owner }
    }

    fn warm_pod() -> (PodRecord, Vec<OwnerReference>) {
        let mut pod = fake::pod("p", "u");
        pod["metadata"]["resourceVersion"] = "7".into();
        let pod: Pod = serde_json::from_value(pod).expect("a pod");
        let record = pod_record(&pod, &fake::profile()).expect("it is in the pool");
        (record, pod.metadata.owner_references.unwrap_or_default())
    }

    fn claim() -> Claim {
        Claim {
            tenant: Tenant::new("acme").expect("a tenant"),
            sessions: [("s".to_owned(), crate::cluster::ClaimedSession { since: 5 })].into(),
            empty_since: None,
        }
    }

    #[test]
    fn a_first_claim_takes_the_pod_out_of_the_pool() {
        let (pod, owners) = warm_pod();
        let patch = first_claim(Some("gate")).patch(&pod, &claim(), owners);
        let expected = json!({ "metadata": {
            "resourceVersion": "7",
            "annotations": {
                "browse.dev/claim": r#"{"tenant":"acme","sessions":{"s":{"since":5}}}"#,
                "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
            },
            "labels": { "browse.dev/pool": null, "browse.dev/tenant": "acme" },
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "pool", "uid": "set",
                    "controller": true, "blockOwnerDeletion": true,
                },
                {
                    "apiVersion": "apps/v1", "kind": "Deployment", "name": "browse-gate",
                    "uid": "gate",
                },
            ],
        } });
        assert_eq!(patch, expected);
    }

    #[test]
    fn a_later_claim_is_the_annotation_alone() {
        let (pod, owners) = warm_pod();
        let pod = PodRecord { claim: Some(claim()), ..pod };
        let patch = first_claim(Some("gate")).patch(&pod, &claim(), owners);
        let metadata = patch["metadata"].as_object().expect("an object");
        assert_eq!((metadata.len(), &metadata["resourceVersion"]), (2, &json!("7")));
        assert_eq!(metadata["annotations"].as_object().map(Map::len), Some(1));
    }

    #[test]
    fn owners_stay_as_they_are_without_an_owner_of_the_fleet() {
        let (pod, owners) = warm_pod();
        for owner in [None, Some("set")] {
            let patch = first_claim(owner).patch(&pod, &claim(), owners.clone());
            assert!(patch["metadata"].get("ownerReferences").is_none(), "{owner:?}");
        }
    }
}
