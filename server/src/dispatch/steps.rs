//! Runs one step of a chain or a batch: the same authorization, the same
//! handler and the same guard as a call of its own.

use std::{sync::Arc, time::Duration};

use browse_proto::{Command, PageDerived, Reason, v1};
use futures::{FutureExt as _, future::BoxFuture};
use prost_types::Any;
use tokio::time::Instant;

use super::{Context, denials, run::guarded};
use crate::{
    daemon::Daemon,
    error::{Error, Result},
    policy::{self, Grant, Listener, layer::Refusal},
    records::Entry,
    sessions::TabId,
};

const TYPE_PREFIX: &str = "type.googleapis.com/";

/// The command that a step asks for.
///
/// # Errors
/// `COMMAND_UNKNOWN`; `BATCH_INVALID` for what cannot be a step.
pub fn command(request: &Any) -> Result<&'static Command> {
    let name = request.type_url.trim_start_matches(TYPE_PREFIX);
    let command = Command::by_request(name).ok_or_else(|| {
        let message = format!("`{}` is no request", crate::error::quote(name));
        Error::new(Reason::CommandUnknown, message)
    })?;
    if command.group == "batch" || command.streaming {
        let message = format!("`{}` cannot be a step", command.name);
        return Err(Error::new(Reason::BatchInvalid, message));
    }
    Ok(command)
}

/// Runs `request` for the caller of `cx`, on `tab` or the tab of the call;
/// answers with the tab that it acted on.
// Not an `async fn`: its handlers include chain and batch, which run steps.
pub fn step<'a>(
    cx: &'a Context,
    request: &'a Any,
    tab: Option<TabId>,
) -> BoxFuture<'a, (Option<TabId>, Result<Any>)> {
    async move {
        let permit = command(request).and_then(|command| cx.permit().step(command));
        let of_step = match permit {
            Ok(permit) => cx.of_step(permit, tab),
            Err(error) => {
                refused(cx, request, &error);
                return (tab, Err(error));
            }
        };
        let outcome = perform(&of_step, request).await;
        of_step
            .said()
            .iter()
            .for_each(|note| cx.say(&format!("{}: {note}", of_step.command().name)));
        if outcome.as_ref().is_err_and(|error| !error.page().is_empty()) {
            cx.note_page_derived(&of_step);
        }
        let outcome = outcome.map(|(answer, derived)| {
            if derived {
                cx.note_page_derived(&of_step);
            }
            answer
        });
        (of_step.tab_if_any().map(|tab| tab.id()).or(tab), outcome)
    }
    .boxed()
}

/// Runs `request` for the holder of `grant`, as a skill of its would from outside.
///
/// # Errors
/// Those of the command, and what the grant does not allow.
pub fn run_as<'a>(
    daemon: &'a Arc<Daemon>,
    grant: &'a Arc<Grant>,
    session: &'a str,
    request: &'a Any,
    timeout: Duration,
) -> BoxFuture<'a, Result<Any>> {
    async move {
        let permit = policy::check(grant, command(request)?, Listener::Skills)?;
        let cx = Context::own(daemon, permit, session, timeout);
        Ok(perform(&cx, request).await?.0)
    }
    .boxed()
}

/// A step that is refused stands in the books like a call that is.
fn refused(cx: &Context, request: &Any, error: &Error) {
    let path = command(request).map(|command| command.path.to_owned()).unwrap_or_default();
    denials::of_call(cx, error);
    let client = Some(cx.client().clone());
    cx.daemon().activity().refused(&Refusal {
        reason: error.reason(),
        client,
        path,
        peer: cx.peer(),
    });
}

/// Boxed here: what each of a hundred handlers leaves on the stack of whoever
/// picks one would overflow it in a build that is not optimized.
fn run<'a, Q, R, F>(
    cx: &'a Context,
    bytes: &'a [u8],
    name: &'static str,
    handler: F,
) -> BoxFuture<'a, Result<(Any, bool)>>
where
    Q: prost::Message + Clone + Default + 'static,
    R: prost::Message + PageDerived + 'a,
    F: for<'b> Fn(&'b Context, Q) -> BoxFuture<'b, Result<R>> + Send + Sync + 'a,
{
    perform_one(cx, bytes, name, handler).boxed()
}

