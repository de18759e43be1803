//! Serves the calls of a side panel, which come over the pipe to its browser: each is a request
//! at the services of dashboards, with the token of the panel.
//!
//! Messages are JSON. The panel sends `open` when its document is there, `call` with a request,
//! `ack` for a chunk that was taken, and `abort`. It gets `welcome`, and of each call `head`,
//! `chunk` and `end`, or `broken`.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use browse_base::{Error, Result};
use browse_chromium::PanelDocument;
use browse_policy::layer::{GatedService, json_error};
use browse_proto::{Command, Reason};
use http::{Method, Request, Response, header};
use http_body_util::{BodyExt as _, Full};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{sync::Semaphore, task::JoinHandle};
use tonic::body::Body;
use tower::ServiceExt as _;

/// Calls of a document at a time.
const MAX_CALLS: usize = 64;

/// Bytes of a chunk of an answer.
const MAX_CHUNK_BYTES: usize = 48 * 1024;

/// Chunks of an answer that the panel has not taken yet.
const MAX_CHUNKS_IN_FLIGHT: usize = 8;

/// The command for which the panel has a token of its own.
const APPROVE: &str = "approve";

/// The tokens of a panel.
pub(super) struct PanelTokens {
    /// For everything but approvals.
    pub main: String,
    /// For approvals.
    pub approvals: String,
}

/// Serves the documents of one panel.
pub struct PanelBridge {
    services: GatedService,
    tokens: PanelTokens,
    welcome: Value,
}

/// Sends a message to a document.
type Post = Arc<dyn Fn(&Value) + Send + Sync>;

/// A document, and its calls.
struct PanelConnection {
    bridge: Arc<PanelBridge>,
    post: Post,
    calls: HashMap<u64, PanelCall>,
}

/// A call under way. It ends with this, unless it is to outlive its document.
struct PanelCall {
    window: Arc<Semaphore>,
    task: JoinHandle<()>,
    outlives_document: bool,
}

/// What a document sends.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum PanelMessage {
    Open,
    Call(PanelRequest),
    Ack { id: u64 },
    Abort { id: u64 },
}

#[derive(Deserialize)]
struct PanelRequest {
    id: u64,
    /// `/browse.v1.Service/Method`.
    path: String,
    headers: BTreeMap<String, String>,
    /// In base64.
    body: String,
    /// Whether it goes on when the document ends.
    #[serde(default)]
    keepalive: bool,
}

/// Where the answer to a call goes.
struct PanelReply {
    id: u64,
    window: Arc<Semaphore>,
    post: Post,
}

impl PanelBridge {
    pub(super) fn new(services: GatedService, tokens: PanelTokens, welcome: Value) -> Self {
        Self { services, tokens, welcome }
    }

    /// Serves a document until it ends. Its calls end with this.
    pub async fn serve(self: Arc<Self>, mut document: PanelDocument) {
        let poster = document.poster();
        let post: Post = Arc::new(move |message| poster.post(message));
        let mut connection = PanelConnection { bridge: self, post, calls: HashMap::new() };
        while let Some(message) = document.next_message().await {
            connection.receive(&message);
        }
    }

    fn request(&self, call: &PanelRequest) -> Result<Request<Body>> {
        let invalid =
            |what: &str| Error::new(Reason::RequestInvalid, format!("the panel sent {what}"));
        let body = STANDARD.decode(&call.body).map_err(|_| invalid("a body without base64"))?;
        let is_approval =
            Command::by_path(&call.path).is_some_and(|command| command.name == APPROVE);
        let token = if is_approval { &self.tokens.approvals } else { &self.tokens.main };
        let mut request = Request::builder().method(Method::POST).uri(call.path.as_str());
        for (name, value) in call.headers.iter().filter(|(name, _)| is_passed_on(name)) {
            request = request.header(name.as_str(), value.as_str());
        }
        let request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        request.body(Body::new(Full::from(body))).map_err(|_| invalid("a malformed request"))
    }
}

/// Whether a header of the panel is one of a call. Others, such as a token, are not.
fn is_passed_on(name: &str) -> bool {
    name == "content-type" || name.starts_with("connect-") || name.starts_with("browse-")
}

