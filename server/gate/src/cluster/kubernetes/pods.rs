//! The table of pods: what the watch reports, and what this replica has just written itself.

use std::sync::Arc;

use browse_base::Lock;
use k8s_openapi::{api::core::v1::Pod, apimachinery::pkg::apis::meta::v1::OwnerReference};
use kube::runtime::watcher::Event;
use tokio::sync::watch;

use super::{
    objects::{KeptObject, ObjectTable},
    record::{PodProfile, pod_record},
};
use crate::cluster::{ClusterError, PodRecord, PodTable};

/// The pods of the fleet.
pub(super) struct PodStore {
    profile: PodProfile,
    known: Lock<ObjectTable<KnownPod>>,
    table: watch::Sender<Arc<PodTable>>,
}

/// A pod with what a write of it has to know.
#[derive(Clone, Debug, PartialEq)]
struct KnownPod {
    record: Arc<PodRecord>,
    owners: Vec<OwnerReference>,
}

impl PodStore {
    pub(super) fn new(profile: PodProfile) -> Self {
        Self {
            profile,
            known: Lock::default(),
            table: watch::Sender::new(Arc::new(PodTable::new())),
        }
    }

    /// The table, and each change of it.
    pub(super) fn subscribe(&self) -> watch::Receiver<Arc<PodTable>> {
        self.table.subscribe()
    }

    /// Whether the table has been whole once.
    pub(super) fn is_synced(&self) -> bool {
        self.known.lock().is_synced()
    }

    /// The owners of a pod at the version of `pod`.
    ///
    /// # Errors
    /// `Gone`: it is another pod by now, or none. `Conflict`: it has changed.
    pub(super) fn owners(&self, pod: &PodRecord) -> Result<Vec<OwnerReference>, ClusterError> {
        let known = self.known.lock();
        let same = known.get(&pod.name).filter(|known| known.record.uid == pod.uid);
        let same = same.ok_or(ClusterError::Gone)?;
        if same.record.version == pod.version {
            Ok(same.owners.clone())
        } else {
            Err(ClusterError::Conflict)
        }
    }

    /// Takes the answer to a call of this replica: the pod as it is now. Returns its record.
    pub(super) fn refresh(&self, pod: &Pod) -> Option<PodRecord> {
        let pod = KnownPod::read(pod, &self.profile)?;
        let record = PodRecord::clone(&pod.record);
        self.change(|known| known.refresh(pod));
        Some(record)
    }

    /// The pod does not exist any more.
    pub(super) fn forget(&self, pod: &PodRecord) {
        self.change(|known| known.remove(&pod.name, pod.uid.as_str()));
    }

    /// The pod is being deleted.
    pub(super) fn mark_ending(&self, pod: &PodRecord) {
        self.change(|known| {
            let known = known.get_mut(&pod.name, pod.uid.as_str());
            let Some(known) = known.filter(|known| !known.record.is_ending) else { return false };
            Arc::make_mut(&mut known.record).is_ending = true;
            true
        });
    }

    /// Takes what the watch has reported.
    pub(super) fn handle(&self, events: Vec<Event<Pod>>) {
        self.change(|known| {
            let mut is_changed = false;
            for event in events {
                is_changed |= known.handle(event, |pod| KnownPod::read(pod, &self.profile));
            }
            is_changed
        });
    }

    /// Publishes a new table if `change` says that something has changed.
    fn change(&self, change: impl FnOnce(&mut ObjectTable<KnownPod>) -> bool) {
        let mut known = self.known.lock();
        if change(&mut known) {
            let table = known.iter().map(|pod| (pod.record.name.clone(), Arc::clone(&pod.record)));
            // Within the lock, so that tables are published in the order of the changes.
            self.table.send_replace(Arc::new(table.collect()));
        }
    }
}

impl KnownPod {
    fn read(pod: &Pod, profile: &PodProfile) -> Option<Self> {
        let owners = pod.metadata.owner_references.clone().unwrap_or_default();
        pod_record(pod, profile).map(|record| Self { record: Arc::new(record), owners })
    }
}

impl KeptObject for KnownPod {
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

#[cfg(test)]
mod tests {
    use browse_fleet::PodUid;

    use super::*;
    use crate::cluster::kubernetes::fake;

    /// The pod `name` with a version; `is_ready` tells one version from another.
    fn pod(name: &str, version: u32, is_ready: bool) -> Pod {
        let mut pod = fake::pod(name, &format!("uid-{name}"));
        pod["metadata"]["resourceVersion"] = version.to_string().into();
        pod["status"]["conditions"][0]["status"] = if is_ready { "True" } else { "False" }.into();
        serde_json::from_value(pod).expect("a pod")
    }

    fn store(events: Vec<Event<Pod>>) -> PodStore {
        let store = PodStore::new(fake::profile());
        report(&store, events);
        store
    }

