//! Sends a document of spans to the collector: one request on a connection of its own. Source:
//! <https://opentelemetry.io/docs/specs/otlp/#otlphttp-response>.

use std::{fmt, time::Duration};

use bytes::Bytes;
use http::{
    HeaderMap, Request, StatusCode,
    header::{CONTENT_TYPE, HOST, RETRY_AFTER, USER_AGENT},
};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{net::TcpStream, task::JoinSet, time::timeout};
use tokio_rustls::{TlsConnector, rustls::pki_types::ServerName};

use super::endpoint::CollectorUrl;
use crate::machine_tls;

/// Time for one request, from the lookup of the host to the last byte.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Bytes of a response.
const MAX_RESPONSE_BYTES: usize = 64 << 10;

/// A collector.
pub struct Collector {
    endpoint: CollectorUrl,
    /// None for `http://`.
    tls: Option<TlsConnector>,
}

/// Why spans were not taken.
#[derive(Debug, PartialEq, Eq)]
pub enum SendError {
    /// They may be taken later.
    Temporary {
        /// In words.
        why: String,
        /// When, where the collector says so.
        retry_after: Option<Duration>,
    },
    /// They are not taken.
    Refused(String),
}

impl Collector {
    /// The collector at this place.
    ///
    /// # Errors
    /// TLS cannot be set up, in words.
    pub fn new(endpoint: CollectorUrl) -> Result<Self, String> {
        let tls = endpoint.is_tls.then(machine_tls::connector).transpose()?;
        Ok(Self { endpoint, tls })
    }

    /// Sends a document; answers how many of its spans the collector has rejected.
    ///
    /// # Errors
    /// The spans were not taken.
    pub async fn send(&self, document: Bytes) -> Result<u64, SendError> {
        let sent = timeout(TIME_LIMIT, self.send_without_limit(document)).await;
        sent.unwrap_or_else(|_| Err(temporary(format!("no response within {TIME_LIMIT:?}"))))
    }

    async fn send_without_limit(&self, document: Bytes) -> Result<u64, SendError> {
        let address = (self.endpoint.host.as_str(), self.endpoint.port);
        let stream = TcpStream::connect(address).await.map_err(temporary)?;
        let Some(tls) = &self.tls else {
            return self.request(TokioIo::new(stream), document).await;
        };
        let name = ServerName::try_from(self.endpoint.host.clone())
            .map_err(|error| SendError::Refused(error.to_string()))?;
        let stream = tls.connect(name, stream).await.map_err(temporary)?;
        self.request(TokioIo::new(stream), document).await
    }

    async fn request<S>(&self, stream: S, document: Bytes) -> Result<u64, SendError>
    where
        S: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
    {
        let (mut sender, connection) =
            http1::handshake::<_, Full<Bytes>>(stream).await.map_err(temporary)?;
        // Dropped with this call, which ends the connection also when the time is up.
        let mut tasks = JoinSet::new();
        tasks.spawn(connection);
        let request = Request::post(self.endpoint.path.as_str())
            .header(HOST, self.endpoint.authority.as_str())
            .header(CONTENT_TYPE, "application/json")
            .header(USER_AGENT, "browse-gate")
            .body(Full::new(document))
            .map_err(|error| SendError::Refused(error.to_string()))?;
        let (head, body) = sender.send_request(request).await.map_err(temporary)?.into_parts();
        check_status(head.status, &head.headers)?;
        // The spans are taken, whatever becomes of the rest.
        let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await;
        Ok(body.map_or(0, |body| rejected_spans(&body.to_bytes())))
    }
}

fn check_status(status: StatusCode, headers: &HeaderMap) -> Result<(), SendError> {
    let why = || format!("the response is {status}");
    match status.as_u16() {
        200..=299 => Ok(()),
        429 | 502 | 503 | 504 => {
            let seconds =
                headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
            let retry_after = seconds.map(Duration::from_secs);
            Err(SendError::Temporary { why: why(), retry_after })
        }
        _ => Err(SendError::Refused(why())),
    }
}

/// The spans that a collector rejects, of those that it has got. A 64-bit number is text in JSON;
/// many write a number all the same.
fn rejected_spans(response: &[u8]) -> u64 {
    let document: Value = serde_json::from_slice(response).unwrap_or_default();
    let count = &document["partialSuccess"]["rejectedSpans"];
    count.as_u64().or_else(|| count.as_str()?.parse().ok()).unwrap_or(0)
}

fn temporary(error: impl fmt::Display) -> SendError {
    SendError::Temporary { why: error.to_string(), retry_after: None }
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Temporary { why, .. } | Self::Refused(why) => f.write_str(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn some_failures_are_over_soon() {
        let check = |status: u16, after: Option<&'static str>| {
            let after = after.map(|after| (RETRY_AFTER, HeaderValue::from_static(after)));
            let status = StatusCode::from_u16(status).expect("a status");
            check_status(status, &HeaderMap::from_iter(after))
        };
        assert_eq!(check(200, None), Ok(()));
        for status in [429, 502, 503, 504] {
            for (after, seconds) in [(None, None), (Some("7"), Some(7)), (Some("soon"), None)] {
                let error = check(status, after).expect_err("it was not taken");
                let SendError::Temporary { retry_after, .. } = error else {
                    panic!("{status}: {error}");
                };
                assert_eq!(retry_after, seconds.map(Duration::from_secs), "{status} {after:?}");
            }
        }
        for status in [301, 400, 404, 413, 500] {
            assert!(matches!(check(status, Some("1")), Err(SendError::Refused(_))), "{status}");
        }
    }

    #[test]
    fn rejected_spans_are_counted() {
        for (response, count) in [
            ("", 0),
            ("{}", 0),
            (r#"{"partialSuccess":{"rejectedSpans":"5","errorMessage":"old"}}"#, 5),
            (r#"{"partialSuccess":{"rejectedSpans":6}}"#, 6),
            (r#"{"partialSuccess":{"rejectedSpans":"-1"}}"#, 0),
        ] {
            assert_eq!(rejected_spans(response.as_bytes()), count, "{response}");
        }
    }
}
