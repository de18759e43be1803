//! `redeem`: trades the key of a pairing block for a token, and keeps it.

mod session;

use std::time::Duration;

use browse_proto::{Reason, wire};
use serde_json::{Map, Value, json};
use tokio_rustls::rustls::crypto::ring;

use self::session::Session;
use crate::{
    call,
    failure::{Failure, Result},
    globals::Globals,
    link::Link,
    perform, print,
    remote::{self, Draft, Remote},
    request::Request,
};

/// Redeems the link, and keeps the token under `--remote`, else under the name
/// that the owner gave.
pub fn run(request: &Request, globals: &Globals) -> Result<u8> {
    let command = request.invocation.command;
    let text = request.invocation.fields.get("key").and_then(Value::as_str).unwrap_or_default();
    let link = Link::parse(text)?;
    let session = link.session.map(|key| Session::new(key, challenge()?)).transpose()?;
    let mut place = Remote {
        address: link.address,
        pin: link.pin,
        vouched: session.is_some(),
        token: String::new(),
    };
    let time = globals.timeout.unwrap_or(Duration::from_millis(call::DEFAULT_TIMEOUT_MS));
    let draft = Draft::new(time)?;
    let daemon = place.connect(globals.timeout)?;
    let fields = match &session {
        // The pin says who answers.
        None => json!({"key": link.key}),
        Some(session) => session.ask(&link.key),
    };
    let body = wire::encode(command.request, fields.as_object().unwrap_or(&Map::new()));
    let body = body.map_err(|error| Failure::new(Reason::Bug, error.to_string()))?;
    let context = perform::context(request, globals, &daemon)?;
    let call = call::unary(daemon, command, body.into(), &context);
    let (body, notes) =
        perform::runtime()?.block_on(call).map_err(|broken: call::Broken| broken.failure)?;
    perform::tell(&notes);
    let mut response = perform::decode(command, &body)?;
    // What is a secret stays out of sight.
    let token = take(&mut response, "token");
    let sealed = take(&mut response, "sealed");
    take(&mut response, "proof");
    place.token = match &session {
        None => token,
        Some(session) => session.open(&response, &sealed)?,
    };
    let given = response.get("name").and_then(Value::as_str).unwrap_or_default();
    let name = match &globals.remote {
        Some(name) => name.clone(),
        None => remote::checked(given)?,
    };
    draft.keep(&name, &place)?;
    response.insert("name".to_owned(), json!(name));
    let code = print::answer(command, &response, None, globals)?;
    print::note(&format!("`browse --remote {name} <command>` drives it"));
    if session.is_some() {
        print::note("whoever runs the tunnel can read what you send and get: TLS may end there");
    }
    Ok(code)
}

fn take(response: &mut Map<String, Value>, name: &str) -> String {
    let taken = response.remove(name);
    taken.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn challenge() -> Result<[u8; 16]> {
    let mut bytes = [0; 16];
    let filled = ring::default_provider().secure_random.fill(&mut bytes);
    filled.map_err(|_| Failure::new(Reason::Bug, "the system has no random numbers"))?;
    Ok(bytes)
}
