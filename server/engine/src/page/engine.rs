//! The engine of one tab.

use std::sync::Arc;

use super::frame_owners::FrameOwners;
use super::listeners::ClickListeners;
use super::ref_numbers::{MOVED_TAB, RefNumbers};
use super::ref_table::{DocumentKey, RefTable};
use super::script::ENGINE_SCRIPT;
use super::script_call::{self, PendingAnswer};
use super::selected_frame::SelectedFrame;
use super::side_effects::SideEffectCollector;
use super::snapshot_history::SnapshotHistory;
use super::style_history::StyleHistory;
use crate::error::{Error, RefusalKind, Result};
use crate::page::refusal::element_label;
use crate::target::query::Query;
use crate::target::target::Target;
use browse_base::Lock;
use browse_chromium::{FrameId, Page, World};

/// One for each tab; cheap to clone.
#[derive(Clone)]
pub struct Engine {
    page: Arc<Page>,
    tab_id: u64,
    numbers: Arc<RefNumbers>,
    state: Arc<EngineState>,
    wait_policy: WaitPolicy,
}

/// Whether a receipt waits for what an action began: requests, documents, downloads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WaitPolicy {
    /// For a while.
    #[default]
    UntilSettled,
    /// Not at all: it says what is under way.
    NoWait,
}

/// What outlives a call.
#[derive(Default)]
pub(crate) struct EngineState {
    pub ref_table: Lock<RefTable>,
    pub frame_owners: Lock<FrameOwners>,
    pub snapshots: Lock<SnapshotHistory>,
    pub style_changes: Lock<StyleHistory>,
    pub click_listeners: Lock<ClickListeners>,
    pub side_effects: SideEffectCollector,
    /// The frame that a caller chose for selectors; none for the main frame.
    pub selected_frame: Lock<Option<SelectedFrame>>,
    /// Held by whoever acts: one gesture at a time.
    pub action_lock: tokio::sync::Mutex<()>,
    pub last_guard_token: Lock<u64>,
}

impl Engine {
    /// The engine of the tab `tab`, whose refs come out of `numbers`.
    pub fn new(page: Arc<Page>, numbers: Arc<RefNumbers>, tab: u64) -> Self {
        Self {
            page,
            tab_id: tab,
            numbers,
            state: Arc::default(),
            wait_policy: WaitPolicy::default(),
        }
    }

    /// The engine of the same tab after it moved to another page: its refs are
    /// remembered, and all stale.
    pub fn moved_to(&self, page: Arc<Page>) -> Self {
        Self { page, ..self.clone() }
    }

    /// The same engine, whose receipts wait or do not.
    #[must_use]
    pub fn with_wait_policy(&self, waiting: WaitPolicy) -> Self {
        Self { wait_policy: waiting, ..self.clone() }
    }

    /// Whether receipts wait.
    pub(crate) fn should_wait(&self) -> bool {
        self.wait_policy == WaitPolicy::UntilSettled
    }

    /// The tab.
    pub fn page(&self) -> &Arc<Page> {
        &self.page
    }

    pub(crate) fn state(&self) -> &EngineState {
        &self.state
    }

