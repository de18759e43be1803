//! Runs a handler that answers with a stream. The stream ends with its token.

use std::{pin::Pin, sync::Arc};

use browse_proto::PageDerived;
use futures::{
    Stream, StreamExt as _,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use tokio::time::Instant;
use tonic::{Request, Response, Status};

use super::{
    Context, limits,
    run::{self, admit},
    saving::{SavedFile, saves},
    tell,
};
use crate::{
    content,
    daemon::Daemon,
    egress,
    error::{Error, Result},
    records::Entry,
    skills::record::Note,
};

/// What the glue names as the stream of an RPC.
pub type Answers<R> = Pin<Box<dyn Stream<Item = Result<R, Status>> + Send>>;

/// Runs a handler that answers with a stream.
pub async fn streaming<Q, R, F>(
    daemon: &Arc<Daemon>,
    request: Request<Q>,
    handler: F,
) -> Result<Response<Answers<R>>, Status>
where
    Q: prost::Message + 'static,
    R: prost::Message + PageDerived + 'static,
    F: FnOnce(Arc<Context>, Q) -> BoxFuture<'static, Result<BoxStream<'static, Result<R>>>>,
{
    let call = daemon.begin_call();
    let cx = Arc::new(admit(daemon, &request)?);
    cx.hold(call);
    let entry = Some(Entry::begin(&cx, request.get_ref()));
    let mut books = Books { cx: Arc::clone(&cx), entry, begun: Instant::now() };
    let request = request.into_inner();
    let mut note = if saves(cx.command()) { Note::begin(&cx, &request) } else { None };
    let opening = async {
        run::contradiction(cx.command(), &request)?;
        cx.approach().await?;
        if let Some(note) = &mut note {
            note.look(&cx).await;
        }
        cx.find_frame(&request).await;
        egress::check(&cx, &request).await?;
        egress::begin(&cx);
        handler(Arc::clone(&cx), request).await
    };
    let opened = limits::within(&cx, opening).await;
    let items = match opened {
        Ok(items) => items,
        Err(error) => {
            books.close(Some(&error));
            if let Some(note) = note {
                note.end_saved(&cx, Err(&error)).await;
            }
            return Err(run::fail(&cx, error).await);
        }
    };
    let noted = note.map(|note| Noted { note, file: SavedFile::default() });
    let mut response = Response::new(answers(Rest { items, books, noted, over: false }));
    // Page-derived content may come later; it is announced when the messages
    // have fields for it.
    let derived = cx.command().response.fields.iter().any(|field| field.page);
    tell::untrusted(&cx, derived, response.metadata_mut());
    tell::notice(&cx, response.metadata_mut());
    Ok(response)
}

/// What is left of a stream.
struct Rest<R> {
    items: BoxStream<'static, Result<R>>,
    books: Books,
    /// Of a call that saves a file, in a session that is recorded.
    noted: Option<Noted>,
    over: bool,
}

/// A call that is being recorded, and what is known of its file.
struct Noted {
    note: Note,
    file: SavedFile,
}

fn answers<R: PageDerived + Send + 'static>(rest: Rest<R>) -> Answers<R> {
    Box::pin(stream::unfold(rest, |mut rest| async move {
        if rest.over {
            return None;
        }
        let cx = Arc::clone(&rest.books.cx);
        let next = async { rest.items.next().await.transpose() };
        let item = match limits::within(&cx, next).await {
            Ok(Some(mut response)) => {
                if let Some(noted) = &mut rest.noted {
                    noted.file.see(&response);
                }
                egress::remember(&cx, &mut response);
                let guarded = content::guard(&mut response, cx.handling_of_part());
                cx.note_guarded(&guarded);
                Ok(response)
            }
            Ok(None) => {
                rest.books.close(None);
                if let Some(Noted { note, file }) = rest.noted.take() {
                    note.end_saved(&cx, Ok(Some(file.answer()))).await;
                }
                return None;
            }
            Err(error) => {
                rest.over = true;
                rest.books.close(Some(&error));
                if let Some(Noted { note, .. }) = rest.noted.take() {
                    note.end_saved(&cx, Err(&error)).await;
                }
                Err(run::fail(&cx, error).await)
            }
        };
        Some((item, rest))
    }))
}

/// Writes the call into the books when the stream ends, however it ends.
struct Books {
    cx: Arc<Context>,
    entry: Option<Entry>,
    begun: Instant,
}

impl Books {
    fn close(&mut self, failure: Option<&Error>) {
        if let Some(mut entry) = self.entry.take() {
            entry.acted_on(&self.cx);
            let reason = failure.map(Error::reason);
            self.cx.daemon().activity().ended(entry, self.begun.elapsed(), reason);
        }
    }
}

impl Drop for Books {
    fn drop(&mut self) {
        self.close(None);
    }
}
