//! What the listener answers: the WebSocket of an address, and `json/version` below it.
//! Everything else is not found, without a word about what is.

use std::{net::SocketAddr, sync::Arc};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use serde_json::json;

use super::{
    addresses::Addresses,
    handshake::{Handshake, refuse},
};

/// Where the paths of addresses begin.
pub(super) const ROOT: &str = "/cdp";

/// What serves the connections of the listener.
pub(super) struct DevToolsService {
    pub handshake: Handshake,
    pub addresses: Arc<Addresses>,
    pub local: SocketAddr,
}

/// What is asked for below an address.
#[derive(Debug, PartialEq, Eq)]
enum Resource {
    Socket,
    Version,
}

impl DevToolsService {
    /// Answers one request.
    pub(super) async fn call(self: Arc<Self>, request: Request<Incoming>) -> Response<Full<Bytes>> {
        if request.headers().contains_key(header::ORIGIN) {
            return refuse(StatusCode::FORBIDDEN, "a request with an `Origin` is refused\n");
        }
        if !self.names_us(request.headers()) || request.method() != Method::GET {
            return refuse(StatusCode::NOT_FOUND, "");
        }
        let (capability, resource, in_path) = match read_path(request.uri().path()) {
            Some((Some(capability), resource)) => (capability.to_owned(), resource, true),
            Some((None, resource)) => match bearer(request.headers()) {
                Some(capability) => (capability.to_owned(), resource, false),
                None => return refuse(StatusCode::NOT_FOUND, ""),
            },
            None => return refuse(StatusCode::NOT_FOUND, ""),
        };
        let Some(grant) = self.addresses.find(&capability) else {
            return refuse(StatusCode::NOT_FOUND, "");
        };
        match resource {
            Resource::Version => {
                let path = if in_path { format!("/{capability}") } else { String::new() };
                self.version(&path).await
            }
            Resource::Socket => self.handshake.upgrade(request, grant, ()).await,
        }
    }

    /// Whether the request names this listener by a loopback name.
    fn names_us(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (host, more) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next());
        let port = self.local.port();
        more.is_none()
            && host.is_some_and(|host| {
                ["127.0.0.1", "localhost"].iter().any(|name| host == format!("{name}:{port}"))
            })
    }

    async fn version(&self, path: &str) -> Response<Full<Bytes>> {
        let browser = self.handshake.parts.sessions.browser_handle().browser().await;
        let Ok(browser) = browser else {
            return refuse(StatusCode::SERVICE_UNAVAILABLE, "the browser does not run\n");
        };
        let info = browser.info();
        let version = json!({
            "Browser": info.product,
            "Protocol-Version": "1.3",
            "User-Agent": info.user_agent,
            "webSocketDebuggerUrl": format!("ws://{}{ROOT}{path}", self.local),
        });
        let mut response = Response::new(Full::from(version.to_string()));
        let json = header::HeaderValue::from_static("application/json; charset=UTF-8");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response
    }
}

/// The capability in a path, where it holds one, and what is asked for.
fn read_path(path: &str) -> Option<(Option<&str>, Resource)> {
    let rest = path.strip_prefix(ROOT)?;
    let rest = match rest.strip_suffix('/') {
        Some(rest) => rest,
        None => rest,
    };
    let (rest, resource) = match rest.strip_suffix("/json/version") {
        Some(rest) => (rest, Resource::Version),
        None => (rest, Resource::Socket),
    };
    match rest.strip_prefix('/') {
        Some(capability) if !capability.is_empty() && !capability.contains('/') => {
            Some((Some(capability), resource))
        }
        None if rest.is_empty() => Some((None, resource)),
        _ => None,
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

#[cfg(test)]
mod tests {
    use super::{Resource, read_path};

    #[test]
    fn only_paths_below_the_root_of_addresses_are_read() {
        assert_eq!(read_path("/cdp/a"), Some((Some("a"), Resource::Socket)));
        assert_eq!(read_path("/cdp/a/"), Some((Some("a"), Resource::Socket)));
        assert_eq!(read_path("/cdp/a/json/version/"), Some((Some("a"), Resource::Version)));
        assert_eq!(read_path("/cdp/json/version"), Some((None, Resource::Version)));
        assert_eq!(read_path("/cdp"), Some((None, Resource::Socket)));
        for path in
            ["/", "/json/version", "/json/list", "/cdp/a/b", "/cdp//a", "/cdpa", "/devtools/a"]
        {
            assert_eq!(read_path(path), None, "{path}");
        }
    }
}
