//! Runs one step of a chain or a batch: the same authorization, the same
//! handler and the same guard as a call of its own.

use std::{sync::Arc, time::Duration};

use browse_proto::{Command, PageDerived, Reason, SentData};
use futures::{FutureExt as _, future::BoxFuture};
use prost_types::Any;

use super::{
    CallContext, arrivals, denial_audit,
    unary::{Handler, run_step_handler},
};
use browse_base::{Error, Result};
use browse_policy::{Grant, Listener, layer::RefusedCall};
use browse_sessions::TabId;

const TYPE_URL_PREFIX: &str = "type.googleapis.com/";

/// The command that a step asks for.
///
/// # Errors
/// `COMMAND_UNKNOWN`; `BATCH_INVALID` for what cannot be a step.
pub fn step_command(request: &Any) -> Result<&'static Command> {
    let name = request.type_url.trim_start_matches(TYPE_URL_PREFIX);
    let command = Command::by_request(name).ok_or_else(|| {
        let message = format!("`{}` is not a request", browse_base::quote(name));
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
pub fn run_step<'a>(
    cx: &'a CallContext,
    request: &'a Any,
    tab: Option<TabId>,
) -> BoxFuture<'a, (Option<TabId>, Result<Any>)> {
    async move {
        let permit = step_command(request).and_then(|command| cx.permit().for_command(command));
        let of_step = match permit {
            Ok(permit) => cx.for_step(permit, tab),
            Err(error) => {
                record_refused_step(cx, request, &error);
                return (tab, Err(error));
            }
        };
        let outcome = (cx.step_handlers().run)(&of_step, request).await;
        // Text shows the answers of steps without what they suggest.
        of_step
            .notices()
            .into_iter()
            .chain(arrivals::notices(&of_step.suggested()))
            .for_each(|note| cx.add_notice(&format!("{}: {note}", of_step.command().name)));
        if outcome.as_ref().is_err_and(|error| !error.page_quotes().is_empty()) {
            cx.merge_step_content(&of_step);
        }
        let outcome = outcome.map(|(answer, derived)| {
            if derived {
                cx.merge_step_content(&of_step);
            }
            answer
        });
        (of_step.tab_if_any().map(|tab| tab.id()).or(tab), outcome)
    }
    .boxed()
}

/// Runs `request` during the call of `cx` for the holder of `grant`, as a skill of its would
/// from outside.
///
/// # Errors
/// Those of the command, and what the grant does not allow.
pub fn run_as<'a>(
    cx: &'a CallContext,
    grant: &'a Arc<Grant>,
    session: &'a str,
    request: &'a Any,
    timeout: Duration,
) -> BoxFuture<'a, Result<Any>> {
    async move {
        let permit = browse_policy::check(grant, step_command(request)?, Listener::Skills)?;
        let of_step = cx.internal(permit, session, timeout);
        Ok((cx.step_handlers().run)(&of_step, request).await?.0)
    }
    .boxed()
}

/// A step that is refused stands in the books like a call that is.
fn record_refused_step(cx: &CallContext, request: &Any, error: &Error) {
    let path = step_command(request).map(|command| command.path.to_owned()).unwrap_or_default();
    denial_audit::record_denied_call(cx, error);
    let client = Some(cx.client().clone());
    cx.daemon().activity().record_refused(&RefusedCall {
        reason: error.reason(),
        client,
        path,
        peer: cx.peer(),
    });
}

/// Boxed here: what each of a hundred handlers leaves on the stack of whoever
/// picks one would overflow it in a build that is not optimized.
pub fn run_handler<'a, Q, R>(
    cx: &'a CallContext,
    bytes: &'a [u8],
    name: &'static str,
    handler: Handler<Q, R>,
) -> BoxFuture<'a, Result<(Any, bool)>>
where
    Q: prost::Message + SentData + Clone + Default + 'static,
    R: prost::Message + PageDerived + 'static,
{
    async move {
        let request = Q::decode(bytes).map_err(|error| {
            Error::new(Reason::BatchInvalid, format!("a step cannot be read: {error}"))
        })?;
        let (value, derived) = run_step_handler(cx, request, handler).await?;
        let type_url = format!("{TYPE_URL_PREFIX}browse.v1.{name}");
        Ok((Any { type_url, value }, derived))
    }
    .boxed()
}
