//! gRPC-Web on HTTP/1.1: what reverse proxies hand on.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use http::{Request, Response, Uri, header};
use hyper::{
    body::Incoming,
    client::conn::http1::{self, SendRequest},
};
use hyper_util::rt::TokioIo;
use tonic::body::Body;
use tonic_web::{GrpcWebCall, GrpcWebClientService};
use tower_service::Service;

/// Calls of gRPC, as gRPC-Web.
pub type GrpcWebClient = GrpcWebClientService<Http1Connection>;

/// One connection of HTTP/1.1.
pub struct Http1Connection(SendRequest<GrpcWebCall<Body>>);

/// Greets the other end of `io`.
pub async fn handshake<I>(io: I) -> Result<GrpcWebClient, hyper::Error>
where
    I: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let (requests, connection) = http1::handshake(TokioIo::new(io)).await?;
    // Its error reaches the call that waits for an answer.
    tokio::spawn(async move { drop(connection.await) });
    Ok(GrpcWebClientService::new(Http1Connection(requests)))
}

impl Service<Request<GrpcWebCall<Body>>> for Http1Connection {
    type Response = Response<Incoming>;
    type Error = hyper::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<GrpcWebCall<Body>>) -> Self::Future {
        // The name stands in a header, and the path alone in the first line.
        let uri = request.uri().clone();
        let host = uri.authority().and_then(|authority| authority.as_str().parse().ok());
        if let Some(host) = host {
            request.headers_mut().insert(header::HOST, host);
        }
        request.headers_mut().remove(header::TE);
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        *request.uri_mut() = path.parse().unwrap_or_else(|_| Uri::default());
        Box::pin(self.0.send_request(request))
    }
}
