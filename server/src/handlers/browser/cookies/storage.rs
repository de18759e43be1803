//! What the page's origin keeps for its scripts.

use browse_proto::{Reason, v1};
use url::Url;

use super::redaction;
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::{OriginStorage, StorageText, StorageWriteOutcome};

/// Prints the storage of the frame that commands act in.
pub async fn storage(cx: &CallContext, _: v1::StorageRequest) -> Result<v1::StorageResponse> {
    let (storage, _) = frame_storage(cx).await?;
    let glances = storage.preview().await?.ok_or_else(no_site)?;
    let entries = glances.into_iter().map(|glance| {
        let (value, redacted) = redaction::redact_value(&glance.key, &glance.value);
        let (key, _) = redaction::redact_value("", &glance.key);
        v1::StorageEntry { area: glance.area, key, value, length: glance.length, redacted }
    });
    Ok(v1::StorageResponse { entries: entries.collect() })
}

/// Writes one entry of the local storage.
pub async fn set_storage(
    cx: &CallContext,
    request: v1::SetStorageRequest,
) -> Result<v1::SetStorageResponse> {
    let (storage, origin) = frame_storage(cx).await?;
    let item = (StorageText::plain(&request.key), StorageText::Plain(request.value));
    match storage.write(&[item], false).await? {
        Some(StorageWriteOutcome::Complete) => {
            Ok(v1::SetStorageResponse { key: request.key, origin })
        }
        Some(StorageWriteOutcome::QuotaExceeded) => {
            let message = format!("the local storage of {origin} is full");
            Err(Error::new(Reason::TooLarge, message).with("limit", "5 million characters"))
        }
        None => Err(no_site()),
    }
}

async fn frame_storage(cx: &CallContext) -> Result<(OriginStorage, String)> {
    let frame = cx.page().frame(&cx.engine().selector_frame()?)?;
    let url = Url::parse(&frame.url).ok();
    let origin = url.map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    Ok((cx.page().storage(&frame.id).await?, origin))
}

fn no_site() -> Error {
    Error::new(Reason::NoSite, "the page has no storage: it shows no site")
}
