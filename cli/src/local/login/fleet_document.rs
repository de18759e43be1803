//! What the gateway of a fleet says, to everybody, about signing in.

use std::time::Instant;

use browse_proto::{FLEET_DOCUMENT_PATH, Reason};
use serde_json::Value;

use crate::{
    failure::{Failure, Result},
    http_client::HttpClient,
    oidc::ClientRegistration,
    remote_name,
};
use browse_pin::HttpsUrl;

/// The name of a fleet that has none which could name a remote.
const DEFAULT_NAME: &str = "fleet";

/// The document at [`FLEET_DOCUMENT_PATH`].
#[derive(Debug, PartialEq, Eq)]
pub struct FleetDocument {
    /// The name of the fleet.
    pub name: String,
    /// The client for signing in; none where callers bring a token.
    pub registration: Option<ClientRegistration>,
}

impl FleetDocument {
    /// Asks the gateway at `url`.
    ///
    /// # Errors
    /// `DAEMON_UNREACHABLE`; `REMOTE_FOREIGN`: it is not the gateway of a fleet.
    pub fn fetch(client: &HttpClient, url: &HttpsUrl, end: Instant) -> Result<Self> {
        let origin = url.origin();
        let answer = client.get(&url.with_path(FLEET_DOCUMENT_PATH), end).map_err(|why| {
            let message = format!("the gateway at `{origin}` does not answer: {why}");
            Failure::new(Reason::DaemonUnreachable, message)
                .with_hint("Check the address and the network; `--ca <file>` adds an authority")
        })?;
        let document = match answer.status {
            200 => Self::parse(&answer.body),
            _ => None,
        };
        document.ok_or_else(|| {
            let status = answer.status;
            let message = format!("`{origin}` is not the gateway of a fleet: HTTP {status}");
            Failure::new(Reason::RemoteForeign, message)
                .with_hint("Check the address, and ask the operator of the fleet for it")
        })
    }

    fn parse(body: &[u8]) -> Option<Self> {
        let document: Value = serde_json::from_slice(body).ok()?;
        let document = document.as_object()?;
        let text = |name: &str| document.get(name).and_then(Value::as_str).map(str::to_owned);
        let name = text("name").and_then(|name| remote_name::check_name(&name).ok());
        let scopes = document.get("scopes").and_then(Value::as_array);
        let scopes = scopes.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        let registration = match text("client_id") {
            None => None,
            Some(client_id) => Some(ClientRegistration {
                issuer: text("issuer")?,
                client_id,
                audience: text("audience"),
                scopes: scopes.collect(),
            }),
        };
        Some(Self { name: name.unwrap_or_else(|| DEFAULT_NAME.to_owned()), registration })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fleet_has_a_client_or_takes_a_token() {
        let parse = |text: &str| FleetDocument::parse(text.as_bytes());
        let whole = r#"{"name":"prod","issuer":"https://i.example","client_id":"cli",
            "audience":"browse","scopes":["openid",7,"offline_access"]}"#;
        let document = parse(whole).expect("it is whole");
        assert_eq!(document.name, "prod");
        let registration = document.registration.expect("it has a client");
        assert_eq!(registration.scopes, ["openid", "offline_access"]);
        let none = FleetDocument { name: "fleet".to_owned(), registration: None };
        for text in ["{}", r#"{"issuer":"https://i.example"}"#, r#"{"name":"../x"}"#] {
            assert_eq!(parse(text).as_ref(), Some(&none), "{text}");
        }
        for text in ["", "[]", "<html>", r#"{"client_id":"cli"}"#] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
