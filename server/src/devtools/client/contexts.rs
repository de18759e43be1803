//! Contexts that a client makes: they have the rules of the session, and end with the
//! client.

use browse_chromium::BrowserContextId;
use serde_json::json;

use super::{
    commands::Served,
    devtools_client::DevToolsClient,
    refusals::{no_context, refused},
};
use crate::devtools::message::{DevToolsError, DevToolsRequest, ReplyAddress, SERVER_ERROR};

/// Contexts of a client, that of the session included.
const MAX_CONTEXTS: usize = 50;

impl DevToolsClient {
    pub(super) fn create_context(&self, request: &DevToolsRequest) -> Served {
        for name in ["proxyServer", "proxyBypassList"] {
            if request.has(name) {
                let why = format!("`{name}`: the context has the proxy and hosts of the session");
                return Err(refused(&request.method, why));
            }
        }
        if request.has("originsWithUniversalNetworkAccess") {
            let why = "`originsWithUniversalNetworkAccess`: sites are kept apart";
            return Err(refused(&request.method, why));
        }
        if self.protocol()?.contexts().len() >= MAX_CONTEXTS {
            return Err(refused(&request.method, format!("{MAX_CONTEXTS} contexts are open")));
        }
        let options = self.session().context_options();
        let options = options.map_err(|error| refused(&request.method, error))?;
        let (client, reply) = (self.myself(), ReplyAddress::of(request));
        tokio::spawn(async move {
            let Some(client) = client.upgrade() else { return };
            let Ok(protocol) = client.protocol() else { return };
            match protocol.create_context(&options).await {
                Ok(id) => client.send(reply.result(&json!({ "browserContextId": id }))),
                Err(error) => {
                    client
                        .send(reply.refusal(&DevToolsError::new(SERVER_ERROR, error.to_string())));
                }
            }
        });
        Ok(())
    }

    pub(super) fn dispose_context(&self, request: &DevToolsRequest) -> Served {
        let id = request.text("browserContextId").ok_or_else(no_context)?;
        if id == self.context().as_str() {
            let why = "the context of the session ends with `browse session close`";
            return Err(refused(&request.method, why));
        }
        let id = BrowserContextId::from(id);
        let (client, reply) = (self.myself(), ReplyAddress::of(request));
        tokio::spawn(async move {
            let Some(client) = client.upgrade() else { return };
            let Ok(protocol) = client.protocol() else { return };
            client.send(match protocol.dispose_context(&id).await {
                Ok(()) => reply.result(&json!({})),
                Err(error) => reply.refusal(&DevToolsError::new(SERVER_ERROR, error.to_string())),
            });
        });
        Ok(())
    }
}