impl PanelConnection {
    fn receive(&mut self, message: &str) {
        match serde_json::from_str(message) {
            Ok(PanelMessage::Open) => {
                // The document was loaded again: nobody waits for the answers of before.
                self.calls.clear();
                (self.post)(&self.bridge.welcome);
            }
            Ok(PanelMessage::Call(request)) => self.begin(&request),
            Ok(PanelMessage::Ack { id }) => {
                if let Some(PanelCall { window, .. }) = self.calls.get(&id)
                    && window.available_permits() < MAX_CHUNKS_IN_FLIGHT
                {
                    window.add_permits(1);
                }
            }
            Ok(PanelMessage::Abort { id }) => drop(self.calls.remove(&id)),
            Err(error) => tracing::warn!(%error, "a side panel sent what is not a message"),
        }
    }

    fn begin(&mut self, call: &PanelRequest) {
        self.calls.retain(|_, call| !call.task.is_finished());
        if self.calls.contains_key(&call.id) {
            return tracing::warn!(id = call.id, "a side panel used the id of a call that runs");
        }
        let request = match self.calls.len() < MAX_CALLS {
            true => self.bridge.request(call),
            false => {
                let error =
                    Error::new(Reason::RateLimited, "the panel makes too many calls at once");
                Err(error.with("retry_ms", "100"))
            }
        };
        let services = self.bridge.services.clone();
        let window = Arc::new(Semaphore::new(MAX_CHUNKS_IN_FLIGHT));
        let (shared_window, post) = (Arc::clone(&window), Arc::clone(&self.post));
        let reply = PanelReply { id: call.id, window: shared_window, post };
        let task = tokio::spawn(async move {
            let response = match request {
                Ok(request) => {
                    let Ok(response) = services.oneshot(request).await;
                    response
                }
                Err(error) => json_error(error),
            };
            reply.send(response).await;
        });
        let outlives_document = call.keepalive;
        self.calls.insert(call.id, PanelCall { window, task, outlives_document });
    }
}

impl PanelReply {
    async fn send(&self, response: Response<Body>) {
        let (parts, mut body) = response.into_parts();
        let header = |(name, value): (&header::HeaderName, &header::HeaderValue)| {
            Some((name.to_string(), value.to_str().ok()?.to_owned()))
        };
        let headers: Vec<_> = parts.headers.iter().filter_map(header).collect();
        let (id, status) = (self.id, parts.status.as_u16());
        let head = json!({ "kind": "head", "id": id, "status": status, "headers": headers });
        (self.post)(&head);
        while let Some(frame) = body.frame().await {
            let frame = match frame {
                Ok(frame) => frame,
                Err(error) => {
                    tracing::debug!(%error, "the answer to a side panel broke off");
                    return (self.post)(&json!({ "kind": "broken", "id": id }));
                }
            };
            // What is not data are trailers, which the JSON form has none of.
            let data = frame.into_data().unwrap_or_default();
            for chunk in data.chunks(MAX_CHUNK_BYTES) {
                let Ok(permit) = self.window.acquire().await else { return };
                permit.forget();
                let data = STANDARD.encode(chunk);
                (self.post)(&json!({ "kind": "chunk", "id": id, "data": data }));
            }
        }
        (self.post)(&json!({ "kind": "end", "id": id }));
    }
}

