//! Runs a handler that answers with a stream. The stream ends with its token.

use std::{pin::Pin, sync::Arc};

use browse_proto::{PageDerived, SentData};
use futures::{
    FutureExt as _, Stream, StreamExt as _,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use tokio::time::Instant;
use tonic::{Code, Request, Response, Status, metadata::MetadataMap};

use super::{
    CallContext, StepHandlers,
    classification::classify_text,
    deadline, egress,
    recorder::CallRecorder,
    response_metadata::ReportedMetadata,
    saved_file::{SavedFile, saves_file},
    stream_window::StreamWindow,
    unary::{self, admit},
};
use crate::daemon::Daemon;
use browse_base::{Error, Result};
use browse_records::PendingActivity;

/// What the glue names as the stream of an RPC.
pub type GuardedStream<R> = Pin<Box<dyn Stream<Item = Result<R, Status>> + Send>>;

/// A handler that answers with a stream.
pub type StreamHandler<Q, R> =
    fn(Arc<CallContext>, Q) -> BoxFuture<'static, Result<BoxStream<'static, Result<R>>>>;

/// Runs a handler that answers with a stream.
// Boxed here: the compiler proves once that the future is `Send`, and not for every command.
pub fn streaming<'a, Q, R>(
    entry: (&'a Arc<Daemon>, &'static StepHandlers),
    request: Request<Q>,
    handler: StreamHandler<Q, R>,
) -> BoxFuture<'a, Result<Response<GuardedStream<R>>, Status>>
where
    Q: prost::Message + SentData + 'static,
    R: prost::Message + PageDerived + 'static,
{
    start_stream(entry, request, handler).boxed()
}

async fn start_stream<Q, R>(
    (daemon, steps): (&Arc<Daemon>, &'static StepHandlers),
    request: Request<Q>,
    handler: StreamHandler<Q, R>,
) -> Result<Response<GuardedStream<R>>, Status>
where
    Q: prost::Message + SentData + 'static,
    R: prost::Message + PageDerived + 'static,
{
    let call = daemon.begin_call();
    let cx = Arc::new(admit(daemon, steps, &request)?);
    cx.keep_alive(call);
    let entry = Some(cx.begin_activity(request.get_ref()));
    let mut books = ActivityGuard::begin(&cx, entry);
    let request = request.into_inner();
    let mut note = if saves_file(cx.command()) { CallRecorder::begin(&cx, &request) } else { None };
    let opening = async {
        unary::check_exclusive_args(cx.command(), &request)?;
        cx.acquire_tab().await?;
        if let Some(note) = &mut note {
            note.resolve_targets(&cx).await;
        }
        cx.resolve_frame(&request).await;
        egress::check(&cx, &request).await?;
        egress::begin_action(&cx);
        handler(Arc::clone(&cx), request).await
    };
    let opened = deadline::run_with_deadline(&cx, opening).await;
    let items = match opened {
        Ok(items) => items,
        Err(error) => {
            books.finish(Some(&error));
            if let Some(note) = note {
                note.finish_saved(&cx, Err(&error)).await;
            }
            return Err(unary::error_status(&cx, error).await);
        }
    };
    let noted = note.map(|note| RecordedDownload { recorder: note, file: SavedFile::default() });
    Ok(response_stream(cx, items, books, noted))
}

/// What is left of a stream.
struct ResponseProgress<R> {
    items: BoxStream<'static, Result<R>>,
    activity: ActivityGuard,
    /// Of a call that saves a file, in a session that is recorded.
    recording: Option<RecordedDownload>,
    /// What was sent on and is still to be judged.
    window: StreamWindow,
    /// What the caller gets beside it.
    reported: ReportedMetadata,
    is_finished: bool,
}

/// A call that is being recorded, and what is known of its file.
pub(super) struct RecordedDownload {
    recorder: CallRecorder,
    file: SavedFile,
}

/// The messages of `items`, guarded and judged, with their warnings.
pub(super) fn response_stream<R: PageDerived + Send + 'static>(
    cx: Arc<CallContext>,
    items: BoxStream<'static, Result<R>>,
    books: ActivityGuard,
    noted: Option<RecordedDownload>,
) -> Response<GuardedStream<R>> {
    let (mut notified, mut entries) = (ReportedMetadata::default(), MetadataMap::new());
    notified.add_initial(&cx, &mut entries);
    let gathered = StreamWindow::new(cx);
    let rest = ResponseProgress {
        items,
        activity: books,
        recording: noted,
        window: gathered,
        reported: notified,
        is_finished: false,
    };
    let mut response = Response::new(unfold_responses(rest));
    *response.metadata_mut() = entries;
    response
}

