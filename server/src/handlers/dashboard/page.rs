//! The files of the page, for a dashboard on another machine.

use browse_base::Result;
use browse_proto::v1;

use crate::dispatch::CallContext;

/// Answers the files of the page.
///
/// # Errors
/// `DASHBOARD_MISSING`.
pub async fn get_dashboard_page(
    cx: &CallContext,
    _: v1::GetDashboardPageRequest,
) -> Result<v1::GetDashboardPageResponse> {
    let page = cx.daemon().dashboard().page()?;
    let files = page.files().iter().map(|file| v1::DashboardFile {
        name: file.name.clone(),
        media_type: String::from_utf8_lossy(file.media_type.as_bytes()).into_owned(),
        content: file.content.to_vec(),
    });
    Ok(v1::GetDashboardPageResponse {
        files: files.collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build_id: cx.daemon().build_id().to_owned(),
    })
}
