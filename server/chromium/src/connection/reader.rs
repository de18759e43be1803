//! The incoming side of the pipe: cuts the byte stream into messages.

use std::io;

use bytes::{Bytes, BytesMut};
use serde_json::json;
use tokio::net::UnixStream;

use super::cbor;

/// Room made before each read.
const READ_CHUNK_BYTES: usize = 64 * 1024;
/// A buffer grown beyond this by a large message is given back afterwards.
const MAX_KEPT_BUFFER_BYTES: usize = 1024 * 1024;

/// Yields messages, as JSON. An answer that cannot be read is a refusal, so that
/// nobody waits for it.
#[derive(Default)]
pub(crate) struct MessageReader {
    buffer: BytesMut,
}

impl MessageReader {
    /// The next message; `None` at the end of the pipe. An event that is not the
    /// protocol's is left out.
    pub(crate) async fn next(&mut self, stream: &UnixStream) -> io::Result<Option<Bytes>> {
        loop {
            while let Some(message) = self.split_message()? {
                match cbor::to_json(&message) {
                    Ok(json) => return Ok(Some(json.into())),
                    Err(fault) => match cbor::message_id(&message) {
                        Some(id) => return Ok(Some(unreadable_answer(id, &fault))),
                        None => tracing::debug!(%fault, "dropped what is not the protocol's"),
                    },
                }
            }
            stream.readable().await?;
            self.buffer.reserve(READ_CHUNK_BYTES);
            match stream.try_read_buf(&mut self.buffer) {
                Ok(0) => return Ok(None),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes one whole message off the front of the buffer.
    fn split_message(&mut self) -> io::Result<Option<BytesMut>> {
        let length = cbor::message_length(&self.buffer)
            .map_err(|fault| io::Error::new(io::ErrorKind::InvalidData, fault.to_string()))?;
        let Some(length) = length.filter(|length| *length <= self.buffer.len()) else {
            return Ok(None);
        };
        let message = self.buffer.split_to(length);
        if self.buffer.is_empty() && self.buffer.capacity() > MAX_KEPT_BUFFER_BYTES {
            self.buffer = BytesMut::new();
        }
        Ok(Some(message))
    }
}

/// Stands for an answer that cannot be read.
fn unreadable_answer(id: usize, fault: &cbor::CborError) -> Bytes {
    let message = format!("the answer cannot be read: {fault}");
    json!({ "id": id, "error": { "message": message } }).to_string().into()
}

#[cfg(test)]
mod tests {
    use super::MessageReader;
    use crate::connection::cbor;
    use serde_json::json;
    use tokio::io::AsyncWriteExt;
    use tokio::net::UnixStream;

    #[tokio::test]
    async fn messages_are_cut_whatever_the_chunks() {
        let (ours, mut theirs) = UnixStream::pair().expect("a socket pair");
        let mut reader = MessageReader::default();
        let mut bytes = Vec::new();
        for id in [1, 300, 70_000] {
            cbor::write(&json!({ "id": id }), &mut bytes);
        }
        // The second is in two of them, its head too.
        let half = bytes.len() / 3 + 2;
        theirs.write_all(&bytes[..half]).await.expect("writes");
        let first = reader.next(&ours).await.expect("reads");
        assert_eq!(first.as_deref(), Some(&b"{\"id\":1}"[..]));
        theirs.write_all(&bytes[half..]).await.expect("writes");
        // An answer that cannot be read, and what is none.
        theirs.write_all(b"\xd8\x18\x5a\0\0\0\x06\xbf\x62id\x09\xf7").await.expect("writes");
        theirs.write_all(b"\xd8\x18\x5a\0\0\0\x01\xf7").await.expect("writes");
        drop(theirs);
        for wanted in [&b"{\"id\":300}"[..], b"{\"id\":70000}"] {
            let message = reader.next(&ours).await.expect("reads");
            assert_eq!(message.as_deref(), Some(wanted));
        }
        let refused = reader.next(&ours).await.expect("reads").expect("is reported");
        let refused: serde_json::Value = serde_json::from_slice(&refused).expect("is JSON");
        assert!(refused["id"] == 9 && refused["error"]["message"].is_string(), "{refused}");
        assert!(reader.next(&ours).await.expect("reads").is_none());
    }

    #[tokio::test]
    async fn what_is_no_message_ends_the_pipe() {
        let (ours, mut theirs) = UnixStream::pair().expect("a socket pair");
        theirs.write_all(b"{\"id\":1}\0").await.expect("writes");
        assert!(MessageReader::default().next(&ours).await.is_err());
    }
}
