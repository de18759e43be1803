//! A table of objects of one kind: what a watch reports, and what this replica has just written
//! itself.
//!
//! An answer to a write may come before or after the watch reports the same change, so of two
//! versions of an object the newer one counts. Answers never add an object: the report of its end
//! may have come first, and then nothing would remove it again.

use std::collections::BTreeMap;

use kube::{Resource, api::ObjectMeta, runtime::watcher::Event};

use super::record::is_newer;

/// What is kept of an object.
pub(super) trait KeptObject {
    /// Its name.
    fn name(&self) -> &str;

    /// Its uid.
    fn uid(&self) -> &str;

    /// Its version.
    fn version(&self) -> &str;
}

/// The objects by name.
#[derive(Debug)]
pub(super) struct ObjectTable<T> {
    objects: BTreeMap<String, T>,
    /// The objects of a list that is still being read.
    listed: BTreeMap<String, T>,
    /// Whether a list has been read to its end.
    is_synced: bool,
}

impl<T: KeptObject + PartialEq> ObjectTable<T> {
    /// The objects, in the order of their names.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.objects.values()
    }

    /// The object of this name.
    pub(super) fn get(&self, name: &str) -> Option<&T> {
        self.objects.get(name)
    }

    /// The object of this name and uid, to be changed.
    pub(super) fn get_mut(&mut self, name: &str, uid: &str) -> Option<&mut T> {
        self.objects.get_mut(name).filter(|known| known.uid() == uid)
    }

    /// Whether the table has been whole once.
    pub(super) fn is_synced(&self) -> bool {
        self.is_synced
    }

    /// Takes an event of the watch; returns whether the table is another one now. `read` keeps
    /// what is needed of an object, or nothing of one that is not of this table.
    pub(super) fn handle<K: Resource>(
        &mut self,
        event: Event<K>,
        read: impl Fn(&K) -> Option<T>,
    ) -> bool {
        match event {
            Event::Init => {
                self.listed.clear();
                false
            }
            Event::InitApply(object) => {
                if let Some(object) = read(&object) {
                    self.listed.insert(object.name().to_owned(), object);
                }
                false
            }
            Event::InitDone => {
                self.take_list();
                true
            }
            Event::Apply(object) => match read(&object) {
                Some(object) => self.accept(object),
                None => self.remove_reported(object.meta()),
            },
            Event::Delete(object) => self.remove_reported(object.meta()),
        }
    }

    /// Takes the answer to a call of this replica; returns whether the table is another one now.
    pub(super) fn refresh(&mut self, object: T) -> bool {
        let known = self.objects.get(object.name());
        known.is_some_and(|known| known.uid() == object.uid()) && self.accept(object)
    }

    /// Removes the object of this name, if it has this uid.
    pub(super) fn remove(&mut self, name: &str, uid: &str) -> bool {
        let is_same = self.objects.get(name).is_some_and(|known| known.uid() == uid);
        is_same && self.objects.remove(name).is_some()
    }

    /// Replaces the objects by those of the list, except for those that were written since, and
    /// those that are the same: their records stay shared.
    fn take_list(&mut self) {
        let mut before = std::mem::take(&mut self.objects);
        let listed = std::mem::take(&mut self.listed).into_iter();
        let newest = listed.map(|(name, listed)| {
            let known = before.remove(&name);
            let kept = known
                .filter(|known| is_newer(known.version(), listed.version()) || *known == listed);
            (name, kept.unwrap_or(listed))
        });
        self.objects = newest.collect();
        self.is_synced = true;
    }

    fn accept(&mut self, object: T) -> bool {
        let known = self.objects.get(object.name());
        if known.is_some_and(|known| !is_newer(object.version(), known.version())) {
            return false;
        }
        self.objects.insert(object.name().to_owned(), object);
        true
    }

    fn remove_reported(&mut self, metadata: &ObjectMeta) -> bool {
        match (&metadata.name, &metadata.uid) {
            (Some(name), Some(uid)) => self.remove(name, uid),
            _ => false,
        }
    }
}

impl<T> Default for ObjectTable<T> {
    fn default() -> Self {
        Self { objects: BTreeMap::new(), listed: BTreeMap::new(), is_synced: false }
    }
}
