//! Callers of the gateway, and what they wait for.

use std::{net::SocketAddr, time::Duration};

use browse_proto::{Command, metadata};
use http::{HeaderMap, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::{Value, json};

/// The longest that something takes to come about.
pub const LIMIT: Duration = Duration::from_secs(10);

/// What a call was answered.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Answer {
    /// The reason of an error.
    pub fn reason(&self) -> &str {
        self.body["details"][0]["debug"]["reason"].as_str().unwrap_or("ok")
    }

    /// The pod that answered.
    pub fn pod(&self) -> &str {
        self.body["pod"].as_str().unwrap_or_default()
    }
}

/// Calls a command at a gateway.
pub async fn call(
    address: SocketAddr,
    tenant: &str,
    session: &str,
    command: &str,
    headers: &[(&str, &str)],
) -> Answer {
    let body = match command {
        "session new" | "session close" => json!({ "name": session }),
        _ => json!({}),
    };
    send(address, tenant, session, command, &body, headers).await
}

/// Calls a command with this message.
pub async fn send(
    address: SocketAddr,
    tenant: &str,
    session: &str,
    command: &str,
    body: &Value,
    headers: &[(&str, &str)],
) -> Answer {
    let command = Command::by_name(command).expect("a command");
    let client: Client<HttpConnector, Full<Bytes>> =
        Client::builder(TokioExecutor::new()).build_http();
    let mut request = Request::post(format!("http://{address}{}", command.path))
        .body(Full::from(body.to_string()))
        .expect("a request");
    let own = [
        ("content-type", "application/json".to_owned()),
        ("authorization", format!("Bearer {tenant}-key")),
        (metadata::SESSION, session.to_owned()),
    ];
    for (name, value) in own {
        request.headers_mut().insert(name, value.parse().expect("a header"));
    }
    for (name, value) in headers {
        let name: header::HeaderName = name.parse().expect("a name");
        request.headers_mut().insert(name, value.parse().expect("a header"));
    }
    let response = client.request(request).await.expect("the gateway answers");
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.expect("a body").to_bytes();
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    Answer { status: parts.status, headers: parts.headers, body }
}

/// Waits until `check` holds.
pub async fn eventually<T>(mut check: impl FnMut() -> Option<T>) -> T {
    let begun = tokio::time::Instant::now();
    loop {
        if let Some(found) = check() {
            return found;
        }
        assert!(begun.elapsed() < LIMIT, "it did not come about in time");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
