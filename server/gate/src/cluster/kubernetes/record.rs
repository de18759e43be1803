//! What the gateway reads from a pod of Kubernetes.

use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
};

use browse_fleet::PodUid;
use k8s_openapi::api::core::v1::{Pod, PodStatus};
use kube::api::ObjectMeta;

use crate::cluster::{Claim, PodRecord};

/// The annotation with the claim of a pod, as JSON.
pub(super) const CLAIM_ANNOTATION: &str = "browse.dev/claim";

/// How pods of the fleet are read.
#[derive(Clone, Debug)]
pub(super) struct PodProfile {
    /// The port at which the daemon takes the gateway.
    pub(super) port: u16,
    /// The labels of pods that are in the pool.
    pub(super) pool_labels: BTreeMap<String, String>,
}

/// The labels that a selector of the form `key=value,key=value` asks for; none for another one.
pub(super) fn parse_pool_selector(selector: &str) -> Option<BTreeMap<String, String>> {
    let label = |term: &str| {
        let (key, value) = term.split_once('=')?;
        // `==` is the same as `=`; `!=` is not a label that a pod has.
        let (key, value) = (key.trim(), value.strip_prefix('=').unwrap_or(value).trim());
        let is_label = !key.is_empty() && !key.contains(['!', ' ']) && !value.contains('=');
        is_label.then(|| (key.to_owned(), value.to_owned()))
    };
    selector.split(',').map(label).collect()
}

/// The record of a pod without a claim; none for one that has not been named by the API server.
pub(super) fn bare_record(pod: &Pod, port: u16) -> Option<PodRecord> {
    let status = pod.status.as_ref();
    let phase = status.and_then(|status| status.phase.as_deref());
    Some(PodRecord {
        name: pod.metadata.name.clone()?,
        uid: PodUid::new(pod.metadata.uid.clone()?).ok()?,
        address: status.and_then(|status| address(status, port)),
        version: pod.metadata.resource_version.clone()?,
        is_ready: status.is_some_and(is_ready),
        is_ending: pod.metadata.deletion_timestamp.is_some()
            || matches!(phase, Some("Succeeded" | "Failed")),
        claim: None,
    })
}

/// The record of a pod; none for one that is not of this gateway: it has no claim and is not in
/// the pool, or has not been named by the API server.
///
/// A pod whose claim cannot be read counts as ending: it may hold the data of a tenant, so nobody
/// else gets it, and nothing is sent to it.
pub(super) fn pod_record(pod: &Pod, profile: &PodProfile) -> Option<PodRecord> {
    let record = bare_record(pod, profile.port)?;
    let claim = read_claim(&pod.metadata);
    if let Err(error) = &claim {
        tracing::warn!(pod = %record.name, %error, "the claim of a pod cannot be read");
    }
    if matches!(claim, Ok(None)) && !is_in_pool(&pod.metadata, profile) {
        return None;
    }
    Some(PodRecord {
        is_ending: claim.is_err() || record.is_ending,
        claim: claim.ok().flatten(),
        ..record
    })
}

/// Whether version `candidate` of an object is newer than `known`. Versions are numbers that count
/// up; where they are not, one that differs is taken for newer.
pub(super) fn is_newer(candidate: &str, known: &str) -> bool {
    match (candidate.parse::<u64>(), known.parse::<u64>()) {
        (Ok(candidate), Ok(known)) => candidate > known,
        _ => candidate != known,
    }
}

/// The claim that an object has in its annotation; none when it has no such annotation.
pub(super) fn read_claim(metadata: &ObjectMeta) -> Result<Option<Claim>, serde_json::Error> {
    let annotations = metadata.annotations.as_ref();
    let json = annotations.and_then(|annotations| annotations.get(CLAIM_ANNOTATION));
    json.map(|json| serde_json::from_str(json)).transpose()
}

fn is_in_pool(metadata: &ObjectMeta, profile: &PodProfile) -> bool {
    let labels = metadata.labels.as_ref();
    let has = |(key, value): (&String, &String)| {
        labels.is_some_and(|labels| labels.get(key) == Some(value))
    };
    profile.pool_labels.iter().all(has)
}

fn address(status: &PodStatus, port: u16) -> Option<SocketAddr> {
    let address: IpAddr = status.pod_ip.as_deref()?.parse().ok()?;
    Some(SocketAddr::new(address, port))
}

fn is_ready(status: &PodStatus) -> bool {
    let mut conditions = status.conditions.iter().flatten();
    conditions.any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cluster::kubernetes::fake;

    fn read(change: impl FnOnce(&mut Value)) -> Option<PodRecord> {
        let mut pod = fake::pod("p", "u");
        pod["metadata"]["resourceVersion"] = "7".into();
        change(&mut pod);
        pod_record(&serde_json::from_value(pod).expect("a pod"), &fake::profile())
    }

    #[test]
    fn a_pod_of_the_pool_is_warm() {
        let record = read(|_| {}).expect("it is in the pool");
        assert!(record.is_warm() && record.is_reachable(), "{record:?}");
        assert_eq!(record.address, Some(SocketAddr::from(([10, 0, 0, 1], 7443))));
        assert_eq!((record.uid.as_str(), record.version.as_str()), ("u", "7"));
        let starting = read(|pod| pod["status"] = json!({ "phase": "Pending" }));
        let starting = starting.expect("it is in the pool");
        assert!(!starting.is_ready && !starting.is_ending && starting.address.is_none());
        assert!(read(|pod| pod["metadata"]["labels"] = json!({})).is_none(), "of another pool");
    }

    #[test]
    fn a_pod_that_ends_says_so() {
        let deleted = |pod: &mut Value| {
            pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
        };
        assert!(read(deleted).expect("it is in the pool").is_ending);
        assert!(read(|pod| pod["status"]["phase"] = "Failed".into()).expect("a pod").is_ending);
    }

    #[test]
    fn a_claim_is_read_from_its_annotation() {
        let claimed = |json: &'static str| {
            read(move |pod| {
                pod["metadata"]["annotations"] = json!({ CLAIM_ANNOTATION: json });
                pod["metadata"]["labels"] = json!({});
            })
        };
        let record = claimed(r#"{"tenant":"acme","sessions":{"s":{"since":5}}}"#).expect("claimed");
        let claim = record.claim.as_ref().expect("it has one");
        assert_eq!((claim.tenant.as_str(), claim.sessions["s"].since), ("acme", 5));
        assert!(!record.is_warm() && record.is_reachable());
        for json in ["", "{}", r#"{"tenant":"../x","sessions":{}}"#] {
            let record = claimed(json).expect("it is kept from the others");
            assert!(record.is_ending && !record.is_warm() && record.claim.is_none(), "{json}");
        }
    }

    #[test]
    fn newer_versions_are_known_by_their_number() {
        assert!(is_newer("10", "9") && !is_newer("9", "10") && !is_newer("9", "9"));
        assert!(is_newer("b", "a") && is_newer("a", "b") && !is_newer("a", "a"));
    }

    #[test]
    fn a_pool_is_named_by_labels() {
        let labels = parse_pool_selector("browse.dev/pool=default, a==b").expect("labels");
        assert_eq!(labels.len(), 2);
        assert_eq!(labels["a"], "b");
        for selector in ["", "a", "a!=b", "a in (b)", "=b", "!a", "a=b,"] {
            assert!(parse_pool_selector(selector).is_none(), "{selector}");
        }
    }
}
