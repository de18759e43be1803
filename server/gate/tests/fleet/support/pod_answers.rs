//! What a pod that is played answers to the gateway.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use browse_base::Error;
use browse_fleet::{
    ADDRESS_HEADER, CLOSE_PATH, CloseRequest, DEVTOOLS_PATH, MISMATCH_HEADER, MOVED_HEADER,
    POD_HEADER, PodStatus, SPANS_HEADER, STATUS_PATH, SessionStatus, TENANT_HEADER, TOKEN_PATH,
    TokenRequest, TokenResponse,
};
use browse_policy::layer::json_error;
use browse_proto::{Command, Reason, metadata};
use futures::{StreamExt as _, stream};
use http::{HeaderMap, Request, Response, header};
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::{
    body::{Bytes, Frame, Incoming},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::played_pod::PodState;
use crate::websockets;

/// Serves the gateway until `done`.
pub(super) async fn serve_pod(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    state: Arc<PodState>,
    done: CancellationToken,
) {
    while let Some(Ok((stream, _))) = done.run_until_cancelled(listener.accept()).await {
        let (acceptor, state, done) = (acceptor.clone(), Arc::clone(&state), done.clone());
        tokio::spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let broken = CancellationToken::new();
            let breaks = broken.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                answer_pod(Arc::clone(&state), request, breaks.clone())
            });
            let builder = Builder::new(TokioExecutor::new());
            let serving = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
            tokio::select! {
                _ = serving => {}
                () = done.cancelled() => {}
                () = broken.cancelled() => {}
            }
        });
    }
}

async fn answer_pod(
    state: Arc<PodState>,
    mut request: Request<Incoming>,
    breaks: CancellationToken,
) -> Result<Response<tonic::body::Body>, Infallible> {
    let mismatch = |why: &str| Ok(json_error(Error::new(Reason::PodMismatch, why.to_owned())));
    let path = request.uri().path().to_owned();
    let headers = request.headers().clone();
    let upgrade = hyper::upgrade::on(&mut request);
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
    let body = request.into_body().collect().await.expect("a body").to_bytes();
    if path == STATUS_PATH {
        let idle = *state.idle_s.lock().expect("no panic");
        let status = |name: &String| SessionStatus { name: name.clone(), idle_s: idle };
        let sessions = state.sessions.lock().expect("no panic").iter().map(status).collect();
        return json_answer(&PodStatus {
            pod: state.uid.clone(),
            tenant: state.tenant.lock().expect("no panic").clone(),
            sessions,
            capacity: 10,
            calls: 0,
            is_ready: true,
            is_draining: false,
            is_spent: false,
        });
    }
    if path == CLOSE_PATH {
        let request: CloseRequest = serde_json::from_slice(&body).expect("a request");
        state.sessions.lock().expect("no panic").remove(&request.session);
        return json_answer(&PodStatus {
            pod: state.uid.clone(),
            tenant: None,
            sessions: Vec::new(),
            capacity: 10,
            calls: 0,
            is_ready: true,
            is_draining: false,
            is_spent: false,
        });
    }
    if path == TOKEN_PATH {
        let request: TokenRequest = serde_json::from_slice(&body).expect("a request");
        if request.pod != state.uid {
            return mismatch("it is another pod");
        }
        let mut tenant = state.tenant.lock().expect("no panic");
        let own = tenant.get_or_insert_with(|| request.tenant.clone());
        if *own != request.tenant {
            return mismatch("it belongs to another tenant");
        }
        let token = format!("{}.{}.{}", state.uid, request.tenant, request.subject);
        let is_of_skill = request.skill_hosts.is_some() && !state.is_old.load(Ordering::Relaxed);
        state.grants.lock().expect("no panic").push(request);
        return json_answer(&TokenResponse { token, lifetime_s: 3600, is_of_skill });
    }
    let own = state.tenant.lock().expect("no panic").as_ref().map(ToString::to_string);
    if text(POD_HEADER) != state.uid.as_str() || own.as_deref() != Some(text(TENANT_HEADER)) {
        let mut refusal = mismatch("the call is for another pod")?;
        refusal.headers_mut().insert(MISMATCH_HEADER, header::HeaderValue::from_static("1"));
        return Ok(refusal);
    }
    let accept = |session: &str| {
        let who = format!("{} {session}", state.uid);
        websockets::accept(&headers, upgrade.clone(), who, Arc::clone(&state.sent))
    };
    if let Some(capability) = path.strip_prefix(&format!("{DEVTOOLS_PATH}/")) {
        return Ok(match capability {
            websockets::CAPABILITY => accept("by address"),
            _ => websockets::not_found(),
        });
    }
    let token = text("authorization").trim_start_matches("Bearer ").to_owned();
    if !token.starts_with(&format!("{}.{}.", state.uid, text(TENANT_HEADER))) {
        return Ok(json_error(Error::new(Reason::TokenInvalid, "it is not a token of this pod")));
    }
    if state.has_moved.load(Ordering::Relaxed) {
        let mut response = json_error(Error::new(Reason::SessionMoved, "it has moved"));
        response.headers_mut().insert(MOVED_HEADER, header::HeaderValue::from_static("1"));
        return Ok(response);
    }
    if path == DEVTOOLS_PATH {
        return Ok(accept(text(metadata::SESSION)));
    }
    let (session, command) = (text(metadata::SESSION).to_owned(), Command::by_path(&path));
    let name = command.map_or("unknown", |command| command.name);
    state.calls.lock().expect("no panic").push(format!("{session} {name}"));
    if state
        .breaks
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
        .is_ok()
    {
        breaks.cancel();
        std::future::pending::<()>().await;
    }
    if state
        .holds
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
        .is_ok()
    {
        state.sessions.lock().expect("no panic").insert(session.clone());
        std::future::pending::<()>().await;
    }
    {
        let mut sessions = state.sessions.lock().expect("no panic");
        match name {
            "session close" => drop(sessions.remove(&session)),
            _ => drop(sessions.insert(session.clone())),
        }
    }
    if text("content-type").starts_with("application/grpc") {
        return Ok(grpc_answer(&state));
    }
    let mut response = json_answer(&json!({
        "pod": state.uid, "tenant": text(TENANT_HEADER), "session": session, "token": token,
        "address": text(ADDRESS_HEADER),
        "headers": headers.keys().map(ToString::to_string).collect::<Vec<_>>(),
        "traceparent": text(metadata::TRACEPARENT),
    }))?;
    if let Some(spans) = &*state.spans.lock().expect("no panic") {
        response.headers_mut().insert(SPANS_HEADER, spans.parse().expect("a header"));
    }
    Ok(response)
}

