//! Runs a handler that answers once.

use std::{any::Any, sync::Arc, time::Duration};

use browse_proto::{Command, PageDerived, Reason, Requires, Scope, SentData, v1::ErrorPage, wire};
use futures::{FutureExt as _, TryFutureExt as _, future::BoxFuture};
use tokio::time::Instant;
use tonic::{Extensions, Request, Response, Status, metadata::MetadataMap};
use url::Url;

use super::{
    CallContext, RequestMessage, ResponseMessage, StepHandlers, arrivals,
    call_metadata::CallMetadata, classification::classify_text, deadline, denial_audit, downloads,
    egress, recorder::CallRecorder, response_metadata,
};
use crate::{address, daemon::Daemon};
use browse_base::{Error, Result};
use browse_engine::retry_across_navigation;
use browse_policy::{Permit, layer::PeerAddress};
use browse_sessions::Tab;

/// Bytes that a message may have.
pub const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// A handler that answers once.
pub type Handler<Q, R> = for<'a> fn(&'a CallContext, Q) -> BoxFuture<'a, Result<R>>;

/// A handler with its request, for a call that may have to run it again.
type BoundHandler<'b, 'a> =
    &'b (dyn Fn() -> BoxFuture<'a, Result<Box<dyn ResponseMessage>>> + Send + Sync + 'b);

/// Runs a handler that answers once.
// Boxed here and below: the compiler proves once that such a future is `Send`, and not for every
// command.
pub fn unary<'a, Q, R>(
    (daemon, steps): (&'a Arc<Daemon>, &'static StepHandlers),
    request: Request<Q>,
    handler: Handler<Q, R>,
) -> BoxFuture<'a, Result<Response<R>, Status>>
where
    Q: prost::Message + SentData + Clone + 'static,
    R: prost::Message + PageDerived + 'static,
{
    async move {
        let _call = daemon.begin_call();
        let mut cx = admit(daemon, steps, &request)?;
        cx.record_spans(request.extensions());
        let request = request.into_inner();
        let bound = bind(handler, &cx, &request);
        let (metadata, response) = answer_call(&cx, &request, &bound).await?;
        Ok(Response::from_parts(metadata, typed(response)?, Extensions::default()))
    }
    .boxed()
}

/// What [`run_guarded`] runs.
fn bind<'a, Q, R>(
    handler: Handler<Q, R>,
    cx: &'a CallContext,
    request: &'a Q,
) -> impl Fn() -> BoxFuture<'a, Result<Box<dyn ResponseMessage>>> + Send + Sync + use<'a, Q, R>
where
    Q: prost::Message + Clone,
    R: prost::Message + PageDerived + 'static,
{
    move || {
        let response = handler(cx, request.clone());
        response.map_ok(|response| Box::new(response) as Box<dyn ResponseMessage>).boxed()
    }
}

/// The response with the type that its handler gave it.
fn typed<R: 'static>(response: Box<dyn ResponseMessage>) -> Result<R> {
    let response: Box<dyn Any> = response;
    let response = response.downcast::<R>();
    response
        .map(|response| *response)
        .map_err(|_| Error::new(Reason::Bug, "the response is of another command"))
}

/// Runs a call, and adds to its response what its caller is to know.
async fn answer_call(
    cx: &CallContext,
    request: &dyn RequestMessage,
    handler: BoundHandler<'_, '_>,
) -> Result<(MetadataMap, Box<dyn ResponseMessage>), Status> {
    let outcome = run_recorded(cx, request, handler).await;
    let (response, derived) = match outcome {
        Ok(answer) => answer,
        Err(error) => return Err(error_status(cx, error).await),
    };
    downloads::report_unreported(cx);
    if let Some(notice) = sharing_notice(cx) {
        cx.add_notice(&notice);
    }
    if let Some(nudge) = skill_hint(cx) {
        cx.add_notice(&nudge);
    }
    let mut metadata = MetadataMap::new();
    response_metadata::add_untrusted(cx, derived, &mut metadata);
    response_metadata::add_notices(cx, &mut metadata);
    Ok((metadata, response))
}

