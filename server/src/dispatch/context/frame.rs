//! The frame that a call is about: of the element that it names, or that has the
//! focus. What is read there is of that frame's site, and what is typed there goes
//! to it, whichever page it stands in.

use browse_proto::{Requires, wire};
use url::Url;

use super::CallContext;
use crate::dispatch::RequestMessage;
use browse_chromium::{Frame, FrameId};
use browse_engine::Target;

impl CallContext {
    /// Finds out which frame the call is about. Where all frames of the tab are of
    /// one origin it makes no difference, and nobody is asked.
    pub(crate) async fn resolve_frame(&self, request: &dyn RequestMessage) {
        let Some(tab) = self.tab_if_any().filter(|_| self.command().requires == Requires::Page)
        else {
            return;
        };
        let frames = tab.page().frames();
        if frames.len() == 1 {
            return;
        }
        let mut origins = frames.iter().map(|frame| origin_of(&frame_url(&frames, frame)));
        let first = origins.next();
        if origins.all(|origin| Some(origin) == first) {
            return;
        }
        let engine = tab.engine();
        let command = self.command();
        let field = command.request.fields.iter().find(|field| field.name == "target");
        let target = field
            .and_then(|field| wire::text_field(&request.encoded(), field.number))
            .and_then(|text| text.parse::<Target>().ok());
        let frame = match target {
            Some(target) => engine.frame_for_target(Some(&target)).await.ok(),
            None if field.is_some() || ["reading", "webmcp"].contains(&command.group) => {
                engine.selector_frame().ok()
            }
            None if command.group == "input" => engine.focused_frame().await.ok(),
            None => None,
        };
        if let Some(frame) = frame {
            let _ = self.frame.set(frame);
        }
    }

    /// The address of the document that the call is about; none without a tab.
    pub fn document_url(&self) -> Option<String> {
        let page = self.tab_if_any()?.page();
        let Some(id) = self.frame.get() else { return Some(page.url()) };
        let frames = page.frames();
        let frame = frames.iter().find(|frame| frame.id == *id);
        Some(frame.map_or_else(|| page.url(), |frame| frame_url(&frames, frame)))
    }

    /// The addresses of the frame that the call is about and of those within it.
    pub fn frame_urls(&self) -> Vec<String> {
        let Some(tab) = self.tab_if_any() else { return Vec::new() };
        let frames = tab.page().frames();
        let root = self.frame.get();
        let is_within =
            |frame: &&Frame| root.is_none_or(|root| is_descendant_frame(&frames, frame, root));
        frames.iter().filter(is_within).map(|frame| frame_url(&frames, frame)).collect()
    }
}

/// The address of what a frame shows: what has none of its own is of the frame
/// around it.
fn frame_url(frames: &[Frame], frame: &Frame) -> String {
    let mut at = frame;
    loop {
        let url = at.url.strip_prefix("blob:").unwrap_or(&at.url);
        let parent = at.parent.as_ref();
        match parent.and_then(|parent| frames.iter().find(|frame| frame.id == *parent)) {
            Some(around) if !url.starts_with("http") && !url.starts_with("file:") => at = around,
            _ => return url.to_owned(),
        }
    }
}

fn is_descendant_frame(frames: &[Frame], frame: &Frame, root: &FrameId) -> bool {
    let mut at = Some(frame);
    while let Some(frame) = at {
        if frame.id == *root {
            return true;
        }
        let parent = frame.parent.as_ref();
        at = parent.and_then(|parent| frames.iter().find(|frame| frame.id == *parent));
    }
    false
}

fn origin_of(url: &str) -> String {
    Url::parse(url).map_or_else(|_| url.to_owned(), |url| url.origin().ascii_serialization())
}
