//! Imports cookies from an export.

use browse_proto::v1;

use super::{CookieHostRules, CookieImport, export};
use crate::dispatch::CallContext;
use browse_base::Result;

/// Imports what a file holds, entry by entry.
pub async fn import_cookies(
    cx: &CallContext,
    request: v1::ImportCookiesRequest,
) -> Result<v1::ImportCookiesResponse> {
    let admission = CookieHostRules::of(cx)?;
    let mut intake = CookieImport::default();
    for (index, entry) in export::parse(&request.cookies)?.into_iter().enumerate() {
        match entry {
            Ok(cookie) => intake.add(cookie, &admission),
            Err(problem) => intake.add_problem(&format!("entry {}: {problem}", index + 1)),
        }
    }
    intake.store(&cx.page().cookies()).await?;
    Ok(v1::ImportCookiesResponse {
        summary: intake.summary(),
        imported: intake.imported_count(),
        domains: intake.domains(),
        problems: intake.problems().to_vec(),
    })
}