/// Runs a call with its entry in the activity log.
async fn run_recorded(
    cx: &CallContext,
    request: &dyn RequestMessage,
    handler: BoundHandler<'_, '_>,
) -> Result<(Box<dyn ResponseMessage>, bool)> {
    let begun = Instant::now();
    let mut entry = cx.begin_activity(request);
    let outcome = Box::pin(run_guarded(cx, request, handler)).await;
    let _ = outcome.as_ref().inspect_err(|error| denial_audit::record_denied_call(cx, error));
    cx.note_tab(&mut entry);
    let reason = outcome.as_ref().err().map(Error::reason);
    cx.daemon().activity().record_ended(entry, begun.elapsed(), reason);
    outcome
}

/// Runs a step of a chain or a batch, as a call of its own.
pub(super) fn run_step_handler<'a, Q, R>(
    cx: &'a CallContext,
    request: Q,
    handler: Handler<Q, R>,
) -> BoxFuture<'a, Result<(Vec<u8>, bool)>>
where
    Q: prost::Message + SentData + Clone + 'static,
    R: prost::Message + PageDerived + 'static,
{
    async move {
        let bound = bind(handler, cx, &request);
        let _phase = cx.begin_step_phase();
        match run_recorded(cx, &request, &bound).await {
            Ok((response, derived)) => Ok((response.encoded(), derived)),
            Err(error) => {
                let error = complete_error(cx, error);
                guard_error(cx, &error).await;
                Err(error)
            }
        }
    }
    .boxed()
}

/// The context of a call that came through the gate. A daemon that ends takes
/// no new ones.
pub fn admit<Q>(
    daemon: &Arc<Daemon>,
    steps: &'static StepHandlers,
    request: &Request<Q>,
) -> Result<CallContext> {
    let permit = request.extensions().get::<Permit>().cloned();
    let permit = permit.ok_or_else(|| Error::new(Reason::Bug, "the call was not authorized"))?;
    if daemon.is_shutting_down() {
        return Err(Error::new(Reason::ShuttingDown, "the daemon is shutting down"));
    }
    let peer = request.extensions().get::<PeerAddress>().map(|peer| peer.0);
    let call = CallMetadata { peer, ..CallMetadata::from_metadata(request.metadata())? };
    Ok(CallContext::new(Arc::clone(daemon), steps, permit, call))
}

/// Refuses arguments that exclude each other.
pub fn check_exclusive_args(command: &Command, request: &dyn RequestMessage) -> Result<()> {
    if command.exclusive.is_empty() {
        return Ok(());
    }
    let given = wire::set_fields(&request.encoded());
    let Some((first, second)) = command.exclusive_pair(|field| given.contains(&field.number))
    else {
        return Ok(());
    };
    let (first, second) = (command.spelling(first), command.spelling(second));
    let message = format!("{first} and {second} contradict each other");
    Err(Error::new(Reason::ArgumentInvalid, message).with("command", command.name))
}

/// Refuses an address that is never opened before the page is left for it.
fn check_address_argument(cx: &CallContext, request: &dyn RequestMessage) -> Result<()> {
    if cx.command().requires != Requires::Navigation {
        return Ok(());
    }
    let field = cx.command().request.fields.iter().find(|field| field.name == "url");
    let bytes = field.map(|field| (field.number, request.encoded()));
    let text = bytes.as_ref().and_then(|(number, bytes)| wire::text_field(bytes, *number));
    let Some(text) = text else { return Ok(()) };
    let url = address::parse(&text, &cx.url_requester())?;
    cx.check_address(&url)
}