/// The answer of gRPC with the message of this pod. One that stalls stops before its last byte.
fn grpc_answer(state: &PodState) -> Response<tonic::body::Body> {
    let message = state.message.lock().expect("no panic").clone();
    let length = u32::try_from(message.len()).expect("it is small");
    let mut begin = Bytes::from([&[0_u8][..], &length.to_be_bytes(), &message].concat());
    let last = begin.split_off(begin.len() - 1);
    let mut stalls = state.stalls.subscribe();
    let stalled = stalls.borrow().then(|| StalledAnswer::begin(&state.stalled));
    let end = async move {
        if let Some(stalled) = stalled {
            drop(stalls.wait_for(|stalls| !stalls).await);
            drop(stalled);
        }
        Ok::<Frame<Bytes>, Infallible>(Frame::data(last))
    };
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", header::HeaderValue::from_static("0"));
    let frames = stream::iter([Ok(Frame::data(begin))])
        .chain(stream::once(end))
        .chain(stream::iter([Ok(Frame::trailers(trailers))]));
    let mut response = Response::new(tonic::body::Body::new(StreamBody::new(frames)));
    let kind = header::HeaderValue::from_static("application/grpc");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// An answer that has stopped. It is counted until nobody waits for it.
struct StalledAnswer(Arc<AtomicUsize>);

impl StalledAnswer {
    fn begin(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for StalledAnswer {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn json_answer(message: &impl serde::Serialize) -> Result<Response<tonic::body::Body>, Infallible> {
    let text = serde_json::to_vec(message).expect("JSON");
    let mut response = Response::new(tonic::body::Body::new(Full::from(text)));
    let kind = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}