impl Drop for PanelCall {
    fn drop(&mut self) {
        match self.outlives_document {
            // It is carried out, and its answer goes nowhere.
            true => self.window.close(),
            false => self.task.abort(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use tokio::{
        sync::mpsc::{UnboundedReceiver, unbounded_channel},
        time::timeout,
    };
    use tower::{service_fn, util::BoxCloneSyncService};

    use super::*;

    /// Answers with the token and a body of so many bytes.
    fn connection(bytes: usize) -> (PanelConnection, UnboundedReceiver<Value>) {
        let services = service_fn(move |request: Request<Body>| async move {
            let token = request.headers().get(header::AUTHORIZATION).cloned();
            let mut response = Response::new(Body::new(Full::from(Bytes::from(vec![b'a'; bytes]))));
            if let Some(token) = token {
                response.headers_mut().insert("browse-token", token);
            }
            Ok::<_, std::convert::Infallible>(response)
        });
        let tokens = PanelTokens { main: "main".to_owned(), approvals: "approvals".to_owned() };
        let welcome = json!({ "kind": "welcome" });
        let bridge = PanelBridge::new(BoxCloneSyncService::new(services), tokens, welcome);
        let (sender, posted) = unbounded_channel();
        let post: Post = Arc::new(move |message| drop(sender.send(message.clone())));
        (PanelConnection { bridge: Arc::new(bridge), post, calls: HashMap::new() }, posted)
    }

    fn call(id: u64, path: &str) -> String {
        let headers = json!({ "content-type": "application/json", "authorization": "Bearer x" });
        json!({ "kind": "call", "id": id, "path": path, "headers": headers, "body": "e30=" })
            .to_string()
    }

    async fn next(posted: &mut UnboundedReceiver<Value>) -> Value {
        timeout(Duration::from_secs(5), posted.recv()).await.expect("in time").expect("more")
    }

    #[tokio::test]
    async fn calls_have_the_token_of_the_panel() {
        let (mut connection, mut posted) = connection(0);
        connection.receive(r#"{"kind":"open"}"#);
        assert_eq!(next(&mut posted).await["kind"], "welcome");
        for (id, path, token) in [
            (7, "/browse.v1.DashboardService/Overview", "Bearer main"),
            (8, "/browse.v1.BrowserService/Approve", "Bearer approvals"),
        ] {
            connection.receive(&call(id, path));
            let head = next(&mut posted).await;
            assert_eq!((&head["status"], &head["id"]), (&json!(200), &json!(id)));
            let headers = head["headers"].to_string();
            assert!(headers.contains(token) && !headers.contains("Bearer x"), "{headers}");
            assert_eq!(next(&mut posted).await, json!({ "kind": "end", "id": id }));
        }
    }

    #[tokio::test]
    async fn an_answer_waits_until_its_chunks_are_taken() {
        let (mut connection, mut posted) = connection(MAX_CHUNK_BYTES * (MAX_CHUNKS_IN_FLIGHT + 1));
        connection.receive(&call(1, "/browse.v1.DashboardService/Overview"));
        assert_eq!(next(&mut posted).await["kind"], "head");
        for _ in 0..MAX_CHUNKS_IN_FLIGHT {
            assert_eq!(next(&mut posted).await["kind"], "chunk");
        }
        let early = timeout(Duration::from_millis(50), posted.recv()).await;
        assert!(early.is_err(), "no more than the window");
        connection.receive(r#"{"kind":"ack","id":1}"#);
        assert_eq!(next(&mut posted).await["kind"], "chunk");
        assert_eq!(next(&mut posted).await["kind"], "end");
    }

    #[tokio::test]
    async fn an_id_is_of_one_call_and_a_call_that_goes_on_waits_for_no_document() {
        let (mut connection, mut posted) = connection(MAX_CHUNK_BYTES * 100);
        let path = "/browse.v1.DashboardService/Overview";
        let text = call(1, path).replacen('{', "{\"keepalive\":true,", 1);
        for _ in 0..3 {
            connection.receive(&text);
        }
        assert_eq!(connection.calls.len(), 1);
        assert_eq!(next(&mut posted).await["kind"], "head");
        for _ in 0..MAX_CHUNKS_IN_FLIGHT {
            assert_eq!(next(&mut posted).await["kind"], "chunk");
        }
        let mut call = connection.calls.remove(&1).expect("it runs");
        let placeholder = tokio::spawn(async {});
        let task = std::mem::replace(&mut call.task, placeholder);
        drop(call);
        timeout(Duration::from_secs(5), task).await.expect("it ends").expect("in order");
    }

    #[tokio::test]
    async fn calls_end_with_their_document() {
        let (mut connection, mut posted) = connection(MAX_CHUNK_BYTES * 100);
        connection.receive(&call(1, "/browse.v1.DashboardService/Overview"));
        assert_eq!(next(&mut posted).await["kind"], "head");
        connection.receive("not a message");
        connection.receive(r#"{"kind":"open"}"#);
        while next(&mut posted).await["kind"] != "welcome" {}
        connection.receive(r#"{"kind":"ack","id":1}"#);
        let late = timeout(Duration::from_millis(50), posted.recv()).await;
        assert!(late.is_err(), "{late:?}");
    }
}
