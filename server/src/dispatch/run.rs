//! Runs a handler that answers once.

use std::{sync::Arc, time::Duration};

use browse_proto::{Command, PageDerived, Reach, Reason, Scope, v1::ErrorPage, wire};
use futures::future::BoxFuture;
use tokio::time::Instant;
use tonic::{Request, Response, Status};

use super::{Context, call::Call, denials, judge::judge, limits, tell};
use crate::{
    content,
    daemon::Daemon,
    egress,
    engine::arrived,
    error::{Error, Result},
    policy::{Permit, layer::Peer},
    records::Entry,
    sessions::Tab,
    skills::record::Note,
};

/// Bytes that a message may have.
pub const MOST_BYTES: usize = 64 << 20;

/// Runs a handler that answers once.
pub async fn unary<Q, R, F>(
    daemon: &Arc<Daemon>,
    request: Request<Q>,
    handler: F,
) -> Result<Response<R>, Status>
where
    Q: prost::Message + Clone + 'static,
    R: prost::Message + PageDerived,
    F: for<'a> Fn(&'a Context, Q) -> BoxFuture<'a, Result<R>>,
{
    let begun = Instant::now();
    let _call = daemon.begin_call();
    let cx = admit(daemon, &request)?;
    let mut entry = Entry::begin(&cx, request.get_ref());
    let outcome = Box::pin(guarded(&cx, request.into_inner(), handler)).await;
    let _ = outcome.as_ref().inspect_err(|error| denials::of_call(&cx, error));
    entry.acted_on(&cx);
    daemon.activity().ended(entry, begun.elapsed(), outcome.as_ref().err().map(Error::reason));
    let (response, derived) = match outcome {
        Ok(answer) => answer,
        Err(error) => return Err(fail(&cx, error).await),
    };
    crate::browser::capture::downloads::remind(&cx);
    if let Some(nudge) = daemon.skills().nudges().count(&cx) {
        cx.say(&nudge);
    }
    let mut response = Response::new(response);
    tell::untrusted(&cx, derived, response.metadata_mut());
    tell::notice(&cx, response.metadata_mut());
    Ok(response)
}

/// The context of a call that came through the gate. A daemon that ends takes
/// no new ones.
pub fn admit<Q>(daemon: &Arc<Daemon>, request: &Request<Q>) -> Result<Context> {
    let permit = request.extensions().get::<Permit>().cloned();
    let permit = permit.ok_or_else(|| Error::new(Reason::Bug, "the call was not authorized"))?;
    if daemon.is_ending() {
        return Err(Error::new(Reason::ShuttingDown, "the daemon is shutting down"));
    }
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0);
    let call = Call { peer, ..Call::read(request.metadata())? };
    Ok(Context::new(Arc::clone(daemon), permit, call))
}

/// Refuses arguments that exclude each other.
pub fn contradiction<Q: prost::Message>(command: &Command, request: &Q) -> Result<()> {
    if command.exclusive.is_empty() {
        return Ok(());
    }
    let given = wire::given(&request.encode_to_vec());
    let Some((first, second)) = command.contradiction(|field| given.contains(&field.number)) else {
        return Ok(());
    };
    let (first, second) = (command.spelling(first), command.spelling(second));
    let message = format!("{first} and {second} contradict each other");
    Err(Error::new(Reason::ArgumentInvalid, message).with("command", command.name))
}

/// Runs `handler` within the limits of `cx`, and guards what it answers; tells
/// whether that has page-derived content.
pub async fn guarded<Q, R, F>(cx: &Context, request: Q, handler: F) -> Result<(R, bool)>
where
    Q: prost::Message + Clone + 'static,
    R: prost::Message + PageDerived,
    F: for<'a> Fn(&'a Context, Q) -> BoxFuture<'a, Result<R>>,
{
    contradiction(cx.command(), &request)?;
    let mut note = Note::begin(cx, &request);
    let work = async {
        cx.approach().await?;
        if let Some(tab) = cx.tab_if_any() {
            let goes = cx.command().group == "navigation" && !only_looks(cx.command());
            tab.movers().begin(cx.client(), tab.page().documents_shown(), goes);
        }
        if let Some(note) = &mut note {
            note.look(cx).await;
        }
        // Boxed: steps lie within steps, and a thread has little of a stack.
        Box::pin(cx.find_frame(&request)).await;
        Box::pin(egress::check(cx, &request)).await?;
        egress::begin(cx);
        let _action = Action::begin(cx);
        match only_looks(cx.command()) {
            true => {
                let shown = || cx.tab_if_any().map_or(0, |tab| tab.page().documents_shown());
                let limit = cx.limit().map(Instant::into_std);
                let ask = || handler(cx, request.clone());
                arrived(limit, shown, Error::is_under_way, ask).await.map_err(Error::of_look)
            }
            false => patiently(cx, || handler(cx, request.clone())).await,
        }
    };
    let outcome = limits::within(cx, Box::pin(work)).await;
    // What was refused on the way is why it failed.
    let outcome = egress::end(cx, outcome);
    if let Some(tab) = cx.tab_if_any() {
        tab.movers().end(cx.client(), tab.page().documents_shown());
    }
    cx.daemon().notes().seen(cx);
    cx.keep_soon();
    if outcome.is_ok()
        && let Some(words) = cx.tab_if_any().and_then(|tab| tab.untold().take())
    {
        cx.say(&words);
    }
    if let Some(note) = note {
        note.end(cx, outcome.as_ref()).await;
    }
    let mut response = outcome?;
    pace(cx).await;
    egress::remember(cx, &mut response);
    let mut guarded = content::guard(&mut response, cx.handling());
    cx.note_guarded(&guarded);
    fits(&response)?;
    judge(cx, std::mem::take(&mut guarded.text)).await;
    // A warning about an address alone stands with the address in an envelope.
    Ok((response, guarded.derived || cx.has_found()))
}