async fn perform_one<Q, R, F>(
    cx: &Context,
    bytes: &[u8],
    name: &'static str,
    handler: F,
) -> Result<(Any, bool)>
where
    Q: prost::Message + Clone + Default + 'static,
    R: prost::Message + PageDerived,
    F: for<'a> Fn(&'a Context, Q) -> BoxFuture<'a, Result<R>>,
{
    let begun = Instant::now();
    let request = Q::decode(bytes).map_err(|error| {
        Error::new(Reason::BatchInvalid, format!("a step cannot be read: {error}"))
    })?;
    let mut entry = Entry::begin(cx, &request);
    let outcome = Box::pin(guarded(cx, request, handler)).await;
    let _ = outcome.as_ref().inspect_err(|error| denials::of_call(cx, error));
    entry.acted_on(cx);
    let reason = outcome.as_ref().err().map(Error::reason);
    cx.daemon().activity().ended(entry, begun.elapsed(), reason);
    let (response, derived) = match outcome {
        Ok(answer) => answer,
        Err(error) => {
            let error = super::run::complete(cx, error);
            super::run::guard_error(cx, &error).await;
            return Err(error);
        }
    };
    let type_url = format!("{TYPE_PREFIX}browse.v1.{name}");
    Ok((Any { type_url, value: response.encode_to_vec() }, derived))
}

macro_rules! browser_steps {
    (BrowserService unary { $($group:ident $function:ident $request:ident $response:ident;)* }
        streams { $($stream:tt)* }) => {
        /// Runs a step of BrowserService.
        async fn browser(cx: &Context, name: &str, bytes: &[u8]) -> Option<Result<(Any, bool)>> {
            $(if name == stringify!($request) {
                let name = stringify!($response);
                return Some(run(cx, bytes, name, |cx, request: v1::$request| {
                    crate::browser::$group::$function(cx, request).boxed()
                }).await);
            })*
            None
        }
    };
}

macro_rules! steps {
    ($perform:ident $handlers:ident $service:ident
        unary { $($group:ident $function:ident $request:ident $response:ident;)* }
        streams { $($stream:tt)* }) => {
        /// Runs a step of this service.
        async fn $perform(cx: &Context, name: &str, bytes: &[u8]) -> Option<Result<(Any, bool)>> {
            $(if name == stringify!($request) {
                let name = stringify!($response);
                return Some(run(cx, bytes, name, |cx, request: v1::$request| {
                    crate::$handlers::$function(cx, request).boxed()
                }).await);
            })*
            None
        }
    };
}

macro_rules! daemon_steps { ($($all:tt)*) => { steps! { daemon control $($all)* } }; }
macro_rules! skill_steps { ($($all:tt)*) => { steps! { skill skills $($all)* } }; }
macro_rules! notes_steps { ($($all:tt)*) => { steps! { notes notes $($all)* } }; }
macro_rules! pair_steps { ($($all:tt)*) => { steps! { pair pairing $($all)* } }; }

browse_proto::with_browser_service!(browser_steps);
browse_proto::with_daemon_service!(daemon_steps);
browse_proto::with_skill_service!(skill_steps);
browse_proto::with_domain_skill_service!(notes_steps);
browse_proto::with_pair_service!(pair_steps);

async fn perform(cx: &Context, request: &Any) -> Result<(Any, bool)> {
    let name = cx.command().request.name;
    let bytes = request.value.as_slice();
    if let Some(done) = browser(cx, name, bytes).await {
        return done;
    }
    if let Some(done) = daemon(cx, name, bytes).await {
        return done;
    }
    if let Some(done) = skill(cx, name, bytes).await {
        return done;
    }
    if let Some(done) = notes(cx, name, bytes).await {
        return done;
    }
    let done = pair(cx, name, bytes).await;
    done.unwrap_or_else(|| Err(Error::new(Reason::Bug, format!("no handler for `{name}`"))))
}
