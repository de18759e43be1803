//! A cluster in memory, for tests: several replicas of the gateway in one process share its pods.
//!
//! It has no pool: a pod that gets its first claim is not replaced. A test that wants
//! another warm pod adds it.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use browse_base::Lock;
use futures::future::BoxFuture;
use tokio::sync::watch;

use super::{Claim, Cluster, ClusterError, Leadership, PodRecord, PodTable};

/// The pods that all replicas share, and the replicas.
#[derive(Debug)]
pub struct MemoryCluster {
    pods: watch::Sender<Arc<PodTable>>,
    is_available: AtomicBool,
    last_version: AtomicU64,
    replicas: Lock<Replicas>,
}

/// The cluster as one replica of the gateway sees it. Dropping it is the end of the replica.
#[derive(Debug)]
pub struct MemoryReplica {
    cluster: Arc<MemoryCluster>,
    id: u64,
    leadership: watch::Receiver<Leadership>,
}

#[derive(Debug, Default)]
struct Replicas {
    last_id: u64,
    /// The oldest first.
    members: Vec<Member>,
}

#[derive(Debug)]
struct Member {
    id: u64,
    address: SocketAddr,
    leadership: watch::Sender<Leadership>,
    /// Whether it may lead: it has not been stopped.
    is_candidate: bool,
}

impl MemoryCluster {
    /// A cluster without pods and replicas.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            pods: watch::Sender::new(Arc::new(PodTable::new())),
            is_available: AtomicBool::new(true),
            last_version: AtomicU64::new(0),
            replicas: Lock::default(),
        })
    }

    /// Adds a replica that the others reach at `address`. The oldest one that has not been stopped
    /// leads.
    pub fn replica(self: &Arc<Self>, address: SocketAddr) -> Arc<MemoryReplica> {
        let (sender, leadership) = watch::channel(Leadership::default());
        let mut replicas = self.replicas.lock();
        replicas.last_id += 1;
        let id = replicas.last_id;
        replicas.members.push(Member { id, address, leadership: sender, is_candidate: true });
        replicas.announce();
        drop(replicas);
        Arc::new(MemoryReplica { cluster: Arc::clone(self), id, leadership })
    }

    /// Whether the cluster answers. While it does not, writes fail.
    pub fn set_available(&self, is_available: bool) {
        self.is_available.store(is_available, Ordering::SeqCst);
    }

    /// Adds a pod, or replaces the one of its name. Its version is set here.
    pub fn add_pod(&self, pod: PodRecord) {
        self.pods.send_modify(|pods| {
            let pod = PodRecord { version: self.next_version(), ..pod };
            Arc::make_mut(pods).insert(pod.name.clone(), Arc::new(pod));
        });
    }

    /// Removes the pod of this name, as when its node has failed.
    pub fn remove_pod(&self, name: &str) {
        self.pods.send_if_modified(|pods| Arc::make_mut(pods).remove(name).is_some());
    }

    /// Changes whether the pod of this name is ready.
    pub fn set_ready(&self, name: &str, is_ready: bool) {
        self.pods.send_if_modified(|pods| {
            let Some(pod) = Arc::make_mut(pods).get_mut(name) else { return false };
            let pod = Arc::make_mut(pod);
            pod.is_ready = is_ready;
            pod.version = self.next_version();
            true
        });
    }

    /// The pod of this name is being deleted: it is still there.
    pub fn set_ending(&self, name: &str) {
        self.pods.send_if_modified(|pods| {
            let Some(pod) = Arc::make_mut(pods).get_mut(name) else { return false };
            let pod = Arc::make_mut(pod);
            pod.is_ending = true;
            pod.version = self.next_version();
            true
        });
    }

    /// The pod of this name.
    pub fn pod(&self, name: &str) -> Option<PodRecord> {
        self.pods.borrow().get(name).map(|pod| PodRecord::clone(pod))
    }

    fn write(&self, pod: &PodRecord, claim: &Claim) -> Result<PodRecord, ClusterError> {
        self.change(pod, |pods, known| {
            let version = self.next_version();
            let written = PodRecord { version, claim: Some(claim.clone()), ..known };
            pods.insert(written.name.clone(), Arc::new(written.clone()));
            written
        })
    }

    fn remove(&self, pod: &PodRecord) -> Result<(), ClusterError> {
        self.change(pod, |pods, known| drop(pods.remove(&known.name)))
    }

    /// Changes the table if `pod` is as it is known there.
    fn change<R>(
        &self,
        pod: &PodRecord,
        change: impl FnOnce(&mut PodTable, PodRecord) -> R,
    ) -> Result<R, ClusterError> {
        self.check_available()?;
        let mut result = Err(ClusterError::Gone);
        self.pods.send_if_modified(|pods| {
            let Some(known) = pods.get(&pod.name).filter(|known| known.uid == pod.uid) else {
                return false;
            };
            if known.version != pod.version {
                result = Err(ClusterError::Conflict);
                return false;
            }
            let known = PodRecord::clone(known);
            result = Ok(change(Arc::make_mut(pods), known));
            true
        });
        result
    }

    fn check_available(&self) -> Result<(), ClusterError> {
        if self.is_available.load(Ordering::SeqCst) {
            return Ok(());
        }
        Err(ClusterError::Unavailable("the cluster in memory is switched off".to_owned()))
    }

    fn next_version(&self) -> String {
        (self.last_version.fetch_add(1, Ordering::SeqCst) + 1).to_string()
    }
}

