//! Counts the calls of each grant. A batch counts once.

use std::sync::Arc;

use http::Request;
use tonic::body::Body;

use super::filter::RequestCheck;
use crate::Grant;
use browse_base::Result;

/// The check that counts.
pub struct RateLimitCheck;

impl RequestCheck for RateLimitCheck {
    fn check(&self, request: &mut Request<Body>) -> Result<()> {
        // Only what needs no token has no grant.
        request.extensions().get::<Arc<Grant>>().map_or(Ok(()), |grant| grant.count_call())
    }
}
