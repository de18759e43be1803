//! The listener of a pod: takes the gateway by its certificate, and calls by tenant and pod.

use std::{convert::Infallible, sync::Arc, time::Duration};

use browse_base::Error;
use browse_fleet::{
    MISMATCH_HEADER, MOVED_HEADER, POD_HEADER, SPAN_HOSTS_HEADER, SPANS_HEADER, TENANT_HEADER,
    TraceParent,
};
use browse_policy::{
    Authority, Listener,
    layer::{GatedService, bearer_token, error_reply},
};
use browse_proto::{Command, Reason, metadata};
use http::{HeaderMap, HeaderValue, Request, Response};
use tokio::{
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tonic::body::Body;
use tower::{ServiceExt as _, service_fn, util::BoxCloneSyncService};

use super::{Pod, control, devtools};
use crate::{
    dispatch::{SpanRecorder, acts_in_session},
    process::connection,
};

/// Time that a greeting may take.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Connections at a time; a replica of the gateway needs two.
const MAX_CONNECTIONS: usize = 256;

/// Time that the listener rests when it cannot accept.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Serves the gateway until `done`.
pub async fn serve(
    listener: TcpListener,
    tls: ServerConfig,
    pod: Arc<Pod>,
    services: GatedService,
    done: CancellationToken,
) {
    let acceptor = TlsAcceptor::from(Arc::new(tls));
    let service = BoxCloneSyncService::new(service_fn(move |request: Request<Body>| {
        answer(Arc::clone(&pod), services.clone(), request)
    }));
    let connections = TaskTracker::new();
    while let Some(accepted) = done.run_until_cancelled(listener.accept()).await {
        match accepted {
            Ok(_) if connections.len() >= MAX_CONNECTIONS => {}
            Ok((stream, _)) => {
                let (acceptor, service) = (acceptor.clone(), service.clone());
                let done = done.clone();
                connections.spawn(greet_and_serve(acceptor, stream, service, done));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection of the gateway was not accepted");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
    connections.close();
    connections.wait().await;
}

async fn greet_and_serve(
    acceptor: TlsAcceptor,
    stream: TcpStream,
    service: GatedService,
    done: CancellationToken,
) {
    // Small answers must not wait for more to send.
    let _ = stream.set_nodelay(true);
    match timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)).await {
        Ok(Ok(stream)) => connection::serve(stream, service, None, done).await,
        Ok(Err(error)) => tracing::warn!(%error, "a caller that is not the gateway was refused"),
        Err(_) => tracing::debug!("a caller did not greet in time"),
    }
}

async fn answer(
    pod: Arc<Pod>,
    services: GatedService,
    mut request: Request<Body>,
) -> Result<Response<Body>, Infallible> {
    if request.uri().path().starts_with(control::PREFIX) {
        return Ok(control::answer(pod, request).await);
    }
    let checked = check_headers(&pod, request.headers())
        .and_then(|()| check_token(pod.daemon.authority(), &request));
    if let Err(error) = checked {
        let mut refusal = error_reply(request.headers(), error);
        refusal.headers_mut().insert(MISMATCH_HEADER, HeaderValue::from_static("1"));
        return Ok(refusal);
    }
    let recorder = span_recorder(&mut request);
    let session = used_session(&request);
    if let Err(error) = admit(&pod, session.as_deref()).await {
        let mut response = error_reply(request.headers(), error);
        response.headers_mut().insert(MOVED_HEADER, HeaderValue::from_static("1"));
        return Ok(response);
    }
    if devtools::is_client_path(request.uri().path()) {
        return Ok(devtools::answer(&pod, request).await);
    }
    request.headers_mut().remove(POD_HEADER);
    request.headers_mut().remove(TENANT_HEADER);
    let headers = request.headers().clone();
    let served = pod.calls_end.run_until_cancelled(services.oneshot(request)).await;
    let mut response = match served {
        Some(Ok(response)) => response,
        None => {
            let error = Error::new(Reason::ActionUnknown, "the pod ended before the call did");
            error_reply(&headers, error)
        }
    };
    if let Some(spans) = recorder.and_then(|recorder| spans_header(&recorder)) {
        response.headers_mut().insert(SPANS_HEADER, spans);
    }
    Ok(response)
}

/// Has a call recorded that the gateway samples.
fn span_recorder(request: &mut Request<Body>) -> Option<Arc<SpanRecorder>> {
    let headers = request.headers_mut();
    let with_origins = headers.remove(SPAN_HOSTS_HEADER).is_some();
    let parent = headers.get(metadata::TRACEPARENT)?.to_str().ok()?;
    if !TraceParent::parse(parent)?.is_sampled {
        return None;
    }
    let recorder = SpanRecorder::start(with_origins);
    request.extensions_mut().insert(Arc::clone(&recorder));
    Some(recorder)
}

fn spans_header(recorder: &SpanRecorder) -> Option<HeaderValue> {
    recorder.finish()?.encode().and_then(|text| HeaderValue::try_from(text).ok())
}

/// The session that a call uses, if it uses one.
fn used_session(request: &Request<Body>) -> Option<String> {
    let path = request.uri().path();
    let uses_session = devtools::is_client_path(path)
        || Command::by_path(path).is_some_and(|command| {
            acts_in_session(command) || matches!(command.name, "session new" | "session close")
        });
    let name = request.headers().get(metadata::SESSION)?.to_str().ok()?;
    uses_session.then(|| name.to_owned())
}

/// Lets a call in, unless its session has moved: nothing was done then, and the gateway sends the
/// call to another pod.
///
/// # Errors
/// `SESSION_MOVED`.
async fn admit(pod: &Pod, session: Option<&str>) -> browse_base::Result<()> {
    match (pod.daemon.fleet_sessions(), session) {
        (Some(fleet), Some(session)) => fleet.admit(session).await,
        _ => Ok(()),
    }
}

/// Checks which pod and which tenant a call is meant for.
///
/// # Errors
/// `POD_MISMATCH`.
fn check_headers(pod: &Pod, headers: &HeaderMap) -> browse_base::Result<()> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    pod.state.check_call(text(POD_HEADER), text(TENANT_HEADER))
}

/// Checks that the token of a call is in force, before anything is done. The gateway asks for
/// another one and sends the call again: tokens of many callers end to make room.
///
/// # Errors
/// `TOKEN_INVALID`, `TOKEN_REVOKED`, `TOKEN_EXPIRED`.
fn check_token<B>(authority: &Authority, request: &Request<B>) -> browse_base::Result<()> {
    match bearer_token(request)? {
        Some(token) => authority.identify(Some(&token), Listener::Gateway).map(drop),
        // By an address for clients, whose capability is checked.
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use browse_net::HostPolicy;
    use browse_policy::{
        Audience, ClientId, ClientKind, Delivery, GrantSpec, Rate, Scopes, SessionRule, TabPolicy,
    };
    use browse_proto::Scope;

    use super::*;

    #[test]
    fn a_call_with_a_token_that_has_ended_does_nothing() {
        let authority = Arc::new(Authority::new().expect("random numbers"));
        let issued = authority.issue(GrantSpec {
            client: ClientId::new("fleet:ann").expect("a name"),
            audience: Audience::Gateway,
            kind: ClientKind::Tenant,
            scopes: Scopes::of(&[Scope::Read]),
            hosts: HostPolicy::Any,
            tabs: TabPolicy::Session,
            session: SessionRule::Any,
            rate: Rate::Unlimited,
            delivery: Delivery::Guarded,
            lifetime: Duration::from_secs(60),
        });
        let issued = issued.expect("a token");
        let value = format!("Bearer {}", issued.token());
        let request =
            Request::builder().header("authorization", value).body(()).expect("a request");
        assert!(check_token(&authority, &request).is_ok());
        drop(issued);
        let refused = check_token(&authority, &request).expect_err("it has ended");
        assert_eq!(refused.reason(), Reason::TokenRevoked);
        assert!(check_token(&authority, &Request::new(())).is_ok(), "by an address");
    }
}
