//! Long work that tells what it does while it does it: pieces of text, then
//! one answer.

use futures::{Stream, StreamExt as _, stream};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use browse_proto::Reason;

use crate::error::{Error, Result};

/// What waits for a slow reader; the work waits behind it.
const WAITING: usize = 16;

/// Where the work says something: bytes for the standard error of the caller.
#[derive(Clone, Debug)]
pub struct Voice(mpsc::Sender<Vec<u8>>);

impl Voice {
    /// Says `text`; waits for the caller to take it.
    pub async fn say(&self, text: impl Into<Vec<u8>>) {
        let text = text.into();
        if !text.is_empty() {
            let _ = self.0.send(text).await;
        }
    }

    /// One that is heard at the other end.
    pub fn new() -> (Self, mpsc::Receiver<Vec<u8>>) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (Self(sender), receiver)
    }
}

/// Does `work`, and streams what it says and its answer. Dropping the stream,
/// as when the caller leaves, gives the work up.
pub fn told<R, F>(
    piece: fn(Vec<u8>) -> R,
    work: impl FnOnce(Voice) -> F,
) -> impl Stream<Item = Result<R>> + Send + 'static
where
    R: Send + 'static,
    F: Future<Output = Result<R>> + Send + 'static,
{
    let (voice, said) = Voice::new();
    let task = AbortOnDropHandle::new(tokio::spawn(work(voice)));
    let said = stream::unfold(said, |mut said| async move { Some((said.recv().await?, said)) });
    let end = stream::once(async move {
        task.await.unwrap_or_else(|_| Err(Error::new(Reason::Bug, "the work ended in the middle")))
    });
    said.map(move |bytes| Ok(piece(bytes))).chain(end)
}
