//! Finds the media of a page, in all its frames.

use std::collections::HashSet;

use browse_proto::{Reason, v1};
use serde::Deserialize;
use tokio::time::{Duration, timeout};

use super::source::FileSource;
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::ScriptArgument;
use browse_engine::ENGINE_SCRIPT;

/// Looks at one document.
const FIND_MEDIA_FUNCTION: &str = include_str!("media.js");

/// Time that the page has to answer.
const SCRIPT_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Deserialize)]
struct FrameMedia {
    invalid: bool,
    files: Vec<MediaFile>,
}

#[derive(Deserialize)]
struct MediaFile {
    url: String,
    name: Option<String>,
}

/// The first `most` media of a kind, each once.
///
/// # Errors
/// `SELECTOR_INVALID`; the page does not answer.
pub async fn find_media(
    cx: &CallContext,
    kind: v1::ScrapeKind,
    selector: Option<&str>,
    most: usize,
) -> Result<Vec<FileSource>> {
    let kind = match kind {
        v1::ScrapeKind::Images => "images",
        v1::ScrapeKind::Videos => "videos",
        v1::ScrapeKind::Media => "media",
        v1::ScrapeKind::Unspecified => {
            let message = "the kind is one of images, videos and media";
            return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "scrape"));
        }
    };
    let late = |_| Error::new(Reason::DeadlineExceeded, "the page does not list its media");
    timeout(SCRIPT_TIMEOUT, find_in_frames(cx, kind, selector, most)).await.map_err(late)?
}

async fn find_in_frames(
    cx: &CallContext,
    kind: &str,
    selector: Option<&str>,
    most: usize,
) -> Result<Vec<FileSource>> {
    let mut seen = HashSet::new();
    let mut sources = Vec::new();
    let main = cx.page().main_frame().id;
    for frame in cx.page().frames() {
        let found = find_in_frame(cx, &frame.id, kind, selector).await;
        let found = match found {
            Ok(found) => found,
            // A frame that went meanwhile has nothing to show.
            Err(_) if frame.id != main => continue,
            Err(error) => return Err(error),
        };
        if found.invalid {
            let selector = selector.unwrap_or_default();
            let message = format!("`{selector}` is not a CSS selector");
            return Err(Error::new(Reason::SelectorInvalid, message).with("selector", selector));
        }
        for MediaFile { url, name } in found.files {
            // What cannot be fetched, such as an extension's picture, is not a file.
            let Ok(source) = FileSource::parse(&url, name) else { continue };
            if sources.len() < most && seen.insert(source.key()) {
                sources.push(source);
            }
        }
    }
    Ok(sources)
}

async fn find_in_frame(
    cx: &CallContext,
    frame: &browse_chromium::FrameId,
    kind: &str,
    selector: Option<&str>,
) -> Result<FrameMedia> {
    let world = cx.page().world(frame, &ENGINE_SCRIPT).await?;
    let arguments = [ScriptArgument::from(kind), ScriptArgument::from(selector)];
    let text: String = world.call(FIND_MEDIA_FUNCTION, &arguments).await?;
    serde_json::from_str(&text).map_err(|error| Error::new(Reason::Bug, error.to_string()))
}
