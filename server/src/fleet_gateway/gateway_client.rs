//! Calls of the gateway of a fleet with the token of the sign-in, which is renewed before it ends,
//! and once when the gateway rejects it. What may have been done is not sent again.

use std::sync::Arc;

use browse_base::{Error, Result};
use browse_proto::Reason;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use serde_json::{Map, Value};
use tonic::body::Body;

use super::{
    call_content::{CallContent, whole_body},
    gateway_connection::GatewayConnection,
    gateway_error::{broken, foreign, unreachable},
    remote_file::FleetCredentials,
    sign_in::FleetSignIn,
};
use crate::relay_http::{AnswerFailure, read_json_answer};

/// Bytes of an answer to a call for ourselves.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// The status of gRPC for a token that is not known.
const GRPC_UNAUTHENTICATED: &[u8] = b"16";

/// Calls one fleet.
pub struct GatewayClient {
    sign_in: Arc<FleetSignIn>,
    connection: GatewayConnection,
}

impl GatewayClient {
    /// A client without a connection.
    pub fn new(sign_in: Arc<FleetSignIn>) -> Self {
        Self { sign_in, connection: GatewayConnection::default() }
    }

    /// The sign-in.
    pub fn sign_in(&self) -> &FleetSignIn {
        &self.sign_in
    }

    /// The error of a gateway that does not answer.
    pub fn unreachable(&self, why: &str) -> Error {
        let fleet = self.sign_in.read();
        fleet.map_or_else(|error| error, |fleet| unreachable(&fleet.url, why))
    }

    /// Sends a call to `path`. One whose token the gateway rejects is sent once more, with the next
    /// token.
    ///
    /// # Errors
    /// `DAEMON_UNREACHABLE`, `REMOTE_FOREIGN`, `CERTIFICATE_UNUSABLE`; `TOKEN_INVALID`: the gateway
    /// rejects the next token, too; those of [`FleetSignIn::credentials`].
    pub async fn post(
        &self,
        path: &str,
        headers: &HeaderMap,
        content: CallContent,
    ) -> Result<Response<Incoming>> {
        let fleet = self.sign_in.credentials().await?;
        let (body, kept) = content.into_body();
        let response = self.send(&fleet, request(&fleet, path, headers, body)?).await?;
        if !rejects_token(&response) {
            return Ok(response);
        }
        let fleet = self.sign_in.replacement(&fleet.token).await?;
        let Some(kept) = kept else {
            return Err(unreachable(&fleet.url, "its token was renewed while the call was sent"));
        };
        let request = request(&fleet, path, headers, whole_body(kept))?;
        let response = self.send(&fleet, request).await?;
        match rejects_token(&response) {
            true => Err(self.sign_in.rejected(&fleet)),
            false => Ok(response),
        }
    }

    /// Calls `path` for ourselves, in JSON.
    ///
    /// # Errors
    /// Those of the command, and of [`GatewayClient::post`].
    pub async fn call(
        &self,
        path: &str,
        mut headers: HeaderMap,
        message: &Value,
    ) -> Result<Map<String, Value>> {
        let json = HeaderValue::from_static("application/json");
        headers.insert(header::CONTENT_TYPE, json);
        let content = CallContent::Whole(Bytes::from(message.to_string()));
        let response = self.post(path, &headers, content).await?;
        let answer = read_json_answer(response, MAX_ANSWER_BYTES).await;
        answer.map_err(|failure| match failure {
            AnswerFailure::Reported(error) => error,
            AnswerFailure::Broken(why) => self.unreachable(&why),
            AnswerFailure::Foreign(what) => foreign(what),
        })
    }

    /// Sends a request, on another connection where the last one had ended before any of it was
    /// sent.
    async fn send(
        &self,
        fleet: &FleetCredentials,
        request: Request<Body>,
    ) -> Result<Response<Incoming>> {
        let mut requests = self.connection.requests(fleet).await?;
        let unsent = match requests.try_send_request(request).await {
            Ok(response) => return Ok(response),
            // The request comes back where the gateway cannot have got it.
            Err(mut failure) => match failure.take_message() {
                Some(request) => request,
                None => return Err(broken(&fleet.url, failure.error())),
            },
        };
        let mut requests = self.connection.requests(fleet).await?;
        let sent = requests.try_send_request(unsent).await;
        sent.map_err(|failure| broken(&fleet.url, failure.error()))
    }
}

