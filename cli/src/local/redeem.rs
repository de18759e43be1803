//! `redeem`: trades the key of a pairing block for a token, and keeps it.

mod session;

use std::time::Duration;

use browse_proto::{Reason, wire};
use serde_json::{Map, Value, json};
use tokio_rustls::rustls::crypto::ring;

use self::session::RedeemSession;
use crate::{
    call, connect,
    failure::{Failure, Result},
    globals::Globals,
    limits,
    pairing_link::PairingLink,
    print,
    remote::{PendingRemoteFile, Remote, RemoteBrowser},
    remote_name,
    request::PreparedRequest,
    response,
};

/// Redeems the link, and keeps the token under `--remote`, else under the name
/// that the owner gave.
pub fn run(request: &PreparedRequest, globals: &Globals) -> Result<u8> {
    let command = request.invocation.command;
    let text = request.invocation.fields.get("key").and_then(Value::as_str).unwrap_or_default();
    let link = PairingLink::parse(text)?;
    let session = link.session_key.map(|key| RedeemSession::new(key, challenge()?)).transpose()?;
    let mut place = RemoteBrowser {
        address: link.address,
        pin: link.pin,
        allows_public_ca: session.is_some(),
        token: String::new(),
    };
    let time = globals.timeout.unwrap_or(Duration::from_millis(limits::DEFAULT_TIMEOUT_MS));
    let draft = PendingRemoteFile::new(time)?;
    let daemon = connect::connect_remote(&place, globals.timeout)?;
    let fields = match &session {
        // The pin says who answers.
        None => json!({"key": link.setup_key}),
        Some(session) => session.redeem_request(&link.setup_key),
    };
    let body = wire::encode(command.request, fields.as_object().unwrap_or(&Map::new()));
    let body = body.map_err(|error| Failure::new(Reason::Bug, error.to_string()))?;
    let invocation = request.invocation.clone();
    let redeeming = PreparedRequest { invocation, steps: Vec::new(), body: body.into() };
    let called = call::send(&redeeming, globals, daemon);
    let (body, notes) = called.map_err(|broken| broken.failure)?;
    notes.print();
    let mut response = response::decode(command, &body)?;
    // What is a secret stays out of sight.
    let token = take_text(&mut response, "token");
    let sealed = take_text(&mut response, "sealed");
    take_text(&mut response, "proof");
    place.token = match &session {
        None => token,
        Some(session) => session.open_token(&response, &sealed)?,
    };
    let given = response.get("name").and_then(Value::as_str).unwrap_or_default();
    let name = match &globals.remote {
        Some(name) => name.clone(),
        None => remote_name::check_name(given)?,
    };
    draft.save(&name, &Remote::Paired(place))?;
    response.insert("name".to_owned(), json!(name));
    let code = print::answer(command, &response, None, globals)?;
    // A dashboard alone has every session.
    let use_it = match response.get("session").and_then(Value::as_str) {
        Some("*") => format!("`browse --remote {name} dashboard` opens it"),
        _ => format!("`browse --remote {name} <command>` drives it"),
    };
    print::note(&use_it);
    if session.is_some() {
        print::note(
            "the operator of the tunnel can read what you send and receive: TLS may end there",
        );
    }
    Ok(code)
}

fn take_text(response: &mut Map<String, Value>, name: &str) -> String {
    let taken = response.remove(name);
    taken.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn challenge() -> Result<[u8; 16]> {
    let mut bytes = [0; 16];
    let filled = ring::default_provider().secure_random.fill(&mut bytes);
    filled.map_err(|_| Failure::new(Reason::Bug, "the system has no random numbers"))?;
    Ok(bytes)
}
