//! `tunnel start`: asks at a terminal when nobody has agreed yet.

use std::io::{self, IsTerminal as _};

use browse_proto::Reason;
use serde_json::json;

use crate::{
    execute,
    failure::{Failure, Result},
    globals::Globals,
    print,
    request::PreparedRequest,
    response,
};

/// Starts the tunnel, and asks first where the daemon wants that.
pub fn start(request: &PreparedRequest, globals: &Globals) -> Result<u8> {
    let (body, notes) = match execute::unary(request, globals) {
        Err(failure) if failure.has_reason(Reason::TunnelConsentMissing) && can_ask(globals) => {
            execute::unary(&ask_consent(request, globals, &failure)?, globals)?
        }
        answer => answer?,
    };
    notes.print();
    let response = response::decode(request.invocation.command, &body)?;
    print::answer(request.invocation.command, &response, None, globals)
}

fn can_ask(globals: &Globals) -> bool {
    !globals.json && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// The same request, once a person has agreed to what becomes reachable.
fn ask_consent(
    request: &PreparedRequest,
    globals: &Globals,
    failure: &Failure,
) -> Result<PreparedRequest> {
    print::stderr(&format!("{}\nType `yes` to agree: ", failure.message));
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer);
    if read.is_err() || answer.trim() != "yes" {
        let message = "you did not agree, so there is no tunnel";
        return Err(Failure::new(Reason::TunnelConsentMissing, message));
    }
    let mut invocation = request.invocation.clone();
    invocation.fields.insert("yes".to_owned(), json!(true));
    invocation.fields.insert("answered".to_owned(), json!(true));
    PreparedRequest::new(invocation, globals.json, globals.timeout)
}
