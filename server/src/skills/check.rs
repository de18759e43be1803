//! Compares skills with the live pages that they were made for.

use browse_proto::v1;

use crate::dispatch::Context;
use crate::error::Result;

/// Checks skills.
pub async fn check_skills(
    _cx: &Context,
    _request: v1::CheckSkillsRequest,
) -> Result<v1::CheckSkillsResponse> {
    Ok(v1::CheckSkillsResponse::default())
}
