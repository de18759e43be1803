//! The incoming side of the pipe: cuts the byte stream into messages.

use std::io;

use bytes::{Bytes, BytesMut};
use tokio::net::UnixStream;

/// Room made before each read.
const CHUNK: usize = 64 * 1024;
/// A buffer grown beyond this by a large message is given back afterwards.
const KEEP: usize = 1024 * 1024;

/// Yields NUL-delimited messages.
#[derive(Default)]
pub(crate) struct Reader {
    buffer: BytesMut,
    /// How far the buffer was searched for a NUL already.
    searched: usize,
}

impl Reader {
    /// The next message without its NUL; `None` at the end of the pipe.
    pub(crate) async fn next(&mut self, stream: &UnixStream) -> io::Result<Option<Bytes>> {
        loop {
            if let Some(message) = self.cut() {
                return Ok(Some(message));
            }
            stream.readable().await?;
            self.buffer.reserve(CHUNK);
            match stream.try_read_buf(&mut self.buffer) {
                Ok(0) => return Ok(None),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes one whole message off the front of the buffer.
    fn cut(&mut self) -> Option<Bytes> {
        let Some(offset) = memchr::memchr(0, &self.buffer[self.searched..]) else {
            self.searched = self.buffer.len();
            return None;
        };
        let mut message = self.buffer.split_to(self.searched + offset + 1);
        message.truncate(message.len() - 1);
        self.searched = 0;
        if self.buffer.is_empty() && self.buffer.capacity() > KEEP {
            self.buffer = BytesMut::new();
        }
        Some(message.freeze())
    }
}

#[cfg(test)]
mod tests {
    use super::Reader;
    use tokio::io::AsyncWriteExt;
    use tokio::net::UnixStream;

    #[tokio::test]
    async fn messages_are_cut_at_nul_whatever_the_chunks() {
        let (ours, mut theirs) = UnixStream::pair().expect("a socket pair");
        let mut reader = Reader::default();
        theirs.write_all(b"one\0tw").await.expect("writes");
        let first = reader.next(&ours).await.expect("reads");
        assert_eq!(first.as_deref(), Some(&b"one"[..]));
        theirs.write_all(b"o\0three\0").await.expect("writes");
        drop(theirs);
        let second = reader.next(&ours).await.expect("reads");
        assert_eq!(second.as_deref(), Some(&b"two"[..]));
        let third = reader.next(&ours).await.expect("reads");
        assert_eq!(third.as_deref(), Some(&b"three"[..]));
        assert!(reader.next(&ours).await.expect("reads").is_none());
    }
}