impl Replicas {
    /// Tells each replica who leads, if that has changed.
    fn announce(&self) {
        let leader = self.members.iter().find(|member| member.is_candidate);
        for member in &self.members {
            let leadership = Leadership {
                is_self: leader.is_some_and(|leader| leader.id == member.id),
                address: leader.map(|leader| leader.address),
            };
            member.leadership.send_if_modified(|known| {
                let is_changed = *known != leadership;
                *known = leadership;
                is_changed
            });
        }
    }
}

impl MemoryReplica {
    /// Hands the leadership to the next replica. This one still sees the pods and who leads.
    pub fn stop(&self) {
        let mut replicas = self.cluster.replicas.lock();
        for member in replicas.members.iter_mut().filter(|member| member.id == self.id) {
            member.is_candidate = false;
        }
        replicas.announce();
    }
}

impl Drop for MemoryReplica {
    fn drop(&mut self) {
        let mut replicas = self.cluster.replicas.lock();
        replicas.members.retain(|member| member.id != self.id);
        replicas.announce();
    }
}

impl Cluster for MemoryReplica {
    fn pods(&self) -> watch::Receiver<Arc<PodTable>> {
        self.cluster.pods.subscribe()
    }

    fn leadership(&self) -> watch::Receiver<Leadership> {
        self.leadership.clone()
    }

    fn is_available(&self) -> bool {
        self.cluster.is_available.load(Ordering::SeqCst)
    }

    fn write_claim(
        &self,
        pod: &PodRecord,
        claim: &Claim,
    ) -> BoxFuture<'_, Result<PodRecord, ClusterError>> {
        let (pod, claim) = (pod.clone(), claim.clone());
        Box::pin(async move { self.cluster.write(&pod, &claim) })
    }

    fn delete(&self, pod: &PodRecord) -> BoxFuture<'_, Result<(), ClusterError>> {
        let pod = pod.clone();
        Box::pin(async move { self.cluster.remove(&pod) })
    }

    fn withdraw(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move { self.stop() })
    }
}

#[cfg(test)]
mod tests {
    use browse_fleet::{PodUid, Tenant};

    use super::*;

    fn pod(name: &str, uid: &str) -> PodRecord {
        PodRecord {
            name: name.to_owned(),
            uid: PodUid::new(uid).expect("a uid"),
            address: Some(address(1)),
            version: String::new(),
            is_ready: true,
            is_ending: false,
            claim: None,
        }
    }

    fn address(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    fn claim() -> Claim {
        Claim::new(Tenant::new("acme").expect("a tenant")).with_session("s")
    }

    #[tokio::test]
    async fn a_write_needs_the_newest_version() {
        let cluster = MemoryCluster::new();
        let (one, two) = (cluster.replica(address(1)), cluster.replica(address(2)));
        cluster.add_pod(pod("p", "u"));
        let seen = cluster.pod("p").expect("it was added");
        let written = one.write_claim(&seen, &claim()).await.expect("it is the newest");
        assert_eq!(two.pods().borrow().get("p").map(|pod| &**pod), Some(&written));
        let late = two.write_claim(&seen, &claim()).await;
        assert!(matches!(late, Err(ClusterError::Conflict)), "{late:?}");
        let other = PodRecord { uid: PodUid::new("other").expect("a uid"), ..written.clone() };
        assert!(matches!(two.write_claim(&other, &claim()).await, Err(ClusterError::Gone)));
        assert!(matches!(two.delete(&other).await, Err(ClusterError::Gone)));
        assert!(matches!(two.delete(&seen).await, Err(ClusterError::Conflict)));
        two.delete(&written).await.expect("it is the newest");
        assert!(matches!(one.write_claim(&written, &claim()).await, Err(ClusterError::Gone)));
    }

    #[tokio::test]
    async fn nothing_is_written_while_the_cluster_does_not_answer() {
        let cluster = MemoryCluster::new();
        let replica = cluster.replica(address(1));
        cluster.add_pod(pod("p", "u"));
        let seen = cluster.pod("p").expect("it was added");
        cluster.set_available(false);
        assert!(!replica.is_available());
        let refused = replica.write_claim(&seen, &claim()).await;
        assert!(matches!(refused, Err(ClusterError::Unavailable(_))), "{refused:?}");
        assert!(replica.delete(&seen).await.is_err());
        cluster.set_available(true);
        replica.write_claim(&seen, &claim()).await.expect("it answers again");
    }

    #[test]
    fn the_oldest_replica_leads() {
        let cluster = MemoryCluster::new();
        let first = cluster.replica(address(1));
        let second = cluster.replica(address(2));
        let third = cluster.replica(address(3));
        let leader = |replica: &MemoryReplica| replica.leadership().borrow().clone();
        assert_eq!(leader(&first), Leadership { is_self: true, address: Some(address(1)) });
        assert_eq!(leader(&third), Leadership { is_self: false, address: Some(address(1)) });
        first.stop();
        assert_eq!(leader(&first), Leadership { is_self: false, address: Some(address(2)) });
        assert!(leader(&second).is_self);
        drop(second);
        assert!(leader(&third).is_self);
        drop(third);
        assert_eq!(leader(&first), Leadership::default(), "it was stopped");
    }

    #[test]
    fn pods_come_and_go() {
        let cluster = MemoryCluster::new();
        let replica = cluster.replica(address(1));
        let mut pods = replica.pods();
        cluster.add_pod(pod("p", "u"));
        let version = cluster.pod("p").expect("it was added").version;
        cluster.set_ready("p", false);
        let changed = cluster.pod("p").expect("it is there");
        assert!(!changed.is_warm() && changed.version != version);
        assert!(pods.has_changed().expect("the cluster lives"));
        pods.mark_unchanged();
        cluster.set_ready("absent", true);
        assert!(!pods.has_changed().expect("the cluster lives"));
        cluster.remove_pod("p");
        assert!(pods.borrow_and_update().is_empty());
    }
}
