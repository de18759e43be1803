//! The outgoing side of the pipe.
//!
//! A message is tried on the socket at once, on the caller's thread: the pipe
//! is nearly always empty, and a task switch would cost more than the write.
//! What the socket does not take is queued in order and flushed by a task.

use std::collections::VecDeque;
use std::io;

use tokio::net::UnixStream;
use tokio::sync::Notify;

use crate::chromium::sync::Lock;

/// Messages in the order they were sent, the first perhaps partly written.
#[derive(Default)]
struct Queue {
    messages: VecDeque<Vec<u8>>,
    written: usize,
}

/// Sends whole messages in order without ever blocking the caller.
#[derive(Default)]
pub(crate) struct Writer {
    queue: Lock<Queue>,
    waiting: Notify,
}

impl Writer {
    /// Sends one message, now or as soon as the pipe takes it.
    pub(crate) fn send(&self, stream: &UnixStream, message: Vec<u8>) {
        let mut queue = self.queue.lock();
        queue.messages.push_back(message);
        if queue.messages.len() == 1 {
            // A broken pipe is the reader's to report: it sees the end too.
            let _ = queue.flush(stream);
        }
        if !queue.messages.is_empty() {
            self.waiting.notify_one();
        }
    }

    /// Flushes what did not fit; ends when the pipe is broken.
    pub(crate) async fn run(&self, stream: &UnixStream) -> io::Result<()> {
        loop {
            self.waiting.notified().await;
            loop {
                if self.queue.lock().messages.is_empty() {
                    break;
                }
                stream.writable().await?;
                self.queue.lock().flush(stream)?;
            }
        }
    }
}

impl Queue {
    /// Writes as much as the socket takes.
    fn flush(&mut self, stream: &UnixStream) -> io::Result<()> {
        while let Some(message) = self.messages.front() {
            match stream.try_write(&message[self.written..]) {
                Ok(count) => {
                    self.written += count;
                    if self.written == message.len() {
                        self.messages.pop_front();
                        self.written = 0;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
