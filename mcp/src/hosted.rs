//! The server as a part of the gateway of a fleet, which knows the callers of its requests and
//! answers the calls that they become.

use std::sync::Arc;

use browse_cli::embed::{CallService, EmbeddedClient};
use hyper::{Request, body::Bytes};
use rmcp::{model::Tool, transport::StreamableHttpServerConfig};
use serde_json::Value;

use crate::{
    options::ServerOptions,
    server::{BrowseServer, definitions},
    streamable::{self, Answer},
    tools::ToolName,
};

/// What the server offers to callers of other machines. It reads and writes no files, and has no
/// state: each request brings its own.
pub struct HostedServer {
    options: ServerOptions,
    tools: Arc<[Tool]>,
}

/// Who sent a request that may be answered.
pub struct HostedCaller {
    /// Answers the calls that the request becomes.
    pub service: Arc<dyn CallService>,
    /// The token of these calls.
    pub token: String,
    /// The session of calls that name none; each of them opens one when there is none.
    pub session: Option<String>,
    /// The trace of calls that are in no other, as a W3C `traceparent`.
    pub traceparent: Option<String>,
}

impl HostedServer {
    /// Makes the list of tools. Skills are left out: no fleet runs them.
    pub fn new() -> Self {
        let tools = ToolName::ALL.into_iter().filter(|tool| *tool != ToolName::Skill).collect();
        let options =
            ServerOptions { tools, approves_in_terminal: true, ..ServerOptions::default() };
        Self { tools: definitions(&options), options }
    }

    /// Answers a request of Streamable HTTP. `Host` and `Origin` are not checked here. Dropping it
    /// ends the calls that it makes.
    pub async fn answer(&self, request: Request<Bytes>, caller: HostedCaller) -> Answer {
        let HostedCaller { service, token, session, traceparent } = caller;
        let client = EmbeddedClient::in_process(service, token, traceparent);
        // Two requests without a session may be of two agents.
        let shares_process = session.is_none();
        let options = ServerOptions { session, shares_process, ..self.options.clone() };
        let server = BrowseServer::with_client(options, client, Arc::clone(&self.tools));
        let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
        streamable::answer(&streamable::service(server, config), request).await
    }
}

impl Default for HostedServer {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether a message begins a session of the protocol.
pub fn is_initialize(message: &[u8]) -> bool {
    let message: Option<Value> = serde_json::from_slice(message).ok();
    let method = message.as_ref().and_then(|message| message.get("method"));
    method.and_then(Value::as_str) == Some("initialize")
}

#[cfg(test)]
mod tests {
    use super::is_initialize;

    #[test]
    fn only_the_method_begins_a_session() {
        assert!(is_initialize(br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#));
        for other in [r#"{"method":"ping","params":{"x":"initialize"}}"#, "[]", "initialize", ""] {
            assert!(!is_initialize(other.as_bytes()), "{other}");
        }
    }
}
