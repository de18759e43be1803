//! The frame that selectors look in, when a caller chose one.
//!
//! A choice holds for one document of the tab. It ends when that document or
//! the frame does, and whoever counts on it next is notified once: a selector
//! that silently looked somewhere else could find the wrong element.

use serde::Deserialize;
use serde_json::json;

use super::engine::Engine;
use crate::error::{Error, RefusalKind, Result};
use crate::target::target::Target;
use browse_chromium::{Frame, FrameId, LoaderId};

/// A frame, and the document of the tab that it was chosen in.
#[derive(Debug, Clone)]
pub(crate) struct SelectedFrame {
    frame: FrameId,
    document: LoaderId,
    label: String,
}

#[derive(Deserialize)]
struct FrameOwnerAnswer {
    owner: u32,
}

impl Engine {
    /// Makes selectors look in `frame`; in the main frame when there is none.
    pub fn select_frame(&self, frame: Option<&Frame>) {
        *self.state().selected_frame.lock() = frame.map(|frame| SelectedFrame {
            frame: frame.id.clone(),
            document: self.page().loader(),
            label: frame_label(frame),
        });
    }

    /// The frame that selectors look in.
    ///
    /// # Errors
    /// `FRAME_GONE` when the chosen one has gone; it is the main frame from
    /// then on.
    pub fn selector_frame(&self) -> Result<FrameId> {
        let mut chosen = self.state().selected_frame.lock();
        let Some(choice) = chosen.as_ref() else { return Ok(self.page().main_frame().id) };
        let here = choice.document == self.page().loader();
        if here && self.page().frame(&choice.frame).is_ok() {
            return Ok(choice.frame.clone());
        }
        let label = choice.label.clone();
        *chosen = None;
        let message = match here {
            true => "the frame that `frame` chose left the page",
            false => "the frame that `frame` chose is gone: the tab went on",
        };
        Err(Error::refused(RefusalKind::FrameGone, message).with_page_text("frame", label))
    }

    /// Whether the chosen frame has gone, of which nobody was notified yet.
    pub fn has_lost_selected_frame(&self) -> bool {
        let chosen = self.state().selected_frame.lock();
        chosen.as_ref().is_some_and(|choice| {
            choice.document != self.page().loader() || self.page().frame(&choice.frame).is_err()
        })
    }

    /// The frame that an element holds.
    pub async fn frame_in_element(&self, target: &Target) -> Result<Frame> {
        let world = self.world_for(target).await?;
        let argument = json!({ "target": target.query });
        let answer = self.send_command(&world, "frameOf", &argument).text().await;
        let held: FrameOwnerAnswer = self.decode_target_answer(target, &world, answer).await?;
        let found = self.frame_of_owner(&world, held.owner).await?;
        let gone =
            || Error::refused(RefusalKind::WrongKind, format!("`{target}` holds no frame by now"));
        Ok(self.page().frame(&found.ok_or_else(gone)?)?)
    }
}

/// How a frame is called in messages: its name, else its address.
fn frame_label(frame: &Frame) -> String {
    let text = if frame.name.is_empty() { &frame.url } else { &frame.name };
    text.chars().take(80).collect()
}
