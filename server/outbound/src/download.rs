//! A file from a server that the user or the program names, whose content is checked by a hash or
//! a signature: it may lie on a mirror in a network of one's own.

use std::time::Duration;

use browse_net::{HostRules, ResolverRules};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, header};
use tokio::time::timeout;
use url::Url;

use super::{FetchPolicy, OutboundRequest, OutboundResponse, UrlGate, send_following_redirects};

/// What is asked for, and how much of it and of time it may take.
pub struct DownloadLimits<'a> {
    /// The server, with the folder in which the file is.
    pub server: &'a Url,
    /// The path of the file below that folder, beginning with a slash.
    pub path: &'a str,
    /// Bytes of the answer that are kept.
    pub max_bytes: usize,
    /// Time that the whole of it takes at most.
    pub time_limit: Duration,
}

impl DownloadLimits<'_> {
    /// Asks for the file; `gate` passes each address on the way.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn send(&self, gate: &impl UrlGate) -> Result<OutboundResponse, String> {
        let mut url = self.server.clone();
        url.set_path(&format!("{}{}", self.server.path().trim_end_matches('/'), self.path));
        let host = self.server.host_str().unwrap_or_default();
        let allowed_hosts = HostRules::parse(&[host]).map_err(|error| error.to_string())?;
        let policy = FetchPolicy { allowed_hosts, resolver_rules: ResolverRules::default() };
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static("*/*"));
        let agent = concat!("browse/", env!("CARGO_PKG_VERSION"));
        headers.insert(header::USER_AGENT, HeaderValue::from_static(agent));
        let request = OutboundRequest {
            url,
            method: Method::GET,
            headers,
            body: Bytes::new(),
            max_bytes: self.max_bytes,
        };
        let answer = timeout(self.time_limit, send_following_redirects(&policy, gate, request));
        let late = |_| format!("no whole answer within {} s", self.time_limit.as_secs());
        answer.await.map_err(late)?.map_err(|error| error.to_string())
    }
}
