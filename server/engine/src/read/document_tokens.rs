//! The documents of a tab as flat lists of what they are made of, for traces.

use std::time::Duration;

use browse_chromium::{Frame, FrameId, World};
use serde::Deserialize;
use tokio::time::{Instant, timeout_at};

use crate::error::{Error, Result};
use crate::page::engine::Engine;
use crate::page::frame_owners::{frames_of_windows, request_windows};
use crate::page::script::TOKENS_SCRIPT;

/// Time that frames get after the main document was read.
const FRAME_TIMEOUT: Duration = Duration::from_millis(200);

/// Documents of a tab that are read.
const MAX_DOCUMENTS: usize = 20;

/// The document of a frame.
#[derive(Debug)]
pub struct DocumentContent {
    /// The frame.
    pub frame: FrameId,
    /// Its address.
    pub url: String,
    /// Names this document among all that the frame has shown.
    pub document: String,
    /// Name of its document type; empty without one.
    pub doctype: String,
    /// What it is made of: see `document-tokens.js`.
    pub tokens: Vec<u64>,
    /// The texts that tokens name.
    pub strings: Vec<String>,
    /// Addresses of style sheets and pictures, each with `style` or `image`.
    pub resources: Vec<(String, String)>,
    /// Frames of the document by their numbers in `src` of its `IFRAME` elements.
    pub frames: Vec<(u32, FrameId)>,
}

#[derive(Deserialize)]
struct TokensAnswer {
    tokens: Vec<u64>,
    strings: Vec<String>,
    doctype: String,
    resources: Vec<(String, String)>,
    frames: u32,
}

impl Engine {
    /// The documents of the tab, that of the main frame first. One that does not answer until
    /// `limit` is left out.
    pub async fn document_contents(&self, limit: Instant) -> Vec<DocumentContent> {
        let main = self.page().main_frame();
        let read = |frame: Frame, limit: Instant| async move {
            timeout_at(limit, self.document_content(&frame)).await.ok()?.ok()
        };
        let others: Vec<_> =
            self.page().frames().into_iter().filter(|frame| frame.id != main.id).collect();
        let Some(first) = read(main, limit).await else { return Vec::new() };
        // One that hangs must not hold up the others, and the call.
        let limit = limit.min(Instant::now() + FRAME_TIMEOUT);
        let others = others.into_iter().take(MAX_DOCUMENTS).map(|frame| read(frame, limit));
        let others = futures::future::join_all(others).await;
        std::iter::once(first).chain(others.into_iter().flatten()).collect()
    }

    async fn document_content(&self, frame: &Frame) -> Result<DocumentContent> {
        let world = self.world(&frame.id).await?;
        let text: String = world.evaluate_without_script(TOKENS_SCRIPT).await?;
        let answer: TokensAnswer = serde_json::from_str(&text).map_err(Error::internal)?;
        let frames = match answer.frames {
            0 => Vec::new(),
            _ => windows_in(&world).await?,
        };
        Ok(DocumentContent {
            frame: frame.id.clone(),
            url: frame.url.clone(),
            document: frame.loader.to_string(),
            doctype: answer.doctype,
            tokens: answer.tokens,
            strings: answer.strings,
            resources: answer.resources,
            frames,
        })
    }
}

/// The frames that the script left behind, which are let go.
async fn windows_in(world: &World) -> Result<Vec<(u32, FrameId)>> {
    let frames = request_windows(world, "[browseTraceFrames, browseTraceFrames = null][0]").await?;
    let frames = frames_of_windows(frames)?;
    world.release("owners");
    Ok(frames)
}