/// Runs `handler` within the limits of `cx`, and guards what it answers; tells
/// whether that has page-derived content.
async fn run_guarded(
    cx: &CallContext,
    request: &dyn RequestMessage,
    handler: BoundHandler<'_, '_>,
) -> Result<(Box<dyn ResponseMessage>, bool)> {
    check_exclusive_args(cx.command(), request)?;
    let mut note = CallRecorder::begin(cx, request);
    let work = async {
        check_address_argument(cx, request)?;
        let tab_phase = cx.begin_phase("tab");
        cx.acquire_tab().await?;
        drop(tab_phase);
        cx.watch_requests();
        if let Some(tab) = cx.tab_if_any() {
            let goes = cx.command().group == "navigation" && !is_read_only(cx.command());
            tab.navigation_owners().begin(cx.client(), tab.page().commit_count(), goes);
        }
        if let Some(note) = &mut note {
            note.resolve_targets(cx).await;
        }
        // Boxed: steps lie within steps, and a thread has little of a stack.
        Box::pin(cx.resolve_frame(request)).await;
        let egress_phase = cx.begin_phase("egress");
        Box::pin(egress::check(cx, request)).await?;
        drop(egress_phase);
        egress::begin_action(cx);
        let _action = TabAction::begin(cx);
        let _phase = cx.begin_phase("handler");
        match is_read_only(cx.command()) {
            true => {
                let shown = || cx.tab_if_any().map_or(0, |tab| tab.page().commit_count());
                let limit = cx.finite_deadline().map(Instant::into_std);
                retry_across_navigation(limit, shown, Error::is_navigation_in_progress, handler)
                    .await
                    .map_err(Error::for_read_only)
            }
            false => retry_until_found(cx, handler).await,
        }
    };
    let outcome = deadline::run_with_deadline(cx, Box::pin(work)).await;
    // What was refused on the way is why it failed.
    let outcome = egress::finish_action(cx, outcome);
    if let Some(tab) = cx.tab_if_any() {
        tab.navigation_owners().end(cx.client(), tab.page().commit_count());
    }
    record_visit(cx);
    if outcome.is_ok() {
        arrivals::announce(cx);
    }
    cx.schedule_state_save();
    if outcome.is_ok()
        && let Some(words) = cx.tab_if_any().and_then(|tab| tab.unreported_dialogs().take())
    {
        cx.add_notice(&words);
    }
    let traced = match note {
        Some(note) => note.finish(cx, outcome.as_deref()).await,
        None => None,
    };
    let (mut response, traced) = match (outcome, traced) {
        (Ok(response), traced) => (response, traced),
        (Err(error), Some(traced)) => {
            traced.write(cx).await;
            return Err(error);
        }
        (Err(error), None) => return Err(error),
    };
    wait_for_recording_pace(cx).await;
    let _phase = cx.begin_phase("guard");
    egress::record_response(cx, &mut *response);
    let mut guarded = browse_content::guard_response(&mut *response, cx.guard_options());
    cx.add_guard_report(&guarded);
    let fits = check_message_size(&*response);
    if fits.is_ok() {
        classify_text(cx, std::mem::take(&mut guarded.text)).await;
    }
    if let Some(traced) = traced {
        traced.write(cx).await;
    }
    fits?;
    // A warning about an address alone stands with the address in an envelope.
    Ok((response, guarded.is_page_derived || cx.has_warnings()))
}

/// The status of a call that failed. What its error quotes of a page is remembered,
/// judged and announced as the content of an answer is.
pub(super) async fn error_status(cx: &CallContext, error: Error) -> Status {
    let error = complete_error(cx, error);
    let mut status = Status::from(error.clone());
    if error.page_quotes().is_empty() {
        return status;
    }
    guard_error(cx, &error).await;
    response_metadata::remove_untrusted(status.metadata_mut());
    response_metadata::add_untrusted(cx, true, status.metadata_mut());
    status
}

/// Does with the quotes of an error what is done with the content of an answer.
pub(super) async fn guard_error(cx: &CallContext, error: &Error) {
    let mut page = ErrorPage { page: error.page_quotes() };
    if page.page.is_empty() {
        return;
    }
    egress::record_response(cx, &mut page);
    let mut guarded = browse_content::guard_response(&mut page, cx.guard_options_of_error());
    cx.add_guard_report(&guarded);
    classify_text(cx, std::mem::take(&mut guarded.text)).await;
}

