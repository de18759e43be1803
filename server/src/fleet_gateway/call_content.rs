//! What a call of a gateway carries: whole, so that it can be sent again with another token, or as
//! a stream.

use browse_base::{Error, Result};
use browse_proto::Reason;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Body as _;
use tonic::body::Body;

/// Bytes of a call that is read whole.
const MAX_WHOLE_BYTES: u64 = 64 << 10;

/// What a call carries.
pub enum CallContent {
    /// All of it.
    Whole(Bytes),
    /// What is passed on as it comes, once.
    Stream(Body),
}

impl CallContent {
    /// Reads a body that is small; leaves what is larger, or of unknown length, as it is.
    ///
    /// # Errors
    /// `REQUEST_INVALID`: it cannot be read.
    pub async fn read(body: Body) -> Result<Self> {
        if body.size_hint().exact().is_none_or(|bytes| bytes > MAX_WHOLE_BYTES) {
            return Ok(Self::Stream(body));
        }
        let read = body.collect().await;
        let read =
            read.map_err(|error| Error::new(Reason::RequestInvalid, error.message().to_owned()))?;
        Ok(Self::Whole(read.to_bytes()))
    }

    /// The body, and what makes the same once more.
    pub fn into_body(self) -> (Body, Option<Bytes>) {
        match self {
            Self::Whole(bytes) => (whole_body(bytes.clone()), Some(bytes)),
            Self::Stream(body) => (body, None),
        }
    }
}

/// A body of these bytes.
pub fn whole_body(bytes: Bytes) -> Body {
    Body::new(Full::from(bytes))
}
