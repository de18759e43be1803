//! The page with all it embeds, as one file.

use browse_proto::v1;

use crate::{dispatch::Context, error::Result};

/// Saves the page as MHTML.
pub async fn archive(cx: &Context, _: v1::ArchiveRequest) -> Result<v1::ArchiveResponse> {
    let archive = cx.page().archive().await?;
    let bytes = archive.len() as u64;
    Ok(v1::ArchiveResponse { archive, mime: "multipart/related".to_owned(), bytes })
}
