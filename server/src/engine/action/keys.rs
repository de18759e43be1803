//! Typing into whatever has the focus.

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::changes::Changes;
use super::receipt::Receipt;
use crate::chromium::{self, Call, FrameId, KeyCombination, World};
use crate::engine::error::{Error, Kind, Result};
use crate::engine::page::engine::Engine;
use crate::engine::page::owners;
use std::sync::Arc;

/// What has the focus in a document.
#[derive(Deserialize)]
struct Watched {
    focus: Option<(String, String)>,
    frame: u32,
    takes: bool,
}

/// What is to be watched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Watch {
    /// What changes.
    Keys,
    /// Also whether the text that is typed arrives.
    Typing,
}

impl Engine {
    /// Types text with a key for each character. What the focused field does not
    /// hold afterwards, in some form, is an error.
    pub async fn type_text(&self, text: &str, deadline: Instant) -> Result<Receipt> {
        let _turn = self.state().acting.lock().await;
        let (world, takes) = self.watch_focus(Watch::Typing).await?;
        if !takes {
            return Err(Error::refused(
                Kind::NothingFocused,
                "nothing that takes text has the focus",
            ));
        }
        let before = self.begin_action().watched_in(&world);
        let calls = self.page().type_text(text);
        self.finish(&world, before, calls, json!({ "typed": text }), deadline).await
    }

    /// Presses a key or chord, such as `Control+A`.
    pub async fn press(&self, key: &str, deadline: Instant) -> Result<Receipt> {
        let combination = KeyCombination::parse(key).map_err(|error: chromium::Error| {
            Error::refused(Kind::KeyUnknown, error.to_string()).with("key", key)
        })?;
        let _turn = self.state().acting.lock().await;
        let (world, _) = self.watch_focus(Watch::Keys).await?;
        let before = self.begin_action().watched_in(&world);
        let calls = self.page().press(&combination);
        self.finish(&world, before, calls, json!({}), deadline).await
    }

    /// The frame that keys go to.
    ///
    /// # Errors
    /// The page gives no answer.
    pub async fn frame_in_focus(&self) -> Result<FrameId> {
        let _turn = self.state().acting.lock().await;
        Ok(self.watch_focus(Watch::Keys).await?.0.frame().clone())
    }

    async fn finish(
        &self,
        world: &World,
        before: super::outcome::Before,
        calls: Vec<Call<serde::de::IgnoredAny>>,
        argument: Value,
        deadline: Instant,
    ) -> Result<Receipt> {
        for call in calls {
            let handled = async { call.await.map(drop).map_err(Error::from) };
            self.unless_navigating(handled).await?;
        }
        let report = self.ask(world, "report", &argument).read::<Changes>();
        let changes = self.unless_navigating(report).await?;
        Ok(self.receipt(before, changes, deadline).await)
    }

    /// Goes from the main frame into the frame that has the focus, and starts
    /// to watch there.
    async fn watch_focus(&self, watch: Watch) -> Result<(Arc<World>, bool)> {
        let mut world = self.world(&self.page().main_frame().id).await?;
        loop {
            let watched: Watched = self
                .ask(&world, "watch", &json!({ "typing": watch == Watch::Typing }))
                .read()
                .await?;
            if watched.frame == 0 {
                return Ok((world, watched.takes && watched.focus.is_some()));
            }
            let document = Engine::document_of(&world);
            let mut inner = self.state().owners.lock().frame(&document, watched.frame).cloned();
            if inner.is_none() {
                let call = owners::ask(&world, "findOwners");
                self.learn_owners(&world, call).await?;
                inner = self.state().owners.lock().frame(&document, watched.frame).cloned();
            }
            let Some(inner) = inner.filter(|inner| self.page().frame(inner).is_ok()) else {
                return Ok((world, false));
            };
            world = self.world(&inner).await?;
        }
    }
}
