//! The way of pieces to the caller: a task makes them, and ends when nobody
//! wants them any more.

use std::{
    pin::Pin,
    task::{self, Poll},
};

use browse_proto::{Reason, v1};
use futures::Stream;
use tokio::{sync::mpsc, task::JoinHandle};

use browse_base::{Error, Result};

/// Pieces on their way; more are not read before these are taken.
const CHANNEL_CAPACITY: usize = 4;

/// Where pieces are put.
#[derive(Clone)]
pub struct FilePartSender(mpsc::Sender<Result<v1::FilePart>>);

impl FilePartSender {
    /// Hands a piece over, as soon as there is room.
    ///
    /// # Errors
    /// The caller is gone.
    pub async fn send(&self, part: v1::FilePart) -> Result<()> {
        let gone = |_| Error::new(Reason::ShuttingDown, "the caller is gone");
        self.0.send(Ok(part)).await.map_err(gone)
    }
}

/// Runs `work`, and answers what it puts into the pipe; its failure is the
/// last item.
pub fn stream_parts<F>(
    work: impl FnOnce(FilePartSender) -> F,
) -> impl Stream<Item = Result<v1::FilePart>> + Send + 'static
where
    F: Future<Output = Result<()>> + Send + 'static,
{
    let (sender, parts) = mpsc::channel(CHANNEL_CAPACITY);
    let work = work(FilePartSender(sender.clone()));
    let task = tokio::spawn(async move {
        if let Err(error) = work.await {
            // Nobody is left to hear of it.
            let _ = sender.send(Err(error)).await;
        }
    });
    FilePartStream { parts, task }
}

struct FilePartStream {
    parts: mpsc::Receiver<Result<v1::FilePart>>,
    task: JoinHandle<()>,
}

impl Stream for FilePartStream {
    type Item = Result<v1::FilePart>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Option<Self::Item>> {
        self.parts.poll_recv(cx)
    }
}

impl Drop for FilePartStream {
    fn drop(&mut self) {
        self.task.abort();
    }
}