/// The status of a call that failed. What its error quotes of a page is remembered,
/// judged and announced as the content of an answer is.
pub(super) async fn fail(cx: &Context, error: Error) -> Status {
    let error = complete(cx, error);
    let mut status = Status::from(error.clone());
    if error.page().is_empty() {
        return status;
    }
    guard_error(cx, &error).await;
    tell::forget_untrusted(status.metadata_mut());
    tell::untrusted(cx, true, status.metadata_mut());
    status
}

/// Does with the quotes of an error what is done with the content of an answer.
pub(super) async fn guard_error(cx: &Context, error: &Error) {
    let mut page = ErrorPage { page: error.page() };
    if page.page.is_empty() {
        return;
    }
    egress::remember(cx, &mut page);
    let mut guarded = content::guard(&mut page, cx.handling_of_error());
    cx.note_guarded(&guarded);
    judge(cx, std::mem::take(&mut guarded.text)).await;
}

/// Adds what the error of a call is known to need: the command, and the hosts that
/// the caller may go to where one was refused.
pub fn complete(cx: &Context, error: Error) -> Error {
    let error = error.or_with("command", cx.command().name);
    if error.reason() != Reason::HostDenied {
        return error;
    }
    let hosts = cx.capability().hosts();
    let allowed = match hosts.patterns() {
        patterns if patterns.is_empty() => "none".to_owned(),
        _ if hosts.is_any() => return error,
        patterns => patterns.join(", ").replace('*', "every public host (*)"),
    };
    error.with("allowed", allowed)
}

/// Waits after an action in a session that is filmed for people to follow.
async fn pace(cx: &Context) {
    if !cx.command().acts {
        return;
    }
    let session = cx.tab_if_any().and_then(|tab| cx.daemon().sessions().get(tab.session()));
    let pace = session.and_then(|session| session.recording().as_ref().map(|film| film.pace()));
    if let Some(pace) = pace.filter(|pace| !pace.is_zero()) {
        // The answer has to come in time.
        let left = cx.deadline().saturating_duration_since(Instant::now()) / 2;
        tokio::time::sleep(pace.min(left)).await;
    }
}

/// Time between two tries to find an element that is not there yet.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// Runs an action again while its element is not there, when the caller named a
/// time: without the element nothing was done.
async fn patiently<'a, R>(
    cx: &'a Context,
    action: impl Fn() -> BoxFuture<'a, Result<R>>,
) -> Result<R> {
    loop {
        let outcome = action().await;
        let is_missing = |error: &Error| error.reason() == Reason::ElementNotFound;
        let named = cx.named_timeout().is_some() && cx.command().reach == Reach::Page;
        let is_over = Instant::now() + RETRY_INTERVAL >= cx.deadline();
        if !named || is_over || !outcome.as_ref().err().is_some_and(is_missing) {
            return outcome;
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}

/// An action in a tab, as long as its handler runs: the files that a page sends
/// because of it are kept.
struct Action<'a>(Option<&'a Tab>);

impl<'a> Action<'a> {
    fn begin(cx: &'a Context) -> Self {
        let command = cx.command();
        let acts = command.service == "BrowserService"
            && matches!(command.scope, Scope::Write | Scope::Admin);
        let tab = cx.tab_if_any().filter(|_| acts).map(|tab| &**tab);
        if let Some(tab) = tab {
            match command.reach {
                Reach::Leave => tab.acted().begin_leaving(tab.page()),
                _ => tab.acted().begin(),
            }
            tab.begin_action();
        }
        Self(tab)
    }
}

impl Drop for Action<'_> {
    fn drop(&mut self) {
        if let Some(tab) = self.0 {
            tab.acted().go_on();
            tab.end_action();
        }
    }
}

/// Whether a command does nothing but look at the page, so that it may look at
/// the next one when that one is left meanwhile.
fn only_looks(command: &Command) -> bool {
    command.scope == Scope::Read && command.reach == Reach::Page && !command.acts
}

/// Refuses an answer that does not fit into a message.
fn fits(response: &impl prost::Message) -> Result<()> {
    let length = response.encoded_len();
    if length <= MOST_BYTES {
        return Ok(());
    }
    let message = format!("the answer has {length} bytes");
    Err(Error::new(Reason::TooLarge, message).with("limit", "64 MiB"))
}
