//! The page with all it embeds, as one file.

mod quoted_printable;

use browse_proto::v1;

use crate::dispatch::CallContext;
use browse_base::Result;

/// Saves the page as MHTML, without what its secret fields hold.
pub async fn archive(cx: &CallContext, _: v1::ArchiveRequest) -> Result<v1::ArchiveResponse> {
    let archive = cx.page().archive().await?;
    let secrets = cx.engine().secrets().await?;
    let archive = quoted_printable::redact(archive, secrets.values());
    let bytes = archive.len() as u64;
    Ok(v1::ArchiveResponse { archive, mime: "multipart/related".to_owned(), bytes })
}
