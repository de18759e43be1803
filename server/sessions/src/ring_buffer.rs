//! A ring buffer of what a tab did: at most 50,000 entries and 4 MiB, a
//! constant-time push, and a number for each entry.

use std::{collections::VecDeque, sync::Mutex};

/// Entries that a ring holds.
const MAX_ENTRIES: usize = 50_000;

/// Bytes that a ring holds.
const MAX_RING_BYTES: usize = 4 << 20;

/// Something whose size in memory is known.
pub trait MemorySize {
    /// Bytes that it takes, about.
    fn memory_bytes(&self) -> usize;
}

/// A ring of entries, numbered from 1.
#[derive(Debug)]
pub struct RingBuffer<T> {
    ring: Mutex<RingState<T>>,
}

#[derive(Debug)]
struct RingState<T> {
    entries: VecDeque<(u64, T)>,
    bytes: usize,
    next: u64,
    dropped: u64,
}

impl<T> Default for RingBuffer<T> {
    fn default() -> Self {
        let ring = RingState { entries: VecDeque::new(), bytes: 0, next: 1, dropped: 0 };
        Self { ring: Mutex::new(ring) }
    }
}

impl<T: Clone + MemorySize> RingBuffer<T> {
    /// Adds what `make` makes of its number, and answers the number. The
    /// oldest entries fall out when the ring is full.
    pub fn push(&self, make: impl FnOnce(u64) -> T) -> u64 {
        let mut ring = self.lock();
        let number = ring.next;
        ring.next += 1;
        let entry = make(number);
        ring.bytes += entry.memory_bytes();
        ring.entries.push_back((number, entry));
        while ring.entries.len() > MAX_ENTRIES || ring.bytes > MAX_RING_BYTES {
            let Some((_, oldest)) = ring.entries.pop_front() else { break };
            ring.bytes = ring.bytes.saturating_sub(oldest.memory_bytes());
            ring.dropped += 1;
        }
        number
    }

    /// Changes the entry `number`; false when it has fallen out.
    pub fn update(&self, number: u64, change: impl FnOnce(&mut T)) -> bool {
        let mut ring = self.lock();
        let Some(at) = ring.position(number) else { return false };
        let (_, entry) = &mut ring.entries[at];
        let before = entry.memory_bytes();
        change(entry);
        let after = entry.memory_bytes();
        ring.bytes = (ring.bytes + after).saturating_sub(before);
        true
    }

    /// All entries, oldest first.
    pub fn all(&self) -> Vec<T> {
        self.lock().entries.iter().map(|(_, entry)| entry.clone()).collect()
    }

    /// The entries from `number` on, oldest first, and how many are older.
    pub fn since(&self, number: u64) -> (Vec<T>, u64) {
        let ring = self.lock();
        let older = ring.entries.partition_point(|(own, _)| *own < number);
        let entries = ring.entries.iter().skip(older).map(|(_, entry)| entry.clone());
        (entries.collect(), older as u64)
    }

    /// The number that the next entry gets.
    pub fn next_number(&self) -> u64 {
        self.lock().next
    }

    /// The last entry that is `wanted`, with its number.
    pub fn find_last(&self, wanted: impl Fn(&T) -> bool) -> Option<(u64, T)> {
        let ring = self.lock();
        ring.entries.iter().rev().find(|(_, entry)| wanted(entry)).cloned()
    }

    /// The number of the last entry; 0 before the first.
    pub fn last_number(&self) -> u64 {
        self.lock().next - 1
    }

    /// The entries after `number`.
    pub fn after(&self, number: u64) -> Vec<T> {
        let ring = self.lock();
        let later = ring.entries.iter().filter(|(own, _)| *own > number);
        later.map(|(_, entry)| entry.clone()).collect()
    }

    /// The entry `number`.
    pub fn find(&self, number: u64) -> Option<T> {
        let ring = self.lock();
        ring.position(number).map(|at| ring.entries[at].1.clone())
    }

    /// Entries that fell out so far.
    pub fn dropped(&self) -> u64 {
        self.lock().dropped
    }

    /// Forgets all entries, and answers how many there were. Numbers go on.
    pub fn clear(&self) -> u64 {
        let mut ring = self.lock();
        let removed = ring.entries.len() as u64;
        ring.entries = VecDeque::new();
        ring.bytes = 0;
        removed
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, RingState<T>> {
        self.ring.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl<T> RingState<T> {
    fn position(&self, number: u64) -> Option<usize> {
        let at = self.entries.partition_point(|(own, _)| *own < number);
        self.entries.get(at).filter(|(own, _)| *own == number).map(|_| at)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_ENTRIES, MAX_RING_BYTES, MemorySize, RingBuffer};

    #[derive(Clone, Debug, PartialEq)]
    struct Entry(usize);

    impl MemorySize for Entry {
        fn memory_bytes(&self) -> usize {
            self.0
        }
    }

    #[test]
    fn the_oldest_fall_out_at_the_limit_of_entries() {
        let capture = RingBuffer::default();
        for _ in 0..MAX_ENTRIES + 10 {
            capture.push(|_| Entry(1));
        }
        assert_eq!((capture.all().len(), capture.dropped()), (MAX_ENTRIES, 10));
        assert_eq!((capture.find(10), capture.find(11)), (None, Some(Entry(1))));
    }

    #[test]
    fn the_oldest_fall_out_at_the_limit_of_bytes() {
        let capture = RingBuffer::default();
        for _ in 0..9 {
            capture.push(|_| Entry(MAX_RING_BYTES / 4));
        }
        assert_eq!((capture.all().len(), capture.dropped()), (4, 5));
    }

    #[test]
    fn numbers_go_on_after_a_clear() {
        let capture = RingBuffer::default();
        capture.push(|_| Entry(1));
        capture.push(|_| Entry(2));
        assert_eq!(capture.clear(), 2);
        assert_eq!(capture.push(|number| Entry(number as usize)), 3);
        assert_eq!((capture.all(), capture.dropped()), (vec![Entry(3)], 0));
    }

    #[test]
    fn an_entry_can_grow() {
        let capture = RingBuffer::default();
        let number = capture.push(|_| Entry(1));
        assert!(capture.update(number, |entry| entry.0 = 7));
        assert_eq!(capture.find(number), Some(Entry(7)));
        assert!(!capture.update(99, |entry| entry.0 = 8));
    }
}
