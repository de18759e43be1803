//! Writes on pods: each changes the pod that is meant, at the version that is meant, or fails.

use std::{sync::Arc, time::Duration};

use k8s_openapi::api::core::v1::Pod;
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams, Preconditions},
};

use super::{FIELD_MANAGER, call::answer, claim::FirstClaim, pods::PodStore};
use crate::cluster::{Claim, ClusterError, PodRecord};

/// Time in which the API server has to answer.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// Writes on the pods of the fleet, and keeps the table of pods up with them.
pub(super) struct PodWriter {
    pub(super) pods: Api<Pod>,
    pub(super) store: Arc<PodStore>,
    pub(super) first_claim: FirstClaim,
}

impl PodWriter {
    /// Writes a claim.
    pub(super) async fn write_claim(
        &self,
        pod: &PodRecord,
        claim: &Claim,
    ) -> Result<PodRecord, ClusterError> {
        let owners = self.store.owners(pod)?;
        let patch = Patch::Merge(self.first_claim.patch(pod, claim, owners));
        let params =
            PatchParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..Default::default() };
        let call = self.pods.patch(&pod.name, &params, &patch);
        match answer(WRITE_TIMEOUT, call).await {
            Ok(written) => self.store.refresh(&written).ok_or_else(|| {
                ClusterError::Unavailable("the answer to a write is not a pod".to_owned())
            }),
            Err(ClusterError::Conflict) => Err(self.look_again(pod).await),
            Err(ClusterError::Gone) => {
                self.store.forget(pod);
                Err(ClusterError::Gone)
            }
            Err(error) => Err(error),
        }
    }

    /// Deletes a pod, unless somebody has written on it: it may have got a session. What has gone
    /// already is gone.
    pub(super) async fn delete(&self, pod: &PodRecord) -> Result<(), ClusterError> {
        let uid = Some(pod.uid.as_str().to_owned());
        let resource_version = Some(pod.version.clone());
        let params = DeleteParams::default().preconditions(Preconditions { uid, resource_version });
        match answer(WRITE_TIMEOUT, self.pods.delete(&pod.name, &params)).await {
            Ok(_) => {
                self.store.mark_ending(pod);
                Ok(())
            }
            Err(ClusterError::Conflict) => Err(self.look_again(pod).await),
            Err(ClusterError::Gone) => {
                self.store.forget(pod);
                Err(ClusterError::Gone)
            }
            Err(error) => Err(error),
        }
    }

    /// Reads a pod whose version was not the newest, so that the next try need not wait for the
    /// watch. Returns why the write failed.
    async fn look_again(&self, pod: &PodRecord) -> ClusterError {
        match answer(WRITE_TIMEOUT, self.pods.get_opt(&pod.name)).await {
            Ok(Some(found)) if found.metadata.uid.as_deref() == Some(pod.uid.as_str()) => {
                self.store.refresh(&found);
                ClusterError::Conflict
            }
            Ok(_) => {
                self.store.forget(pod);
                ClusterError::Gone
            }
            Err(_) => ClusterError::Conflict,
        }
    }
}

#[cfg(test)]
mod tests {
    use browse_fleet::Tenant;
    use kube::runtime::watcher::Event;
    use serde_json::Value;

    use super::*;
    use crate::cluster::kubernetes::fake::{self, FakeServer, pod_path};

    /// A server with the pod `p`, and a writer that knows it.
    fn start() -> (Arc<FakeServer>, PodWriter) {
        let server = Arc::new(FakeServer::default());
        let pod = server.put(&pod_path("p"), fake::pod("p", "u"));
        let store = Arc::new(PodStore::new(fake::profile()));
        let event = Event::Apply(serde_json::from_value(pod).expect("a pod"));
        store.handle(vec![event]);
        let first_claim =
            FirstClaim { pool_labels: vec!["browse.dev/pool".to_owned()], owner: None };
        let pods: Api<Pod> = Api::namespaced(server.client(), fake::NAMESPACE);
        (server, PodWriter { pods, store, first_claim })
    }

    fn known(writer: &PodWriter) -> Option<PodRecord> {
        writer.store.subscribe().borrow().get("p").map(|pod| PodRecord::clone(pod))
    }

    fn claim(session: &str) -> Claim {
        Claim::new(Tenant::new("acme").expect("a tenant")).with_session(session)
    }

    fn labels(server: &FakeServer) -> Value {
        server.get(&pod_path("p")).expect("it is there")["metadata"]["labels"].clone()
    }

    #[tokio::test]
    async fn a_claim_is_on_the_pod_and_in_the_table() {
        let (server, writer) = start();
        let pod = known(&writer).expect("it is warm");
        let written = writer.write_claim(&pod, &claim("s")).await.expect("nobody else writes");
        assert_eq!(known(&writer), Some(written.clone()));
        assert_eq!(written.claim.as_ref().map(|claim| claim.sessions.len()), Some(1));
        let expected =
            serde_json::json!({ "browse.dev/pod": "release", "browse.dev/tenant": "acme" });
        assert_eq!(labels(&server), expected);
        let late = writer.write_claim(&pod, &claim("t")).await;
        assert!(matches!(late, Err(ClusterError::Conflict)), "{late:?}");
        writer.write_claim(&written, &claim("t")).await.expect("it is the newest");
    }

    #[tokio::test]
    async fn after_a_conflict_the_table_has_the_newest() {
        let (server, writer) = start();
        let pod = known(&writer).expect("it is warm");
        server.put(&pod_path("p"), fake::pod("p", "u"));
        let conflict = writer.write_claim(&pod, &claim("s")).await;
        assert!(matches!(conflict, Err(ClusterError::Conflict)), "{conflict:?}");
        let newest = known(&writer).expect("it is there");
        assert_ne!(newest.version, pod.version);
        writer.write_claim(&newest, &claim("s")).await.expect("it is the newest");
    }

    #[tokio::test]
    async fn a_pod_that_has_gone_leaves_the_table() {
        let (server, writer) = start();
        let pod = known(&writer).expect("it is warm");
        server.put(&pod_path("p"), fake::pod("p", "another"));
        assert!(matches!(writer.write_claim(&pod, &claim("s")).await, Err(ClusterError::Gone)));
        assert_eq!(known(&writer), None, "the name is another pod's");
        assert!(matches!(writer.delete(&pod).await, Err(ClusterError::Gone)));
        assert!(server.get(&pod_path("p")).is_some(), "the other one is not deleted");
        server.remove(&pod_path("p"));
        assert!(matches!(writer.delete(&pod).await, Err(ClusterError::Gone)));
    }

    #[tokio::test]
    async fn a_deleted_pod_ends_at_once() {
        let (server, writer) = start();
        let pod = known(&writer).expect("it is warm");
        server.set_down(true);
        assert!(matches!(writer.delete(&pod).await, Err(ClusterError::Unavailable(_))));
        assert!(known(&writer).is_some_and(|pod| pod.is_warm()));
        server.set_down(false);
        writer.delete(&pod).await.expect("it is there");
        assert!(known(&writer).is_some_and(|pod| pod.is_ending));
        assert!(server.get(&pod_path("p")).is_none());
    }
}