fn request(
    fleet: &FleetCredentials,
    path: &str,
    headers: &HeaderMap,
    body: Body,
) -> Result<Request<Body>> {
    let invalid = |why: String| {
        Error::new(Reason::RequestInvalid, format!("the request cannot be made: {why}"))
    };
    let token = HeaderValue::try_from(format!("Bearer {}", fleet.token));
    // The token is not part of the message.
    let mut token = token.map_err(|_| invalid("its token is not a header".to_owned()))?;
    token.set_sensitive(true);
    let request = Request::post(format!("{}{path}", fleet.url.origin())).body(body);
    let mut request = request.map_err(|error| invalid(error.to_string()))?;
    *request.headers_mut() = headers.clone();
    request.headers_mut().insert(header::AUTHORIZATION, token);
    Ok(request)
}

/// Whether the gateway does not accept the token, so that nothing was done.
fn rejects_token(response: &Response<Incoming>) -> bool {
    let status = response.headers().get("grpc-status").map(HeaderValue::as_bytes);
    response.status() == StatusCode::UNAUTHORIZED || status == Some(GRPC_UNAUTHENTICATED)
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        fs::{self, Permissions},
        future,
        os::unix::fs::PermissionsExt as _,
    };

    use http_body_util::{BodyExt as _, Full};
    use hyper::{server::conn::http2, service::service_fn};
    use hyper_util::rt::{TokioExecutor, TokioIo};
    use serde_json::json;
    use tempfile::TempDir;
    use tokio::{
        net::TcpListener,
        sync::mpsc::{self, UnboundedReceiver},
        task::JoinHandle,
    };

    use super::*;

    /// Whether a gateway answers.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Answers {
        All,
        None,
    }

    /// A gateway on one connection, which answers what it is sent where the token is `new`.
    struct PlayedGateway {
        url: String,
        /// The token and the body of each call.
        calls: UnboundedReceiver<(String, String)>,
        task: JoinHandle<()>,
    }

    impl PlayedGateway {
        async fn start(answers: Answers) -> Self {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let url = format!("http://{}", listener.local_addr().expect("an address"));
            let (sender, calls) = mpsc::unbounded_channel();
            let task = tokio::spawn(async move {
                let (stream, _) = listener.accept().await.expect("a connection");
                let service = service_fn(move |request: Request<Incoming>| {
                    let sender = sender.clone();
                    async move {
                        let token = request.headers()[header::AUTHORIZATION].to_str();
                        let token = token.expect("text").replace("Bearer ", "");
                        let body = request.into_body().collect().await.expect("it is whole");
                        let body = String::from_utf8_lossy(&body.to_bytes()).into_owned();
                        let _ = sender.send((token.clone(), body.clone()));
                        if answers == Answers::None {
                            future::pending::<()>().await;
                        }
                        let mut response = Response::new(Full::new(Bytes::from(body)));
                        if token != "new" {
                            *response.status_mut() = StatusCode::UNAUTHORIZED;
                        }
                        Ok::<_, Infallible>(response)
                    }
                });
                let connection = http2::Builder::new(TokioExecutor::new())
                    .serve_connection(TokioIo::new(stream), service);
                let _ = connection.await;
            });
            Self { url, calls, task }
        }

        fn next_call(&mut self) -> Option<(String, String)> {
            self.calls.try_recv().ok()
        }
    }

    /// A client with the token `old`, for which `new` can be got.
    fn client(url: &str, next: &str) -> (TempDir, GatewayClient) {
        let home = tempfile::tempdir().expect("a folder");
        fs::create_dir(home.path().join("remotes")).expect("a folder");
        for (file, token) in [("remotes/fleet.json", "old"), ("next", next)] {
            let file = home.path().join(file);
            let document = json!({ "kind": "fleet", "url": url, "token": token });
            fs::write(&file, document.to_string()).expect("written");
            fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("set");
        }
        let program = home.path().join("browse");
        let script = "#!/bin/sh\nmv \"$BROWSE_HOME/next\" \"$BROWSE_HOME/remotes/fleet.json\"\n";
        fs::write(&program, script).expect("written");
        fs::set_permissions(&program, Permissions::from_mode(0o700)).expect("set");
        let sign_in = FleetSignIn::open(home.path().to_owned(), "fleet".to_owned(), program);
        (home, GatewayClient::new(sign_in.expect("it is whole")))
    }

    fn call_of(token: &str, body: &str) -> Option<(String, String)> {
        Some((token.to_owned(), body.to_owned()))
    }

    #[tokio::test]
    async fn a_call_is_sent_again_with_the_next_token() {
        let mut gateway = PlayedGateway::start(Answers::All).await;
        let (_home, client) = client(&gateway.url, "new");
        let answer = client.call("/a", HeaderMap::new(), &json!({ "a": 1 })).await;
        assert_eq!(Value::Object(answer.expect("renewed")), json!({ "a": 1 }));
        assert_eq!(gateway.next_call(), call_of("old", r#"{"a":1}"#));
        assert_eq!(gateway.next_call(), call_of("new", r#"{"a":1}"#));
        let answer = client.call("/a", HeaderMap::new(), &json!({})).await;
        assert!(answer.expect("the token is good").is_empty());
        assert_eq!(gateway.next_call(), call_of("new", "{}"));
        assert_eq!(gateway.next_call(), None);
        gateway.task.abort();
    }

    #[tokio::test]
    async fn a_token_that_is_rejected_again_is_not_renewed_again() {
        let mut gateway = PlayedGateway::start(Answers::All).await;
        let (_home, client) = client(&gateway.url, "other");
        let sent = client.call("/a", HeaderMap::new(), &json!({})).await;
        let error = sent.expect_err("`other` is rejected");
        assert_eq!(error.reason(), Reason::TokenInvalid);
        assert!(error.hint().starts_with("Run `browse login http://127.0.0.1:"), "{error:?}");
        assert_eq!(gateway.next_call(), call_of("old", "{}"));
        assert_eq!(gateway.next_call(), call_of("other", "{}"));
        assert_eq!(gateway.next_call(), None);
        gateway.task.abort();
    }

    #[tokio::test]
    async fn a_stream_is_sent_once() {
        let mut gateway = PlayedGateway::start(Answers::All).await;
        let (_home, client) = client(&gateway.url, "new");
        let stream = || CallContent::Stream(whole_body(Bytes::from_static(b"input")));
        let sent = client.post("/a", &HeaderMap::new(), stream()).await.map(drop);
        assert_eq!(sent.expect_err("it is used up").reason(), Reason::DaemonUnreachable);
        assert_eq!(gateway.next_call(), call_of("old", "input"));
        assert_eq!(gateway.next_call(), None);
        let sent = client.post("/a", &HeaderMap::new(), stream()).await;
        assert_eq!(sent.expect("the token is good").status(), StatusCode::OK);
        gateway.task.abort();
    }

    #[tokio::test]
    async fn a_call_that_may_have_been_done_is_not_sent_again() {
        let mut gateway = PlayedGateway::start(Answers::None).await;
        let (_home, client) = client(&gateway.url, "new");
        let (task, calls) = (gateway.task.abort_handle(), &mut gateway.calls);
        let message = json!({ "b": 2 });
        let breaking = async {
            let call = calls.recv().await;
            task.abort();
            call
        };
        let (sent, call) = tokio::join!(client.call("/a", HeaderMap::new(), &message), breaking);
        assert_eq!(call, call_of("old", r#"{"b":2}"#));
        let error = sent.expect_err("the connection broke");
        assert_eq!(error.reason(), Reason::DaemonUnreachable);
        assert_eq!(gateway.next_call(), None);
    }
}
