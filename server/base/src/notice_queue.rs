//! Notices that wait until somebody takes them.

use std::collections::VecDeque;

use super::Lock;

/// Notices that wait. With more, the oldest go.
const MAX_NOTICES: usize = 10;

/// A few notices, oldest first.
#[derive(Debug, Default)]
pub struct NoticeQueue(Lock<VecDeque<String>>);

impl NoticeQueue {
    /// Adds a notice.
    pub fn add(&self, text: String) {
        let mut notices = self.0.lock();
        if notices.len() >= MAX_NOTICES {
            notices.pop_front();
        }
        notices.push_back(text);
    }

    /// Takes them, each once.
    pub fn take(&self) -> Vec<String> {
        self.0.lock().drain(..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_notices_wait_and_are_taken_once() {
        let queue = NoticeQueue::default();
        (0..MAX_NOTICES + 2).for_each(|number| queue.add(format!("notice {number}")));
        let taken = queue.take();
        assert_eq!((taken.len(), taken[0].as_str()), (MAX_NOTICES, "notice 2"));
        assert!(queue.take().is_empty());
    }
}
