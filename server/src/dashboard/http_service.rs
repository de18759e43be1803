//! What the listener answers: the files of the page, `/redeem`, and the calls of the page.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Weak,
};

use browse_policy::layer::{GatedService, PeerAddress, check_page, json_error};
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use tonic::body::Body;
use tower::ServiceExt as _;

use super::{DashboardListener, assets, redeem};

/// What serves the connections of the listener.
#[derive(Clone)]
pub(super) struct DashboardService {
    pub listener: Weak<DashboardListener>,
    pub local: SocketAddr,
    /// The services, behind their gate.
    pub services: GatedService,
}

impl DashboardService {
    /// Answers one request.
    pub(super) async fn call(self, request: Request<Incoming>, peer: IpAddr) -> Response<Body> {
        let mut response = self.answer(request, peer).await;
        assets::add_headers(response.headers_mut());
        response
    }

    async fn answer(self, request: Request<Incoming>, peer: IpAddr) -> Response<Body> {
        if request.method() == Method::GET || request.method() == Method::HEAD {
            return self.file(&request);
        }
        if let Err(error) = check_page(&request, self.local.port()) {
            return json_error(error);
        }
        if request.method() == Method::POST && request.uri().path() == "/redeem" {
            let Some(listener) = self.listener.upgrade() else {
                return empty(StatusCode::SERVICE_UNAVAILABLE);
            };
            return redeem::answer(&listener, request).await.unwrap_or_else(json_error);
        }
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(PeerAddress(peer));
        let Ok(response) = self.services.oneshot(request).await;
        response
    }

    /// A file of the page. It holds no secret, and other names than the own one, which a page
    /// may have bound to our address, do not get it, nor do pages of other origins.
    fn file(&self, request: &Request<Incoming>) -> Response<Body> {
        let mut hosts = request.headers().get_all(header::HOST).iter();
        let own = format!("127.0.0.1:{}", self.local.port());
        let is_own = hosts.next().is_some_and(|host| host.as_bytes() == own.as_bytes());
        // Browsers send the origin of the page with what it imports.
        let origin = format!("http://{own}");
        let mut origins = request.headers().get_all(header::ORIGIN).iter();
        let is_foreign = origins.any(|named| named.as_bytes() != origin.as_bytes());
        if !is_own || hosts.next().is_some() || is_foreign {
            return empty(StatusCode::FORBIDDEN);
        }
        let Some(listener) = self.listener.upgrade() else {
            return empty(StatusCode::SERVICE_UNAVAILABLE);
        };
        let path = request.uri().path();
        let Some(file) = listener.page().ok().and_then(|page| page.find(path)) else {
            return empty(StatusCode::NOT_FOUND);
        };
        let is_wanted = request.method() != Method::HEAD;
        let content = if is_wanted { file.content.clone() } else { Bytes::new() };
        let mut response = Response::new(Body::new(Full::from(content)));
        response.headers_mut().insert(header::CONTENT_TYPE, file.media_type.clone());
        response
    }
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
