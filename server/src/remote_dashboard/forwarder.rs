//! Passes the calls of the page on to the other end, with the token of the pairing or the sign-in in
//! place of the page's own, and the answers back. Nothing else of either reaches the other.

use std::{convert::Infallible, sync::Arc};

use browse_base::{Error, Result, quote};
use browse_policy::{
    Authority, Grant, Listener,
    layer::{GatedService, bearer_token, json_error},
};
use browse_proto::{Command, Reason, metadata};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, header};
use hyper::body::Incoming;
use tonic::body::Body;
use tower::{service_fn, util::BoxCloneSyncService};

use super::{relay_client::RelayClient, watched_body::WatchedBody};
use crate::relay_http::selected;

/// What the methods of the contract begin with.
const METHOD_PREFIX: &str = "/browse.v1.";

/// Headers of a call that the other end gets.
const CALL_HEADERS: [HeaderName; 6] = [
    header::CONTENT_TYPE,
    HeaderName::from_static("connect-protocol-version"),
    HeaderName::from_static("connect-timeout-ms"),
    HeaderName::from_static(metadata::CONTENT),
    HeaderName::from_static(metadata::SESSION),
    HeaderName::from_static(metadata::TAB),
];

/// Headers of an answer that the page gets.
const ANSWER_HEADERS: [HeaderName; 6] = [
    header::CONTENT_TYPE,
    header::RETRY_AFTER,
    HeaderName::from_static(metadata::UNTRUSTED),
    HeaderName::from_static(metadata::WARNINGS),
    HeaderName::from_static(metadata::UNSEEN),
    HeaderName::from_static(metadata::NOTICE),
];

/// Passes calls on.
pub struct CallForwarder {
    /// Whose tokens the page has.
    pub authority: Arc<Authority>,
    /// Where the calls go.
    pub client: Arc<RelayClient>,
    /// Whether the page may do all that the pairing may: also what this program does not know.
    pub allows_all: bool,
}

impl CallForwarder {
    /// What serves the calls of the page.
    pub fn into_service(self) -> GatedService {
        let forwarder = Arc::new(self);
        BoxCloneSyncService::new(service_fn(move |request: Request<Body>| {
            let forwarder = Arc::clone(&forwarder);
            async move {
                let answered = forwarder.answer(request).await;
                Ok::<_, Infallible>(answered.unwrap_or_else(json_error))
            }
        }))
    }

    async fn answer(&self, request: Request<Body>) -> Result<Response<Body>> {
        let token = bearer_token(&request)?;
        let grant = self.authority.identify(token.as_deref(), Listener::Dashboard)?;
        let (parts, body) = request.into_parts();
        let path = parts.uri.path();
        self.check(&grant, &parts.method, path)?;
        let headers = selected(&parts.headers, &CALL_HEADERS);
        let response = self.client.post(path, headers, body).await?;
        self.pass_back(response)
    }

    /// Whether the page may make the call. What the daemon refuses is left to it.
    fn check(&self, grant: &Arc<Grant>, method: &Method, path: &str) -> Result<()> {
        if method != Method::POST {
            return Err(Error::new(Reason::RequestInvalid, "the method of a call is `POST`"));
        }
        let unknown =
            || Error::new(Reason::MethodUnknown, format!("`{}` is not a method", quote(path)));
        if !path.starts_with(METHOD_PREFIX) {
            return Err(unknown());
        }
        match Command::by_path(path) {
            Some(command) => {
                self.client.check_served(command)?;
                browse_policy::check(grant, command, Listener::Dashboard).map(drop)
            }
            // A newer daemon may have it, and knows what it needs.
            None if self.allows_all => Ok(()),
            None => Err(unknown()),
        }
    }

    fn pass_back(&self, response: Response<Incoming>) -> Result<Response<Body>> {
        let (parts, body) = response.into_parts();
        let kind = parts.headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
        let body = match kind.map(|kind| kind.split(|byte| *byte == b';').next()) {
            Some(Some(b"application/json")) => Body::new(body),
            Some(Some(b"application/connect+json")) => {
                Body::new(WatchedBody::new(body, Arc::clone(self.client.health())))
            }
            // A tunnel without its daemon has pages of its own.
            _ => {
                let what = format!("it answers HTTP {}", parts.status.as_u16());
                return Err(self.client.foreign(&what));
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = parts.status;
        *response.headers_mut() = selected(&parts.headers, &ANSWER_HEADERS);
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_headers_of_the_list_pass() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("content-type", "application/json"),
            ("browse-tab", "1"),
            ("browse-tab", "2"),
            ("authorization", "Bearer own"),
            ("cookie", "a=b"),
            ("origin", "http://127.0.0.1:1"),
            ("browse-cwd", "/"),
        ] {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let passed = selected(&headers, &CALL_HEADERS);
        assert_eq!(passed.len(), 3, "{passed:?}");
        assert_eq!(passed.get_all("browse-tab").iter().count(), 2, "the daemon refuses it");
    }
}
