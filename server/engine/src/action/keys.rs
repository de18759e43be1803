//! Typing into whatever has the focus.

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::effects::ActionEffects;
use super::receipt::ActionReceipt;
use crate::error::{Error, RefusalKind, Result};
use crate::page::engine::Engine;
use crate::page::frame_owners;
use crate::page::refusal::subject_phrase;
use browse_chromium::{CdpCall, FrameId, KeyCombination, World};
use std::sync::Arc;

/// What has the focus in a document.
#[derive(Deserialize)]
struct FocusAnswer {
    focus: Option<(String, String)>,
    frame: u32,
    takes: bool,
}

/// What would become of typed text.
enum TextFocus {
    /// The focused element takes it.
    Editable,
    /// The focused element, of this role, does not take it.
    NotEditable { role: String },
    /// No element has the focus.
    Nothing,
}

impl TextFocus {
    /// Whether text can be typed.
    ///
    /// # Errors
    /// `NOTHING_FOCUSED`, which names what the element is.
    fn check(&self) -> Result<()> {
        let message = match self {
            Self::Editable => return Ok(()),
            Self::NotEditable { role } => {
                format!("{} that has the focus takes no text", subject_phrase(role))
            }
            Self::Nothing => "no element has the focus".to_owned(),
        };
        Err(Error::refused(RefusalKind::NothingFocused, message))
    }
}

/// What is to be watched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FocusWatch {
    /// What changes.
    Keys,
    /// Also whether the text that is typed arrives.
    Typing,
}

impl Engine {
    /// Types text with a key for each character. What the focused field does not
    /// hold afterwards, in some form, is an error.
    pub async fn type_text(&self, text: &str, deadline: Instant) -> Result<ActionReceipt> {
        let _turn = self.state().action_lock.lock().await;
        let (world, focus) = self.watch_focus(FocusWatch::Typing).await?;
        focus.check()?;
        let before = self.begin_action().with_world(&world);
        let calls = self.page().type_text(text);
        self.finish_key_action(&world, before, calls, json!({ "typed": text }), deadline).await
    }

    /// Presses a key or chord, such as `Control+A`.
    pub async fn press(&self, key: &str, deadline: Instant) -> Result<ActionReceipt> {
        let combination = KeyCombination::parse(key).map_err(|error: browse_chromium::Error| {
            Error::refused(RefusalKind::KeyUnknown, error.to_string()).with("key", key)
        })?;
        let _turn = self.state().action_lock.lock().await;
        let (world, _) = self.watch_focus(FocusWatch::Keys).await?;
        let before = self.begin_action().with_world(&world);
        let calls = self.page().press(&combination);
        self.finish_key_action(&world, before, calls, json!({}), deadline).await
    }

    /// The frame that keys go to.
    ///
    /// # Errors
    /// The page gives no answer.
    pub async fn focused_frame(&self) -> Result<FrameId> {
        let _turn = self.state().action_lock.lock().await;
        Ok(self.watch_focus(FocusWatch::Keys).await?.0.frame().clone())
    }

    async fn finish_key_action(
        &self,
        world: &World,
        before: super::outcome::TabBaseline,
        calls: Vec<CdpCall<serde::de::IgnoredAny>>,
        argument: Value,
        deadline: Instant,
    ) -> Result<ActionReceipt> {
        for call in calls {
            let handled = async { call.await.map(drop).map_err(Error::from) };
            self.unless_navigating(handled).await?;
        }
        let report = self.send_command(world, "report", &argument).read::<ActionEffects>();
        let changes = self.unless_navigating(report).await?;
        Ok(self.receipt(before, changes, deadline).await)
    }

    /// Goes from the main frame into the frame that has the focus, and starts
    /// to watch there.
    async fn watch_focus(&self, watch: FocusWatch) -> Result<(Arc<World>, TextFocus)> {
        let mut world = self.world(&self.page().main_frame().id).await?;
        loop {
            let watched: FocusAnswer = self
                .send_command(&world, "watch", &json!({ "typing": watch == FocusWatch::Typing }))
                .read()
                .await?;
            if watched.frame == 0 {
                let focus = match watched.focus {
                    Some(_) if watched.takes => TextFocus::Editable,
                    Some((role, _)) => TextFocus::NotEditable { role },
                    None => TextFocus::Nothing,
                };
                return Ok((world, focus));
            }
            let document = Engine::document_of(&world);
            let mut inner =
                self.state().frame_owners.lock().frame(&document, watched.frame).cloned();
            if inner.is_none() {
                let call = frame_owners::request_frame_owners(&world, "findOwners");
                self.record_frame_owners(&world, call).await?;
                inner = self.state().frame_owners.lock().frame(&document, watched.frame).cloned();
            }
            let Some(inner) = inner.filter(|inner| self.page().frame(inner).is_ok()) else {
                let role = watched.focus.map(|(role, _)| role).unwrap_or_default();
                return Ok((world, TextFocus::NotEditable { role }));
            };
            world = self.world(&inner).await?;
        }
    }
}
