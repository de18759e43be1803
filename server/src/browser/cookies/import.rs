//! Imports cookies from an export.

use browse_proto::v1;

use super::{Admission, Intake, export};
use crate::{dispatch::Context, error::Result};

/// Imports what a file holds, entry by entry.
pub async fn import_cookies(
    cx: &Context,
    request: v1::ImportCookiesRequest,
) -> Result<v1::ImportCookiesResponse> {
    let admission = Admission::of(cx)?;
    let mut intake = Intake::default();
    for (index, entry) in export::read(&request.cookies)?.into_iter().enumerate() {
        match entry {
            Ok(cookie) => intake.add(cookie, &admission),
            Err(problem) => intake.reject(&format!("entry {}: {problem}", index + 1)),
        }
    }
    intake.put(&cx.page().cookies()).await?;
    Ok(v1::ImportCookiesResponse {
        summary: intake.summary(),
        imported: intake.imported(),
        domains: intake.domains(),
        problems: intake.problems().to_vec(),
    })
}
