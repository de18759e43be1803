//! The engine of one tab.

use std::sync::Arc;

use super::choice::Chosen;
use super::listeners::Listening;
use super::numbers::RefNumbers;
use super::owners::Owners;
use super::refs::{Document, RefTable};
use super::script::SCRIPT;
use super::wire::{self, Answer};
use super::witness::Witness;
use crate::chromium::sync::Lock;
use crate::chromium::{self, FrameId, Page, World};
use crate::engine::error::{Error, Kind, Result};
use crate::engine::page::refusal::label;
use crate::engine::snapshot::history::History;
use crate::engine::style::change::Changes;
use crate::engine::target::target::{Query, Target};

/// One for each tab; cheap to clone.
#[derive(Clone)]
pub struct Engine {
    page: Arc<Page>,
    tab: u64,
    numbers: Arc<RefNumbers>,
    state: Arc<State>,
    waiting: Waiting,
}

/// Whether a receipt waits for what an action began: requests, documents, downloads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Waiting {
    /// For a while.
    #[default]
    Patient,
    /// Not at all: it says what is under way.
    None,
}

/// What outlives a call.
#[derive(Default)]
pub(crate) struct State {
    pub refs: Lock<RefTable>,
    pub owners: Lock<Owners>,
    pub history: Lock<History>,
    pub styles: Lock<Changes>,
    pub listening: Lock<Listening>,
    pub witness: Witness,
    /// The frame that a caller chose for selectors; none for the main frame.
    pub frame: Lock<Option<Chosen>>,
    /// Held by whoever acts: one gesture at a time.
    pub acting: tokio::sync::Mutex<()>,
    pub tokens: Lock<u64>,
}

impl Engine {
    /// The engine of the tab `tab`, whose refs come out of `numbers`.
    pub fn new(page: Arc<Page>, numbers: Arc<RefNumbers>, tab: u64) -> Self {
        Self { page, tab, numbers, state: Arc::default(), waiting: Waiting::default() }
    }

    /// The engine of the same tab after it moved to another page: its refs are
    /// remembered, and all stale.
    pub fn moved_to(&self, page: Arc<Page>) -> Self {
        Self { page, ..self.clone() }
    }

    /// The same engine, whose receipts wait or do not.
    #[must_use]
    pub fn waiting(&self, waiting: Waiting) -> Self {
        Self { waiting, ..self.clone() }
    }

    /// Whether receipts wait.
    pub(crate) fn is_patient(&self) -> bool {
        self.waiting == Waiting::Patient
    }

