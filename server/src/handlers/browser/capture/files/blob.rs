//! What a page made itself, and keeps under a `blob:` address.

use browse_proto::Reason;
use serde::Deserialize;
use serde_json::json;

use super::transfer::download_failed;
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::{ByteStream, CdpCall, ScriptArgument};
use browse_engine::ENGINE_SCRIPT;

/// Remote objects of a blob that is read.
const OBJECT_GROUP: &str = "blob";

/// A blob that is ready to be read.
pub struct Blob {
    /// Its MIME type.
    pub mime: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its content.
    pub bytes: ByteStream,
}

#[derive(Deserialize)]
struct BlobFacts {
    mime: String,
    size: u64,
}

#[derive(Deserialize)]
struct ResolvedBlob {
    uuid: String,
}

/// Opens the blob in the frame that made it.
///
/// # Errors
/// `DOWNLOAD_FAILED` when it is gone, is a stream of media, or the policy of
/// the page forbids it to be read.
pub async fn open_blob(cx: &CallContext, url: &str) -> Result<Blob> {
    let origin = url.strip_prefix("blob:").unwrap_or_default();
    let origin = url::Url::parse(origin).map(|url| url.origin().ascii_serialization());
    let origin = origin.unwrap_or_default();
    let of = |frame: &browse_chromium::Frame| {
        url::Url::parse(&frame.url).is_ok_and(|url| url.origin().ascii_serialization() == origin)
    };
    let frame = cx.page().frames().into_iter().find(of).unwrap_or_else(|| cx.page().main_frame());
    let world = cx.page().world(&frame.id, &ENGINE_SCRIPT).await?;
    let read = "async (url) => (await fetch(url)).blob()";
    let refused = || download_failed(url, "the page does not let it be read, or has let it go");
    let handle = world.call_handle(read, &[ScriptArgument::from(url)], OBJECT_GROUP).await;
    let handle = handle.ok().flatten().ok_or_else(refused)?;
    let facts: BlobFacts = world
        .call_on(&handle, "function () { return { mime: this.type, size: this.size } }", &[])
        .await?;
    let resolve = json!({ "objectId": handle });
    let resolved: CdpCall<ResolvedBlob> = world.session().call_method("IO.resolveBlob", &resolve);
    let uuid = resolved.await.map_err(|_| refused())?.uuid;
    let bytes = ByteStream::new(world.session().clone(), format!("blob:{uuid}"));
    if facts.size > u64::from(u32::MAX) {
        return Err(
            Error::new(Reason::DownloadFailed, "the blob is larger than 4 GB").with("url", url)
        );
    }
    Ok(Blob { mime: facts.mime, size: facts.size, bytes })
}
