//! Messages on their way to a client: bounded, since a client may never read.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

/// Bytes that wait for a client.
const MAX_QUEUED_BYTES: usize = 64 << 20;

/// Messages that wait for a client.
const MAX_QUEUED_MESSAGES: usize = 50_000;

/// The queue of one client.
#[derive(Default)]
pub(super) struct Outbox {
    queue: Mutex<Queue>,
    changed: Notify,
}

#[derive(Default)]
struct Queue {
    messages: VecDeque<String>,
    bytes: usize,
    /// Why the connection ends, once it does.
    closing: Option<String>,
}

/// What is to be done next.
pub(super) enum Next {
    /// Send this.
    Message(String),
    /// End the connection, for this reason.
    Close(String),
}

impl Outbox {
    /// Adds a message. A client that leaves too much unread is closed.
    pub(super) fn push(&self, message: String) {
        let mut queue = self.lock();
        if queue.closing.is_some() {
            return;
        }
        let bytes = queue.bytes + message.len();
        let is_full = queue.messages.len() >= MAX_QUEUED_MESSAGES || bytes > MAX_QUEUED_BYTES;
        if is_full && !queue.messages.is_empty() {
            *queue = Queue {
                closing: Some("the client does not read what it asked for".to_owned()),
                ..Queue::default()
            };
        } else {
            queue.bytes = bytes;
            queue.messages.push_back(message);
        }
        drop(queue);
        self.changed.notify_one();
    }

    /// Ends the connection after what is queued. The first reason counts.
    pub(super) fn close(&self, reason: &str) {
        self.lock().closing.get_or_insert_with(|| reason.to_owned());
        self.changed.notify_one();
    }

    /// Why the connection ends, when it does and what is queued no longer matters.
    pub(super) fn overflow(&self) -> Option<String> {
        let queue = self.lock();
        queue.closing.clone().filter(|_| queue.messages.is_empty())
    }

    /// Waits for something to do.
    pub(super) async fn next(&self) -> Next {
        loop {
            {
                let mut queue = self.lock();
                if let Some(message) = queue.messages.pop_front() {
                    queue.bytes -= message.len();
                    return Next::Message(message);
                }
                if let Some(reason) = &queue.closing {
                    return Next::Close(reason.clone());
                }
            }
            self.changed.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_QUEUED_MESSAGES, Next, Outbox};

    #[tokio::test]
    async fn what_is_queued_is_sent_before_the_end() {
        let outbox = Outbox::default();
        outbox.push("a".to_owned());
        outbox.close("done");
        outbox.push("late".to_owned());
        assert!(matches!(outbox.next().await, Next::Message(text) if text == "a"));
        assert!(matches!(outbox.next().await, Next::Close(reason) if reason == "done"));
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_closed() {
        let outbox = Outbox::default();
        (0..=MAX_QUEUED_MESSAGES).for_each(|_| outbox.push("x".to_owned()));
        assert!(matches!(outbox.next().await, Next::Close(reason) if reason.contains("read")));
        assert!(outbox.overflow().is_some());
    }
}
