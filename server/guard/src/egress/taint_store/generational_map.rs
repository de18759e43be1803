//! A map of hashes that forgets what is old.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher as StdHasher},
};

/// A map whose oldest half is forgotten when it is full.
pub struct GenerationalMap<V> {
    max_entries: usize,
    pub(super) young: HashMap<u64, V, BuildHasherDefault<IdentityHasher>>,
    pub(super) old: HashMap<u64, V, BuildHasherDefault<IdentityHasher>>,
}

impl<V: Copy + Default> GenerationalMap<V> {
    pub fn new(most: usize) -> Self {
        Self { max_entries: most, young: HashMap::default(), old: HashMap::default() }
    }

    pub fn get(&self, key: u64) -> Option<V> {
        self.young.get(&key).or_else(|| self.old.get(&key)).copied()
    }

    pub fn add(&mut self, key: u64, change: impl FnOnce(V) -> V) {
        if let Some(known) = self.young.get_mut(&key) {
            *known = change(*known);
            return;
        }
        if self.young.len() >= self.max_entries {
            self.old = std::mem::take(&mut self.young);
        }
        let known = self.old.get(&key).copied().unwrap_or_default();
        self.young.insert(key, change(known));
    }
}

/// The keys are hashes already.
#[derive(Default)]
pub struct IdentityHasher(u64);

impl StdHasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}