    /// Numbers for new refs of this tab; the first of them.
    pub(crate) fn allocate_refs(&self, count: usize) -> u32 {
        self.numbers.allocate(self.tab_id, u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// Notes an event of the browser, for the receipts of actions. Returns at once.
    pub fn observe(&self, event: &browse_chromium::Event) {
        self.state.side_effects.observe(&self.page, event);
    }

    pub(crate) fn document_of(world: &World) -> DocumentKey {
        DocumentKey { frame: world.frame().clone(), loader: world.loader().clone() }
    }

    /// The world of a frame's current document.
    pub async fn world(&self, frame: &FrameId) -> Result<Arc<World>> {
        Ok(self.page.world(frame, &ENGINE_SCRIPT).await?)
    }

    /// The world that a target is looked up in. A ref whose document is not
    /// the current one of its frame is stale, which no browser is asked for.
    pub(crate) async fn world_for(&self, target: &Target) -> Result<Arc<World>> {
        let Some(number) = target.ref_number() else {
            return self.world(&self.selector_frame()?).await;
        };
        let document = match self.state.ref_table.lock().find(number) {
            Some((document, _)) => document.clone(),
            None => return Err(self.foreign_ref_error(target, number)),
        };
        let current =
            self.page.frame(&document.frame).is_ok_and(|frame| frame.loader == document.loader);
        if !current {
            return Err(self.stale_ref_error(target));
        }
        let world = self.world(&document.frame).await?;
        if *world.loader() == document.loader {
            Ok(world)
        } else {
            Err(self.stale_ref_error(target))
        }
    }

    /// Whether the document of a ref is the current one of its frame.
    pub(crate) fn is_ref_current(&self, number: u32) -> bool {
        let refs = self.state.ref_table.lock();
        refs.find(number).is_some_and(|(document, _)| {
            let frame = self.page.frame(&document.frame);
            frame.is_ok_and(|frame| frame.loader == document.loader)
        })
    }

    /// The error of a ref that this tab never gave out.
    fn foreign_ref_error(&self, target: &Target, number: u32) -> Error {
        let error = match self.numbers.tab_of(number) {
            Some(MOVED_TAB) => {
                let message = format!(
                    "`{target}` is stale: its session has moved, and its pages were loaded again"
                );
                Error::refused(RefusalKind::RefStale, message)
            }
            Some(tab) if tab != self.tab_id => {
                let message =
                    format!("`{target}` belongs to tab {tab}, not to tab {}", self.tab_id);
                Error::refused(RefusalKind::RefOtherTab, message).with("tab", tab)
            }
            _ => Error::refused(RefusalKind::RefUnknown, format!("`{target}` was never given out")),
        };
        error.with("ref", target)
    }

    /// The error of a ref whose element is gone: what it was, never a guess
    /// what it may be now.
    pub(crate) fn stale_ref_error(&self, target: &Target) -> Error {
        let (role, name) = match target.query {
            Query::Ref { number } => {
                self.state.ref_table.lock().find(number).and_then(|(_, known)| {
                    known.map(|(role, name)| (role.to_string(), name.to_string()))
                })
            }
            _ => None,
        }
        .unwrap_or_default();
        let message = format!("`{target}` is stale: its element left the page");
        let error = Error::refused(RefusalKind::RefStale, message).with("ref", target);
        if role.is_empty() {
            error
        } else {
            error.with_page_text("was", element_label(&role, &name))
        }
    }

    /// Writes a command for the frame of a world.
    pub(crate) fn send_command(
        &self,
        world: &World,
        command: &str,
        argument: &impl serde::Serialize,
    ) -> PendingAnswer {
        script_call::send_command(world, command, argument)
    }

    /// Asks a question about a target in its frame, once.
    pub(crate) async fn query_target<T: serde::de::DeserializeOwned>(
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
        let answer = script_call::send_command(&world, command, &argument).text().await;
        self.decode_target_answer(target, &world, answer).await
    }

    /// Reads an answer about a target: names the target in refusals, and gives
    /// the matches of an ambiguous one their refs.
    pub(crate) async fn decode_target_answer<T: serde::de::DeserializeOwned>(
        &self,
        target: &Target,
        world: &World,
        answer: Result<String>,
    ) -> Result<T> {
        let error = match answer {
            Ok(text) if text.starts_with("{\"error\":\"ambiguous\"") => {
                return Err(self.ambiguous_target_error(target, world, &text));
            }
            Ok(text) => match script_call::decode(&text) {
                Ok(value) => return Ok(value),
                Err(error) => error,
            },
            Err(error) => error,
        };
        Err(self.with_target_context(target, error))
    }

    /// Puts the target into an error that the script could not name it in.
    pub(crate) fn with_target_context(&self, target: &Target, error: Error) -> Error {
        if error.is_stale_document() && target.ref_number().is_some() {
            return self.stale_ref_error(target);
        }
        match error.kind() {
            Some(RefusalKind::RefStale) => self.stale_ref_error(target),
            Some(RefusalKind::NotFound) => {
                let hint = match error.metadata().get("count") {
                    Some(count) => format!("; without `nth` there are {count}"),
                    None => String::new(),
                };
                let message = format!("no element matches `{target}`{hint}");
                let named = Error::refused(RefusalKind::NotFound, message).with("selector", target);
                error
                    .page_texts()
                    .iter()
                    .fold(named, |named, (about, text)| named.with_page_text(about, text))
            }
            Some(RefusalKind::SelectorInvalid) => {
                Error::refused(RefusalKind::SelectorInvalid, format!("`{target}`: {error}"))
                    .with("selector", target)
            }
            _ => error,
        }
    }

    /// A token that tells one gesture from the next.
    pub(crate) fn next_guard_token(&self) -> u64 {
        let mut tokens = self.state.last_guard_token.lock();
        *tokens += 1;
        *tokens
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Engine({:?})", self.page)
    }
}
