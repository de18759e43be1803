//! Messages that are JSON and no call of the contract: links of dashboards, and what the parts of
//! a fleet ask each other.

use std::time::Duration;

use browse_base::{Error, Result};
use browse_proto::Reason;
use bytes::Bytes;
use http::{HeaderValue, Response, header};
use http_body::Body as HttpBody;
use http_body_util::{BodyExt as _, Full, Limited};
use serde::{Serialize, de::DeserializeOwned};
use tokio::time::timeout;
use tonic::body::Body;

/// Time in which the body of a message has to come.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Reads a message of at most `limit` bytes.
///
/// # Errors
/// `REQUEST_SLOW`; `REQUEST_INVALID`: it is too large, broke off, or is another message.
pub async fn read_json<M, B>(body: B, limit: usize) -> Result<M>
where
    M: DeserializeOwned,
    B: HttpBody<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let invalid = |why: String| Error::new(Reason::RequestInvalid, why);
    let whole = timeout(BODY_TIMEOUT, Limited::new(body, limit).collect()).await;
    let whole =
        whole.map_err(|_| Error::new(Reason::RequestSlow, "the body did not come in time"))?;
    let bytes = whole.map_err(|error| invalid(error.to_string()))?.to_bytes();
    serde_json::from_slice(&bytes).map_err(|error| invalid(error.to_string()))
}

/// Answers a message.
///
/// # Errors
/// It cannot be written as JSON, which is a bug.
pub fn json_answer(message: &impl Serialize) -> Result<Response<Body>> {
    let text = serde_json::to_vec(message)
        .map_err(|error| Error::new(Reason::Bug, format!("the answer is not JSON: {error}")))?;
    let mut response = Response::new(Body::new(Full::from(text)));
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_too_large_or_another_message_is_refused() {
        let read = async |text: &'static str| read_json::<Vec<u8>, _>(Full::from(text), 8).await;
        assert_eq!(read("[1,2]").await.expect("a message"), [1, 2]);
        for bad in ["", "{}", "[1,2", "[1,2,3,4]"] {
            let error = read(bad).await.expect_err(bad);
            assert_eq!(error.reason(), Reason::RequestInvalid, "{bad}");
        }
    }
}
