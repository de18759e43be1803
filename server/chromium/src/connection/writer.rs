//! The outgoing side of the pipe.
//!
//! A message is tried on the socket at once, on the caller's thread: the pipe
//! is nearly always empty, and a task switch would cost more than the write.
//! What the socket does not take is queued in order and flushed by a task.

use std::collections::VecDeque;
use std::io::{self, IoSlice};

use tokio::net::UnixStream;
use tokio::sync::Notify;

use browse_base::Lock;

/// Messages that go into one write at most.
const MAX_MESSAGES_PER_WRITE: usize = 16;

/// Messages in the order they were sent, the first perhaps partly written.
#[derive(Default)]
struct WriteQueue {
    messages: VecDeque<Vec<u8>>,
    written_bytes: usize,
    /// Bytes of all of them.
    waiting_bytes: usize,
    /// How many callers have more to send at once.
    open_batches: usize,
}

/// Sends whole messages in order without ever blocking the caller.
#[derive(Default)]
pub(crate) struct MessageWriter {
    queue: Lock<WriteQueue>,
    flush_needed: Notify,
}

impl MessageWriter {
    /// Sends one message, now or as soon as the pipe takes it.
    pub(crate) fn send(&self, stream: &UnixStream, message: Vec<u8>) {
        let mut queue = self.queue.lock();
        queue.waiting_bytes += message.len();
        queue.messages.push_back(message);
        if queue.messages.len() == 1 && queue.open_batches == 0 {
            self.try_flush(&mut queue, stream);
        }
    }

    /// Bytes that the pipe did not take yet.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.queue.lock().waiting_bytes
    }

    /// What `send` sends goes into one write: the browser wakes up once, and has
    /// all of it.
    pub(crate) fn batch_writes<T>(&self, stream: &UnixStream, send: impl FnOnce() -> T) -> T {
        self.queue.lock().open_batches += 1;
        let held = WriteBatch { writer: self, stream };
        let sent = send();
        drop(held);
        sent
    }

    fn try_flush(&self, queue: &mut WriteQueue, stream: &UnixStream) {
        // A broken pipe is the reader's to report: it sees the end too.
        let _ = queue.flush(stream);
        if !queue.messages.is_empty() {
            self.flush_needed.notify_one();
        }
    }

    /// Flushes what did not fit; ends when the pipe is broken.
    pub(crate) async fn run(&self, stream: &UnixStream) -> io::Result<()> {
        loop {
            self.flush_needed.notified().await;
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

/// Somebody has more to send; what was sent goes out when this is dropped.
struct WriteBatch<'a> {
    writer: &'a MessageWriter,
    stream: &'a UnixStream,
}

impl Drop for WriteBatch<'_> {
    fn drop(&mut self) {
        let mut queue = self.writer.queue.lock();
        queue.open_batches -= 1;
        if queue.open_batches == 0 {
            self.writer.try_flush(&mut queue, self.stream);
        }
    }
}

impl WriteQueue {
    /// Writes as much as the socket takes.
    fn flush(&mut self, stream: &UnixStream) -> io::Result<()> {
        while !self.messages.is_empty() {
            let rest = self.messages.iter().enumerate().take(MAX_MESSAGES_PER_WRITE);
            let parts: Vec<IoSlice<'_>> = rest
                .map(|(index, message)| {
                    IoSlice::new(if index == 0 { &message[self.written_bytes..] } else { message })
                })
                .collect();
            match stream.try_write_vectored(&parts) {
                Ok(count) => self.advance(count),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Forgets so many bytes, which were written.
    fn advance(&mut self, count: usize) {
        self.written_bytes += count;
        while let Some(message) = self.messages.front()
            && self.written_bytes >= message.len()
        {
            self.written_bytes -= message.len();
            self.waiting_bytes -= message.len();
            self.messages.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn what_is_sent_together_goes_out_once_all_of_it_is_there() {
        let (ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
        let writer = MessageWriter::default();
        let mut read = [0; 64];
        writer.batch_writes(&ours, || {
            for part in ["one ", "two ", "three"] {
                writer.send(&ours, part.into());
                let none = theirs.try_read(&mut read).expect_err("nothing is written yet");
                assert_eq!(none.kind(), io::ErrorKind::WouldBlock);
            }
        });
        let count = theirs.read(&mut read).await.expect("it is written");
        assert_eq!(&read[..count], b"one two three");
    }

    #[tokio::test]
    async fn a_socket_that_takes_a_part_gets_the_rest_in_order() {
        let (ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
        let writer = MessageWriter::default();
        let messages: Vec<Vec<u8>> =
            (0..40).map(|index| vec![index; 10_000 * usize::from(index)]).collect();
        writer.batch_writes(&ours, || {
            for message in &messages {
                writer.send(&ours, message.clone());
            }
        });
        let sent = messages.concat();
        let mut came = vec![0; sent.len()];
        tokio::select! {
            ended = writer.run(&ours) => panic!("the writer ended: {ended:?}"),
            read = theirs.read_exact(&mut came) => { read.expect("all of it"); }
        }
        assert!(came == sent, "the bytes differ");
    }
}
