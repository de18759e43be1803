//! Runs a handler that answers with a stream. The stream ends with its token.

use std::{pin::Pin, sync::Arc};

use browse_proto::PageDerived;
use futures::{
    Stream, StreamExt as _,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use tokio::time::Instant;
use tonic::{Code, Request, Response, Status, metadata::MetadataMap};

use super::{
    Context,
    gathered::Gathered,
    judge::judge,
    limits,
    run::{self, admit},
    saving::{SavedFile, saves},
    tell::Told,
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
    let mut books = Books::begin(&cx, entry);
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
    Ok(answers_of(cx, items, books, noted))
}

/// What is left of a stream.
struct Rest<R> {
    items: BoxStream<'static, Result<R>>,
    books: Books,
    /// Of a call that saves a file, in a session that is recorded.
    noted: Option<Noted>,
    /// What was sent on and is still to be judged.
    gathered: Gathered,
    /// What the caller was told beside it.
    told: Told,
    over: bool,
}

/// A call that is being recorded, and what is known of its file.
pub(super) struct Noted {
    note: Note,
    file: SavedFile,
}

/// The messages of `items`, guarded and judged, with their warnings.
pub(super) fn answers_of<R: PageDerived + Send + 'static>(
    cx: Arc<Context>,
    items: BoxStream<'static, Result<R>>,
    books: Books,
    noted: Option<Noted>,
) -> Response<Answers<R>> {
    let (mut told, mut entries) = (Told::default(), MetadataMap::new());
    told.begin(&cx, &mut entries);
    let gathered = Gathered::new(cx);
    let rest = Rest { items, books, noted, gathered, told, over: false };
    let mut response = Response::new(answers(rest));
    *response.metadata_mut() = entries;
    response
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
                rest.guard(&cx, &mut response).await;
                Ok(response)
            }
            Ok(None) => {
                rest.over = true;
                rest.gathered.look().await;
                rest.books.close(None);
                if let Some(Noted { note, file }) = rest.noted.take() {
                    note.end_saved(&cx, Ok(Some(file.answer()))).await;
                }
                // The trailers of a stream that ends well can say something, too.
                let end = rest.told.end(&cx)?;
                Err(Status::with_metadata(Code::Ok, "", end))
            }
            Err(error) => {
                rest.over = true;
                rest.books.close(Some(&error));
                if let Some(Noted { note, .. }) = rest.noted.take() {
                    note.end_saved(&cx, Err(&error)).await;
                }
                rest.gathered.look().await;
                let quotes = !error.page().is_empty();
                let mut status = run::fail(&cx, error).await;
                // With what it quotes, it says every warning of the call.
                if !quotes && let Some(end) = rest.told.end(&cx) {
                    status.metadata_mut().as_mut().extend(end.into_headers());
                }
                Err(status)
            }
        };
        Some((item, rest))
    }))
}

impl<R: PageDerived> Rest<R> {
    /// Treats one message as the answer of a call: remembers, cleans and judges it. What
    /// there is to warn of is said in the message where it can be, else at the end.
    async fn guard(&mut self, cx: &Context, response: &mut R) {
        egress::remember(cx, response);
        let guarded = content::guard(response, cx.handling());
        cx.note_guarded(&guarded);
        if response.warnings().is_none() {
            return self.gathered.add(guarded).await;
        }
        judge(cx, guarded.text).await;
        let news = self.told.of_message(cx);
        response.warnings().into_iter().for_each(|warnings| warnings.clone_from(&news));
    }
}

/// Writes the call into the books when the stream ends, however it ends.
pub(super) struct Books {
    cx: Arc<Context>,
    entry: Option<Entry>,
    begun: Instant,
}

impl Books {
    pub(super) fn begin(cx: &Arc<Context>, entry: Option<Entry>) -> Self {
        Self { cx: Arc::clone(cx), entry, begun: Instant::now() }
    }

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
