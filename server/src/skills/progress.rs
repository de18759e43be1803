//! Long work that tells what it does while it does it: pieces of text, then
//! one answer.

use std::str;

use futures::{Stream, StreamExt as _, stream};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use browse_proto::Reason;

use browse_base::{Error, Result};
use browse_policy::Delivery;

/// What waits for a slow reader; the work waits behind it.
const CHANNEL_CAPACITY: usize = 16;

/// Where the work says something: bytes for the standard error of the caller.
#[derive(Clone, Debug)]
pub struct ProgressSink(mpsc::Sender<Vec<u8>>);

impl ProgressSink {
    /// Says `text`; waits for the caller to take it.
    pub async fn write(&self, text: impl Into<Vec<u8>>) {
        let text = text.into();
        if !text.is_empty() {
            let _ = self.0.send(text).await;
        }
    }

    /// One that is heard at the other end.
    pub fn new() -> (Self, mpsc::Receiver<Vec<u8>>) {
        let (sender, receiver) = mpsc::channel(CHANNEL_CAPACITY);
        (Self(sender), receiver)
    }
}

/// Does `work`, and streams what it says and its answer. Dropping the stream,
/// as when the caller leaves, gives the work up. A page may have written what a
/// program says: who reads guarded gets it cleaned.
pub fn stream_progress<R, F>(
    delivery: Delivery,
    piece: fn(Vec<u8>) -> R,
    work: impl FnOnce(ProgressSink) -> F,
) -> impl Stream<Item = Result<R>> + Send + 'static
where
    R: Send + 'static,
    F: Future<Output = Result<R>> + Send + 'static,
{
    let (voice, output) = ProgressSink::new();
    let task = AbortOnDropHandle::new(tokio::spawn(work(voice)));
    let words =
        ProgressChunks { receiver: output, delivery, partial_char: Vec::new(), is_done: false };
    let output =
        stream::unfold(words, |mut words| async move { Some((words.next_chunk().await?, words)) });
    let end = stream::once(async move {
        task.await.unwrap_or_else(|_| Err(Error::new(Reason::Bug, "the work ended in the middle")))
    });
    output.map(move |bytes| Ok(piece(bytes))).chain(end)
}

/// What is reported, piece by piece.
struct ProgressChunks {
    receiver: mpsc::Receiver<Vec<u8>>,
    delivery: Delivery,
    /// The beginning of a letter whose end comes with the next piece.
    partial_char: Vec<u8>,
    is_done: bool,
}

impl ProgressChunks {
    /// The next piece that is not empty.
    async fn next_chunk(&mut self) -> Option<Vec<u8>> {
        while !self.is_done {
            let piece = self.receiver.recv().await;
            self.is_done = piece.is_none();
            let piece = self.decode_chunk(piece.unwrap_or_default());
            if !piece.is_empty() {
                return Some(piece);
            }
        }
        None
    }

    fn decode_chunk(&mut self, piece: Vec<u8>) -> Vec<u8> {
        if self.delivery == Delivery::Raw {
            return piece;
        }
        let mut bytes = std::mem::take(&mut self.partial_char);
        bytes.extend(piece);
        if !self.is_done {
            self.partial_char = bytes.split_off(complete_len(&bytes));
        }
        browse_content::clean(&String::from_utf8_lossy(&bytes)).into_owned().into_bytes()
    }
}

/// Where the last letter begins, if it is not whole; else the length.
fn complete_len(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    let begins = |at: &usize| bytes[*at] & 0b1100_0000 == 0b1100_0000;
    let Some(last) = (from..bytes.len()).rev().find(begins) else { return bytes.len() };
    match str::from_utf8(&bytes[last..]) {
        Err(error) if error.error_len().is_none() => last,
        _ => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Delivery, ProgressChunks, mpsc};

    async fn heard(delivery: Delivery, pieces: &[&[u8]]) -> Vec<u8> {
        let (sender, output) = mpsc::channel(pieces.len());
        for piece in pieces {
            sender.send(piece.to_vec()).await.expect("it is heard");
        }
        drop(sender);
        let mut words =
            ProgressChunks { receiver: output, delivery, partial_char: Vec::new(), is_done: false };
        let mut all = Vec::new();
        while let Some(piece) = words.next_chunk().await {
            all.extend(piece);
        }
        all
    }

    #[tokio::test]
    async fn what_drives_a_terminal_or_cannot_be_seen_goes() {
        let text = "a\u{202e}b\u{1b}[2Jc\u{200b}\rd\u{9b}1me\n\t\u{e0041}";
        assert_eq!(heard(Delivery::Guarded, &[text.as_bytes()]).await, b"ab[2Jcd1me\n\t");
        assert_eq!(heard(Delivery::Raw, &[text.as_bytes()]).await, text.as_bytes());
    }

    #[tokio::test]
    async fn letters_survive_wherever_they_are_cut() {
        let text = "Grüße, 世界 🌍\u{202e}.";
        for at in 0..text.len() {
            let (one, two) = text.as_bytes().split_at(at);
            let all = heard(Delivery::Guarded, &[one, two]).await;
            assert_eq!(String::from_utf8_lossy(&all), "Grüße, 世界 🌍.", "{at}");
        }
        let all = heard(Delivery::Guarded, &[b"a\xff", b"b\xf0\x9f"]).await;
        assert_eq!(String::from_utf8_lossy(&all), "a\u{fffd}b\u{fffd}");
    }
}