    fn report(store: &PodStore, events: Vec<Event<Pod>>) {
        store.handle(events);
    }

    /// The names, each with its version.
    fn versions(store: &PodStore) -> Vec<(String, String)> {
        let table = Arc::clone(&store.subscribe().borrow());
        table.values().map(|pod| (pod.name.clone(), pod.version.clone())).collect()
    }

    fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, version)| ((*name).into(), (*version).into())).collect()
    }

    #[test]
    fn a_list_is_published_when_it_is_whole() {
        let store = store(vec![Event::Init, Event::InitApply(pod("a", 1, true))]);
        assert!(!store.is_synced() && versions(&store).is_empty());
        report(&store, vec![Event::InitApply(pod("b", 2, true)), Event::InitDone]);
        assert!(store.is_synced());
        assert_eq!(versions(&store), named(&[("a", "1"), ("b", "2")]));
        let again = vec![Event::Init, Event::InitApply(pod("b", 2, true)), Event::InitDone];
        report(&store, again);
        assert_eq!(versions(&store), named(&[("b", "2")]), "the other has gone meanwhile");
    }

    #[test]
    fn a_burst_is_published_once() {
        let store = store(vec![Event::Init, Event::InitDone]);
        let mut table = store.subscribe();
        let burst = (1..100).map(|version| Event::Apply(pod("a", version, true))).collect();
        report(&store, burst);
        assert!(table.has_changed().expect("the store lives"));
        assert_eq!(table.borrow_and_update()["a"].version, "99");
        assert!(!table.has_changed().expect("the store lives"));
    }

    #[test]
    fn a_table_shares_the_records_that_have_not_changed() {
        let store = store(vec![Event::Apply(pod("a", 5, true)), Event::Apply(pod("b", 5, true))]);
        let table = || Arc::clone(&store.subscribe().borrow());
        let before = table();
        report(&store, vec![Event::Apply(pod("b", 6, true))]);
        let changed = table();
        let list = [pod("a", 5, true), pod("b", 7, true)].map(Event::InitApply);
        let list = [Event::Init].into_iter().chain(list).chain([Event::InitDone]).collect();
        report(&store, list);
        let listed = table();
        assert_eq!(listed["b"].version, "7");
        for (one, other) in [(&before, &changed), (&changed, &listed)] {
            assert!(Arc::ptr_eq(&one["a"], &other["a"]) && !Arc::ptr_eq(&one["b"], &other["b"]));
        }
    }

    #[test]
    fn an_older_event_does_not_undo_a_write() {
        let store = store(vec![Event::Apply(pod("a", 5, true))]);
        let written = store.refresh(&pod("a", 10, false)).expect("a record");
        report(&store, vec![Event::Apply(pod("a", 9, true))]);
        assert_eq!(*store.subscribe().borrow()["a"], written);
        let relist = vec![Event::Init, Event::InitApply(pod("a", 9, true)), Event::InitDone];
        report(&store, relist);
        assert_eq!(*store.subscribe().borrow()["a"], written);
        assert!(matches!(store.owners(&written), Ok(owners) if owners.len() == 1));
        let old = PodRecord { version: "5".to_owned(), ..written };
        assert!(matches!(store.owners(&old), Err(ClusterError::Conflict)));
    }

    #[test]
    fn an_answer_does_not_bring_back_a_pod_that_has_gone() {
        let store = store(vec![Event::Apply(pod("a", 5, true))]);
        report(&store, vec![Event::Delete(pod("a", 7, true))]);
        let late = store.refresh(&pod("a", 6, true)).expect("a record");
        assert!(versions(&store).is_empty());
        assert!(matches!(store.owners(&late), Err(ClusterError::Gone)));
    }

    #[test]
    fn a_pod_that_is_deleted_ends_at_once() {
        let store = store(vec![Event::Apply(pod("a", 5, true))]);
        let record = store.subscribe().borrow()["a"].clone();
        let uid = PodUid::new("other").expect("a uid");
        let other = PodRecord { uid, ..PodRecord::clone(&record) };
        store.mark_ending(&other);
        store.forget(&other);
        assert!(!store.subscribe().borrow()["a"].is_ending, "it was another of its name");
        store.mark_ending(&record);
        assert!(store.subscribe().borrow()["a"].is_ending);
        store.forget(&record);
        assert!(versions(&store).is_empty());
    }

    #[test]
    fn a_pod_that_leaves_the_pool_without_a_claim_is_not_ours() {
        let store = store(vec![Event::Apply(pod("a", 5, true))]);
        let mut out = pod("a", 6, true);
        out.metadata.labels = None;
        report(&store, vec![Event::Apply(out)]);
        assert!(versions(&store).is_empty());
    }
}
