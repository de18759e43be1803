//! A client of MCP over HTTP, with a key of the fleet.

use std::net::SocketAddr;

use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::{Value, json};

use crate::support::Answer;

/// The header that names a session of the protocol.
pub const ID_HEADER: &str = "mcp-session-id";

/// A client of MCP, with a key of the fleet.
pub struct McpClient {
    pub key: String,
    /// The session of the protocol.
    pub id: Option<String>,
}

impl McpClient {
    /// A client that has sent nothing.
    pub fn new(key: &str) -> Self {
        Self { key: key.to_owned(), id: None }
    }

    /// A client whose session has begun.
    pub async fn begin(address: SocketAddr, key: &str) -> Self {
        let mut client = Self::new(key);
        let answer = client.request(address, "initialize", initialize()).await;
        assert_eq!(answer.body["result"]["serverInfo"]["name"], "browse", "{answer:?}");
        let id = answer.headers.get(ID_HEADER).unwrap_or_else(|| panic!("no id: {answer:?}"));
        client.id = Some(id.to_str().expect("ASCII").to_owned());
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let answer = client.send(address, Method::POST, &[], ready.to_string()).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
        client
    }

    /// The id of its session.
    pub fn id(&self) -> &str {
        self.id.as_deref().expect("it has begun")
    }

    /// The session of the browser.
    pub fn session(&self) -> &str {
        self.id().split('.').next().expect("a part")
    }

    /// Sends a request. A header without a value replaces one by none.
    pub async fn send(
        &self,
        address: SocketAddr,
        method: Method,
        headers: &[(&str, &str)],
        body: String,
    ) -> Answer {
        let client: Client<HttpConnector, Full<Bytes>> =
            Client::builder(TokioExecutor::new()).build_http();
        let mut request = Request::builder()
            .method(method)
            .uri(format!("http://{address}/mcp"))
            .body(Full::from(body))
            .expect("a request");
        let authorization = format!("Bearer {}", self.key);
        let own = [
            ("authorization", authorization.as_str()),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2025-11-25"),
        ];
        let id = self.id.as_deref().map(|id| (ID_HEADER, id));
        for (name, value) in own.iter().chain(&id).chain(headers) {
            let name: header::HeaderName = name.parse().expect("a name");
            match value.is_empty() {
                true => drop(request.headers_mut().remove(name)),
                false => {
                    drop(request.headers_mut().insert(name, value.parse().expect("a header")));
                }
            }
        }
        let response = client.request(request).await.expect("the gateway answers");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Answer { status: parts.status, headers: parts.headers, body }
    }

    /// Fetches a document of the gateway, without a token.
    pub async fn fetch(url: &str) -> Answer {
        let client: Client<HttpConnector, Full<Bytes>> =
            Client::builder(TokioExecutor::new()).build_http();
        let response = client.get(url.parse().expect("a URL")).await.expect("the gateway answers");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Answer { status: parts.status, headers: parts.headers, body }
    }

    /// Sends this body.
    pub async fn post(&self, address: SocketAddr, headers: &[(&str, &str)], body: &str) -> Answer {
        self.send(address, Method::POST, headers, body.to_owned()).await
    }

    /// Sends a request of the protocol.
    pub async fn request(&self, address: SocketAddr, method: &str, params: Value) -> Answer {
        self.request_with(address, method, params, &[]).await
    }

    /// The same with other headers, which replace its own.
    pub async fn request_with(
        &self,
        address: SocketAddr,
        method: &str,
        params: Value,
        headers: &[(&str, &str)],
    ) -> Answer {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.send(address, Method::POST, headers, message.to_string()).await
    }

    /// The text of a tool call, and whether it failed.
    pub async fn call(
        &self,
        address: SocketAddr,
        tool: &str,
        arguments: Value,
        headers: &[(&str, &str)],
    ) -> (String, bool) {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.request_with(address, "tools/call", params, headers).await;
        let result = &answer.body["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer:?}"));
        (text.to_owned(), result["isError"] == true)
    }

    /// The text of a tool call that succeeds.
    pub async fn ok(&self, address: SocketAddr, tool: &str, arguments: Value) -> String {
        let (text, is_error) = self.call(address, tool, arguments, &[]).await;
        assert!(!is_error, "{tool}: {text}");
        text
    }

    /// The text of a tool call that fails.
    pub async fn fail(&self, address: SocketAddr, tool: &str, arguments: Value) -> String {
        let (text, is_error) = self.call(address, tool, arguments, &[]).await;
        assert!(is_error, "{tool}: {text}");
        text
    }
}

fn initialize() -> Value {
    let client = json!({ "name": "test", "version": "1" });
    json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client })
}