    /// The tab.
    pub fn page(&self) -> &Arc<Page> {
        &self.page
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Numbers for new refs of this tab; the first of them.
    pub(crate) fn give(&self, count: usize) -> u32 {
        self.numbers.give(self.tab, u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// Notes an event of the browser, for the receipts of actions. Returns at once.
    pub fn observe(&self, event: &chromium::Event) {
        self.state.witness.observe(&self.page, event);
    }

    pub(crate) fn document_of(world: &World) -> Document {
        Document { frame: world.frame().clone(), loader: world.loader().clone() }
    }

    /// The world of a frame's current document.
    pub(crate) async fn world(&self, frame: &FrameId) -> Result<Arc<World>> {
        Ok(self.page.world(frame, &SCRIPT).await?)
    }

    /// The world that a target is looked up in. A ref whose document is not
    /// the current one of its frame is stale, which no browser is asked for.
    pub(crate) async fn world_for(&self, target: &Target) -> Result<Arc<World>> {
        let Some(number) = target.number() else {
            return self.world(&self.frame()?).await;
        };
        let document = match self.state.refs.lock().find(number) {
            Some((document, _)) => document.clone(),
            None => return Err(self.foreign(target, number)),
        };
        let current =
            self.page.frame(&document.frame).is_ok_and(|frame| frame.loader == document.loader);
        if !current {
            return Err(self.stale(target));
        }
        let world = self.world(&document.frame).await?;
        if *world.loader() == document.loader { Ok(world) } else { Err(self.stale(target)) }
    }

    /// Whether the document of a ref is the current one of its frame.
    pub(crate) fn is_current(&self, number: u32) -> bool {
        let refs = self.state.refs.lock();
        refs.find(number).is_some_and(|(document, _)| {
            let frame = self.page.frame(&document.frame);
            frame.is_ok_and(|frame| frame.loader == document.loader)
        })
    }

    /// The error of a ref that this tab never gave out.
    fn foreign(&self, target: &Target, number: u32) -> Error {
        let error = match self.numbers.tab_of(number) {
            Some(tab) if tab != self.tab => {
                let message = format!("`{target}` belongs to tab {tab}, not to tab {}", self.tab);
                Error::refused(Kind::RefOtherTab, message).with("tab", tab)
            }
            _ => Error::refused(Kind::RefUnknown, format!("`{target}` was never given out")),
        };
        error.with("ref", target)
    }

    /// The error of a ref whose element is gone: what it was, never a guess
    /// what it may be now.
    pub(crate) fn stale(&self, target: &Target) -> Error {
        let (role, name) = match target.query {
            Query::Ref { number } => self.state.refs.lock().find(number).and_then(|(_, known)| {
                known.map(|(role, name)| (role.to_string(), name.to_string()))
            }),
            _ => None,
        }
        .unwrap_or_default();
        let message = format!("`{target}` is stale: its element left the page");
        let error = Error::refused(Kind::RefStale, message).with("ref", target);
        if role.is_empty() { error } else { error.quoting("was", label(&role, &name)) }
    }

    /// Writes a command for the frame of a world.
    pub(crate) fn ask(
        &self,
        world: &World,
        command: &str,
        argument: &impl serde::Serialize,
    ) -> Answer {
        wire::ask(world, command, argument)
    }

    /// Asks a question about a target in its frame, once.
    pub(crate) async fn ask_about<T: serde::de::DeserializeOwned>(
        &self,
        target: &Target,
        command: &str,
        more: serde_json::Value,
    ) -> Result<T> {
        let world = self.world_for(target).await?;
        let mut argument = serde_json::json!({ "target": target.query });
        if let (Some(argument), serde_json::Value::Object(more)) = (argument.as_object_mut(), more)
        {
            argument.extend(more);
        }
        let answer = self.ask_reading(&world, command, argument).await;
        self.understand(target, &world, answer).await
    }

    /// Reads an answer about a target: names the target in refusals, and gives
    /// the matches of an ambiguous one their refs.
    pub(crate) async fn understand<T: serde::de::DeserializeOwned>(
        &self,
        target: &Target,
        world: &World,
        answer: Result<String>,
    ) -> Result<T> {
        let error = match answer {
            Ok(text) if text.starts_with("{\"error\":\"ambiguous\"") => {
                return Err(self.ambiguous(target, world, &text));
            }
            Ok(text) => match wire::decode(&text) {
                Ok(value) => return Ok(value),
                Err(error) => error,
            },
            Err(error) => error,
        };
        Err(self.explain(target, error))
    }

    /// Puts the target into an error that the script could not name it in.
    pub(crate) fn explain(&self, target: &Target, error: Error) -> Error {
        if error.is_stale_document() && target.number().is_some() {
            return self.stale(target);
        }
        match error.kind() {
            Some(Kind::RefStale) => self.stale(target),
            Some(Kind::NotFound) => {
                let hint = match error.metadata().get("count") {
                    Some(count) => format!("; without `nth` there are {count}"),
                    None => String::new(),
                };
                let message = format!("no element matches `{target}`{hint}");
                let named = Error::refused(Kind::NotFound, message).with("selector", target);
                error.page().iter().fold(named, |named, (about, text)| named.quoting(about, text))
            }
            Some(Kind::SelectorInvalid) => {
                Error::refused(Kind::SelectorInvalid, format!("`{target}`: {error}"))
                    .with("selector", target)
            }
            _ => error,
        }
    }

    /// A token that tells one gesture from the next.
    pub(crate) fn next_token(&self) -> u64 {
        let mut tokens = self.state.tokens.lock();
        *tokens += 1;
        *tokens
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Engine({:?})", self.page)
    }
}
