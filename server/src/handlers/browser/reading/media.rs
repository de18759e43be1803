//! Media: images, videos and sounds with what the network knows of them.

use std::collections::HashMap;

use browse_proto::v1;

use super::parse_optional_target;
use crate::dispatch::CallContext;
use browse_base::Result;
use browse_engine::{MediaKind, Medium};

/// Characters of a `data:` address that are shown.
const MAX_DATA_URL_CHARS: usize = 40;

/// Answers the media of the page or of an element.
pub async fn media(cx: &CallContext, request: v1::MediaRequest) -> Result<v1::MediaResponse> {
    let target = parse_optional_target(request.target.as_deref())?;
    let chosen = [
        (request.images, MediaKind::Image),
        (request.videos, MediaKind::Video),
        (request.audio, MediaKind::Audio),
    ];
    let all = chosen.iter().all(|(asked, _)| !asked);
    let kinds: Vec<_> =
        chosen.into_iter().filter(|(asked, _)| all || *asked).map(|(_, kind)| kind).collect();
    let found = cx.engine().media(&kinds, target.as_ref()).await?;
    super::set_sources_of_all_frames(cx);
    if found.is_empty() {
        cx.add_notice("no media of this kind is on the page");
    }
    let loaded = loaded_resources(cx);
    let media = found.into_iter().map(|medium| to_item(medium, &loaded)).collect();
    Ok(v1::MediaResponse { media })
}

/// Type and bytes of what the tab loaded, by address.
fn loaded_resources(cx: &CallContext) -> HashMap<String, (String, u64)> {
    let requests = cx.tab().network().all().into_iter().map(|line| line.summary);
    requests.map(|entry| (entry.url, (entry.mime.unwrap_or_default(), entry.size))).collect()
}

fn to_item(medium: Medium, loaded: &HashMap<String, (String, u64)>) -> v1::MediaItem {
    let Medium { kind, url, mime, width, height, alt, duration, shown, background } = medium;
    // What is answered in place of a missing file is not a type of it.
    let known = loaded.get(&url).filter(|(mime, _)| !mime.starts_with("text/"));
    let (served, received) = known.cloned().unwrap_or_default();
    let (url, inline) = shorten_data_url(url);
    let (inline_type, held) = inline.unwrap_or_default();
    let output = |text: String| Some(text).filter(|text| !text.is_empty());
    v1::MediaItem {
        kind,
        url,
        r#type: output(served).or(output(inline_type)).or(output(mime)),
        size: (width > 0 && height > 0).then(|| format!("{width}x{height}")),
        bytes: Some(received.max(held)).filter(|bytes| *bytes > 0),
        seconds: duration,
        alt: output(alt),
        shown,
        background,
    }
}

/// The beginning of a `data:` address, its type, and the bytes that it holds.
fn shorten_data_url(url: String) -> (String, Option<(String, u64)>) {
    let Some((head, body)) = url.strip_prefix("data:").and_then(|rest| rest.split_once(',')) else {
        return (url, None);
    };
    let mime = head.split(';').next().unwrap_or_default().to_owned();
    let length = if head.ends_with(";base64") { body.len() / 4 * 3 } else { body.len() };
    let inline = Some((mime, length as u64));
    match url.char_indices().nth(MAX_DATA_URL_CHARS) {
        Some((end, _)) => (format!("{}…", &url[..end]), inline),
        None => (url, inline),
    }
}