fn unfold_responses<R: PageDerived + Send + 'static>(
    rest: ResponseProgress<R>,
) -> GuardedStream<R> {
    Box::pin(stream::unfold(rest, |mut rest| async move {
        if rest.is_finished {
            return None;
        }
        let cx = Arc::clone(&rest.activity.cx);
        let next = async { rest.items.next().await.transpose() };
        let item = match deadline::run_with_deadline(&cx, next).await {
            Ok(Some(_)) if let Err(error) = cx.check_not_held() => {
                rest.is_finished = true;
                rest.activity.finish(Some(&error));
                return Some((Err(unary::error_status(&cx, error).await), rest));
            }
            Ok(Some(mut response)) => {
                if let Some(noted) = &mut rest.recording {
                    noted.file.add_part(&response);
                }
                rest.guard_message(&cx, &mut response).await;
                Ok(response)
            }
            Ok(None) => {
                rest.is_finished = true;
                rest.window.classify().await;
                rest.activity.finish(None);
                if let Some(RecordedDownload { recorder: note, file }) = rest.recording.take() {
                    note.finish_saved(&cx, Ok(Some(file.into_value()))).await;
                }
                // The trailers of a stream that ends well can say something, too.
                let end = rest.reported.trailers(&cx)?;
                Err(Status::with_metadata(Code::Ok, "", end))
            }
            Err(error) => {
                rest.is_finished = true;
                rest.activity.finish(Some(&error));
                if let Some(RecordedDownload { recorder: note, .. }) = rest.recording.take() {
                    note.finish_saved(&cx, Err(&error)).await;
                }
                rest.window.classify().await;
                let quotes = !error.page_quotes().is_empty();
                let mut status = unary::error_status(&cx, error).await;
                // With what it quotes, it says every warning of the call.
                if !quotes && let Some(end) = rest.reported.trailers(&cx) {
                    status.metadata_mut().as_mut().extend(end.into_headers());
                }
                Err(status)
            }
        };
        Some((item, rest))
    }))
}

impl<R: PageDerived> ResponseProgress<R> {
    /// Treats one message as the answer of a call: remembers, cleans and judges it. What
    /// there is to warn of is reported in the message where it can be, else at the end.
    async fn guard_message(&mut self, cx: &CallContext, response: &mut R) {
        egress::record_response(cx, response);
        let guarded = browse_content::guard_response(response, cx.guard_options());
        cx.add_guard_report(&guarded);
        if response.warnings().is_none() {
            return self.window.add(guarded).await;
        }
        classify_text(cx, guarded.text).await;
        let news = self.reported.message_warnings(cx);
        response.warnings().into_iter().for_each(|warnings| warnings.clone_from(&news));
    }
}

/// Writes the call into the books when the stream ends, however it ends.
pub(super) struct ActivityGuard {
    cx: Arc<CallContext>,
    activity_entry: Option<PendingActivity>,
    started_at: Instant,
}

impl ActivityGuard {
    pub(super) fn begin(cx: &Arc<CallContext>, entry: Option<PendingActivity>) -> Self {
        Self { cx: Arc::clone(cx), activity_entry: entry, started_at: Instant::now() }
    }

    fn finish(&mut self, failure: Option<&Error>) {
        if let Some(mut entry) = self.activity_entry.take() {
            self.cx.note_tab(&mut entry);
            let reason = failure.map(Error::reason);
            self.cx.daemon().activity().record_ended(entry, self.started_at.elapsed(), reason);
        }
    }
}

impl Drop for ActivityGuard {
    fn drop(&mut self) {
        self.finish(None);
    }
}