/// Adds what the error of a call is known to need: the command, and the hosts that
/// the caller may go to where one was refused.
pub fn complete_error(cx: &CallContext, error: Error) -> Error {
    let error = error.with_default("command", cx.command().name);
    let error = cx.with_wait_hint(cx.with_restored_notice(error));
    if error.reason() != Reason::HostDenied {
        return error;
    }
    let hosts = cx.capability().hosts();
    let allowed = match hosts.patterns() {
        patterns if patterns.is_empty() => "none".to_owned(),
        _ if hosts.is_any() => return error,
        patterns => {
            let name = |pattern: &String| match pattern.as_str() {
                "*" => "every public host (*)".to_owned(),
                pattern => pattern.to_owned(),
            };
            patterns.iter().map(name).collect::<Vec<_>>().join(", ")
        }
    };
    error.with("allowed", allowed)
}

/// Notes where the tab of a call is when it ends. Who cannot read notes does not use
/// them.
fn record_visit(cx: &CallContext) {
    let tab = cx.tab_if_any().filter(|tab| !tab.page().is_private());
    if let Some(tab) = tab.filter(|_| cx.capability().scopes.allows(Scope::Meta)) {
        cx.daemon().notes().record_visit(tab);
    }
}

/// A hint at skills for a caller that drives a host for long
/// without one.
fn skill_hint(cx: &CallContext) -> Option<String> {
    if !cx.settings().skillify_prompts || cx.command().service != "BrowserService" || !cx.is_root()
    {
        return None;
    }
    let tab = cx.tab_if_any()?;
    let url = Url::parse(&tab.page().url()).ok()?;
    cx.daemon().skills().count_command(tab.session(), &url)
}

/// A notice for a caller that uses the default session beside another program.
fn sharing_notice(cx: &CallContext) -> Option<String> {
    let acts = cx.command().service == "BrowserService" && cx.requested_session().is_none();
    let caller = cx.caller_process().filter(|_| acts)?;
    cx.daemon().session_sharing().record(&cx.session_name(), caller)
}

/// Waits after an action in a session that is filmed for people to follow.
async fn wait_for_recording_pace(cx: &CallContext) {
    if !cx.command().has_side_effects {
        return;
    }
    let session = cx.tab_if_any().and_then(|tab| cx.daemon().sessions().get(tab.session()));
    let pace =
        session.and_then(|session| session.recording().as_ref().map(|film| film.action_delay()));
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
async fn retry_until_found(
    cx: &CallContext,
    action: BoundHandler<'_, '_>,
) -> Result<Box<dyn ResponseMessage>> {
    loop {
        let outcome = action().await;
        let is_missing = |error: &Error| error.reason() == Reason::ElementNotFound;
        let named = cx.requested_timeout().is_some() && cx.command().requires == Requires::Page;
        let is_over = Instant::now() + RETRY_INTERVAL >= cx.deadline();
        if !named || is_over || !outcome.as_ref().err().is_some_and(is_missing) {
            return outcome;
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}

/// An action in a tab, as long as its handler runs: the files that a page sends
/// because of it are kept.
struct TabAction<'a>(Option<&'a Tab>);

impl<'a> TabAction<'a> {
    fn begin(cx: &'a CallContext) -> Self {
        let command = cx.command();
        let acts = command.service == "BrowserService"
            && matches!(command.scope, Scope::Write | Scope::Admin);
        let tab = cx.tab_if_any().filter(|_| acts).map(|tab| &**tab);
        if let Some(tab) = tab {
            match command.requires {
                Requires::Navigation => tab.action_times().begin_navigation(tab.page()),
                _ => tab.action_times().begin(),
            }
            tab.begin_action();
        }
        Self(tab)
    }
}

impl Drop for TabAction<'_> {
    fn drop(&mut self) {
        if let Some(tab) = self.0 {
            tab.action_times().extend();
            tab.end_action();
        }
    }
}

/// Whether a command does nothing but look at the page, so that it may look at
/// the next one when that one is left meanwhile.
fn is_read_only(command: &Command) -> bool {
    command.scope == Scope::Read && command.requires == Requires::Page && !command.has_side_effects
}

/// Refuses an answer that does not fit into a message.
fn check_message_size(response: &dyn ResponseMessage) -> Result<()> {
    let length = response.byte_len();
    if length <= MAX_MESSAGE_BYTES {
        return Ok(());
    }
    let message = format!("the answer has {length} bytes");
    Err(Error::new(Reason::TooLarge, message).with("limit", "64 MiB"))
}
