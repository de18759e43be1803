//! A map whose entries end some time after they were inserted.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
    time::{Duration, Instant},
};

/// The map. Entries that have ended go with the next insertion.
pub struct ExpiringMap<K, V> {
    lifetime: Duration,
    entries: HashMap<K, (Instant, V)>,
    /// The keys in the order of their insertion. Some are removed or replaced by now.
    order: VecDeque<(Instant, K)>,
}

impl<K: Clone + Eq + Hash, V> ExpiringMap<K, V> {
    /// An empty one, whose entries last for `lifetime`.
    pub fn new(lifetime: Duration) -> Self {
        Self { lifetime, entries: HashMap::new(), order: VecDeque::new() }
    }

    /// Inserts an entry, or replaces the one of its key.
    pub fn insert(&mut self, key: K, value: V, now: Instant) {
        self.remove_ended(now);
        self.order.push_back((now, key.clone()));
        self.entries.insert(key, (now, value));
    }

    /// What the entry of this key holds, if there is one at `now`.
    pub fn get(&self, key: &K, now: Instant) -> Option<&V> {
        let (since, value) = self.entries.get(key)?;
        (!self.has_ended(*since, now)).then_some(value)
    }

    /// Whether there is an entry of this key at `now`.
    pub fn contains(&self, key: &K, now: Instant) -> bool {
        self.get(key, now).is_some()
    }

    /// Removes the entry of this key; returns what it holds, unless it has ended.
    pub fn remove(&mut self, key: &K, now: Instant) -> Option<V> {
        let (since, value) = self.entries.remove(key)?;
        (!self.has_ended(since, now)).then_some(value)
    }

    fn has_ended(&self, since: Instant, now: Instant) -> bool {
        now.duration_since(since) >= self.lifetime
    }

    fn remove_ended(&mut self, now: Instant) {
        while let Some((since, key)) = self.order.front() {
            if !self.has_ended(*since, now) {
                return;
            }
            // A later one of its key is there still.
            if self.entries.get(key).is_some_and(|(current, _)| current == since) {
                self.entries.remove(key);
            }
            self.order.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIFETIME: Duration = Duration::from_secs(10);

    #[test]
    fn entries_end_and_leave_nothing() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut map = ExpiringMap::new(LIFETIME);
        map.insert("a", 1, at(0));
        map.insert("b", 2, at(4));
        assert!(map.contains(&"a", at(9)) && !map.contains(&"a", at(10)));
        // It is replaced: the first insertion does not end it.
        map.insert("a", 3, at(8));
        map.insert("c", 4, at(15));
        assert_eq!((map.entries.len(), map.order.len()), (2, 2), "`b` has ended");
        assert_eq!((map.remove(&"a", at(15)), map.remove(&"a", at(15))), (Some(3), None));
        assert_eq!(map.remove(&"c", at(25)), None);
        map.insert("d", 5, at(40));
        assert_eq!((map.entries.len(), map.order.len()), (1, 1));
    }
}
