//! Images, videos and sounds, in all frames.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::json;

use crate::error::Result;
use crate::page::engine::Engine;
use crate::page::fan_out::{FrameAnswer, FrameQuery};
use crate::target::target::Target;

/// A kind of media.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKind {
    /// Pictures, those of styles included.
    Image,
    /// Moving pictures.
    Video,
    /// Sounds.
    Audio,
}

/// An image, a video or a sound.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Medium {
    /// `image`, `video` or `audio`.
    pub kind: String,
    /// Absolute address.
    #[serde(deserialize_with = "browse_chromium::deserialize_url")]
    pub url: String,
    /// MIME type, as far as the document says it.
    #[serde(rename = "type")]
    pub mime: String,
    /// Pixels of the file; 0 when it was not loaded.
    pub width: u32,
    /// Pixels of the file; 0 when it was not loaded.
    pub height: u32,
    /// Alternative text, or accessible name.
    pub alt: String,
    /// Seconds.
    pub duration: Option<f64>,
    /// Whether it shows.
    pub shown: bool,
    /// Whether a style paints it.
    pub background: bool,
}

#[derive(Deserialize)]
struct MediaAnswer {
    suspects: u32,
    items: Vec<Medium>,
}

impl FrameAnswer for MediaAnswer {
    fn closed_root_candidates(&self) -> u32 {
        self.suspects
    }
}

impl MediaKind {
    fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Video => "video",
            Self::Audio => "audio",
        }
    }
}

impl Engine {
    /// What the page or an element shows and plays, each address once.
    pub async fn media(&self, kinds: &[MediaKind], target: Option<&Target>) -> Result<Vec<Medium>> {
        let words: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
        let question = FrameQuery {
            command: "media",
            argument: json!({ "kinds": words }),
            target,
            needs_listeners: false,
        };
        let root = self.frame_for_target(target).await?;
        let mut gathered = self.query_frames::<MediaAnswer>(&question, root).await?;
        let mut seen = HashSet::new();
        let mut media = Vec::new();
        for id in &gathered.frame_order {
            let Some((_, found)) = gathered.answers.remove(id) else { continue };
            media.extend(
                found
                    .items
                    .into_iter()
                    .filter(|medium| seen.insert((medium.kind.clone(), medium.url.clone()))),
            );
        }
        Ok(media)
    }
}
