//! Prepared requests, each sent to one daemon from the only thread of a command.

use browse_proto::{Command, Reason};
use bytes::Bytes;
use serde_json::{Map, Value};

use super::{CallError, InvocationContext};
use crate::{
    connect::ConnectedDaemon,
    event_loop,
    failure::{Failure, Result},
    globals::Globals,
    parse::Invocation,
    project::working_directory,
    request::PreparedRequest,
    response::{self, ResponseNotices},
};

/// Makes a unary call to `daemon`.
pub fn send(
    request: &PreparedRequest,
    globals: &Globals,
    daemon: ConnectedDaemon,
) -> Result<(Bytes, ResponseNotices), CallError> {
    let context = context(request, globals, &daemon)?;
    let call = super::unary(daemon, request.invocation.command, request.body.clone(), &context);
    event_loop::new()?.block_on(call)
}

/// Makes a streaming call to `daemon`. `start` is given what the headers say, then
/// `each` every message; `end` what the stream says at its end, a failure included.
pub fn send_streaming(
    request: &PreparedRequest,
    globals: &Globals,
    daemon: ConnectedDaemon,
    start: impl FnOnce(ResponseNotices) -> Result<()>,
    each: impl FnMut(Bytes) -> Result<()>,
    end: impl FnOnce(ResponseNotices),
) -> Result<(), CallError> {
    let context = context(request, globals, &daemon)?;
    let (command, body) = (request.invocation.command, request.body.clone());
    event_loop::new()?.block_on(super::streaming(daemon, command, body, &context, start, each, end))
}

/// Calls a command without arguments for ourselves.
pub fn send_by_name(
    name: &str,
    globals: &Globals,
    daemon: ConnectedDaemon,
) -> Result<Map<String, Value>, CallError> {
    let command = Command::by_name(name).ok_or_else(|| {
        Failure::new(Reason::Bug, format!("the contract has no command `{name}`"))
    })?;
    let request = PreparedRequest::new(Invocation::new(command), false, None)?;
    let (body, _) = send(&request, globals, daemon)?;
    Ok(response::decode(command, &body)?)
}

fn context(
    request: &PreparedRequest,
    globals: &Globals,
    daemon: &ConnectedDaemon,
) -> Result<InvocationContext> {
    let timeout = request.timeout(globals.timeout);
    Ok(InvocationContext::new(globals, daemon, &working_directory()?, timeout))
}
