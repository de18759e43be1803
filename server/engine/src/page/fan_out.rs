//! Asks all frames of a tab the same question at once.
//!
//! One flight when the worlds are there already: every frame's question and
//! that for its frame owners are written before anything is awaited.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::sleep;

use super::blank_frame::is_blank;
use super::hidden_parts::{self, HiddenParts};
use super::navigation_retry::retry_across_navigation;
use super::{frame_owners, script_call};
use crate::error::{Error, Result};
use crate::page::engine::Engine;
use crate::target::target::Target;
use browse_chromium::{Frame, FrameId, World};

/// How long a frame of another process may take before its tab goes on without
/// it: an advertisement that hangs must not hide the page around it.
const FRAME_TIMEOUT: Duration = Duration::from_secs(2);

/// Times that a frame is asked again for closed trees that it had meanwhile: as deep
/// as they are nested in each other. A page can make one with each reading.
const MAX_CLOSED_ROOT_ROUNDS: usize = 8;

/// In which a page shows what it did at the end of a transition.
const TRANSITION_END_DELAY: Duration = Duration::from_millis(20);

/// An answer that may have met closed shadow roots.
pub(crate) trait FrameAnswer: DeserializeOwned {
    /// Whether it is about what shows, of which some frames have nothing.
    const IS_VISUAL: bool = false;

    /// Elements that may hold a closed root.
    fn closed_root_candidates(&self) -> u32;

    /// How long something is still coming or going that the answer is about.
    fn transition_time(&self) -> Duration {
        Duration::ZERO
    }

    /// What was left out because no person sees it.
    fn hidden_parts(&self) -> &HiddenParts {
        static NONE: HiddenParts = HiddenParts::new();
        &NONE
    }

    /// Takes what came behind the first line of the answer.
    fn set_body(&mut self, _body: &str) {}
}

/// A question for every frame.
pub(crate) struct FrameQuery<'a> {
    pub command: &'static str,
    /// An object.
    pub argument: Value,
    /// What of the topmost frame is meant; frames below it are asked whole.
    pub target: Option<&'a Target>,
    /// Whether the answer depends on which elements listen for clicks.
    pub needs_listeners: bool,
}

/// The answers by frame, and the frames that gave none.
pub(crate) struct FrameAnswers<T> {
    pub root: FrameId,
    /// All that were asked, parents first.
    pub frame_order: Vec<FrameId>,
    pub answers: HashMap<FrameId, (Arc<World>, T)>,
    pub unresponsive: HashSet<FrameId>,
}

impl<T: FrameAnswer> FrameAnswers<T> {
    /// What the answers of all frames left out.
    pub fn hidden_parts(&self) -> HiddenParts {
        hidden_parts::total(self.answers.values().map(|(_, answer)| answer.hidden_parts()))
    }
}

/// What came of asking one frame.
enum FrameOutcome<T> {
    Answered(Arc<World>, T),
    /// There is nothing in it.
    Blank,
    /// It did not answer in time.
    Unresponsive,
}

impl Engine {
    /// Asks `root` and all frames below it. Only `root` has to answer. Scripts go
    /// somewhere else right after a page was loaded: then the next document is asked.
    pub(crate) async fn query_frames<T: FrameAnswer>(
        &self,
        question: &FrameQuery<'_>,
        root: FrameId,
    ) -> Result<FrameAnswers<T>> {
        let is_page = root == self.page().main_frame().id;
        let is_under_way = |error: &Error| is_page && error.is_navigation_in_progress();
        let shown = || self.page().commit_count();
        retry_across_navigation(None, shown, is_under_way, || {
            self.query_frames_once(question, root.clone())
        })
        .await
    }

    async fn query_frames_once<T: FrameAnswer>(
        &self,
        question: &FrameQuery<'_>,
        root: FrameId,
    ) -> Result<FrameAnswers<T>> {
        let within = frame_subtree(&self.page().frames(), &root);
        let asked =
            within.iter().map(|frame| self.query_frame_with_timeout(frame, &root, question));
        let answers = join_all(asked).await;
        let order = within.iter().map(|frame| frame.id.clone()).collect();
        let mut gathered = FrameAnswers {
            root,
            frame_order: order,
            answers: HashMap::new(),
            unresponsive: HashSet::new(),
        };
        for (frame, answer) in within.into_iter().zip(answers) {
            match answer {
                Ok(FrameOutcome::Answered(world, answer)) => {
                    gathered.answers.insert(frame.id, (world, answer));
                }
                Ok(FrameOutcome::Blank) => {}
                Ok(FrameOutcome::Unresponsive) => {
                    gathered.unresponsive.insert(frame.id);
                }
                Err(error) if frame.id == gathered.root => return Err(error),
                // A frame that left while we looked is not part of the tab.
                Err(error) if error.is_stale_document() => {}
                Err(error) => {
                    tracing::debug!(frame = %frame.id, %error, "a frame could not be read");
                    gathered.unresponsive.insert(frame.id);
                }
            }
        }
        Ok(gathered)
    }

    /// The frame that a question about `target` begins in.
    ///
    /// # Errors
    /// The target is a ref that is stale or was never given out; the frame that
    /// selectors look in is gone.
    pub async fn frame_for_target(&self, target: Option<&Target>) -> Result<FrameId> {
        match target {
            Some(target) => Ok(self.world_for(target).await?.frame().clone()),
            None => self.selector_frame(),
        }
    }

    /// The name of a frame, or else its URL; empty for the main frame.
    pub(crate) fn frame_name(&self, id: &FrameId) -> String {
        if *id == self.page().main_frame().id {
            return String::new();
        }
        self.page().frame(id).map_or_else(
            |_| id.to_string(),
            |frame| if frame.name.is_empty() { frame.url } else { frame.name },
        )
    }

    async fn query_frame_with_timeout<T: FrameAnswer>(
        &self,
        frame: &Frame,
        root: &FrameId,
        question: &FrameQuery<'_>,
    ) -> Result<FrameOutcome<T>> {
        let is_root = frame.id == *root;
        let asked = async {
            // What cannot be determined is found out by asking.
            if T::IS_VISUAL && !is_root && is_blank(self.page(), frame).await.unwrap_or(false) {
                return Ok(FrameOutcome::Blank);
            }
            let (world, answer) = self.query_frame(frame, is_root, question).await?;
            Ok(FrameOutcome::Answered(world, answer))
        };
        if frame.session == *self.page().session() || is_root {
            return asked.await;
        }
        tokio::time::timeout(FRAME_TIMEOUT, asked).await.unwrap_or(Ok(FrameOutcome::Unresponsive))
    }

    async fn query_frame<T: FrameAnswer>(
        &self,
        frame: &Frame,
        is_root: bool,
        question: &FrameQuery<'_>,
    ) -> Result<(Arc<World>, T)> {
        let frames = self.page().frames();
        let has_children = frames.iter().any(|other| other.parent.as_ref() == Some(&frame.id));
        let target = question.target.filter(|_| is_root);
        let mut argument = question.argument.clone();
        if let Some(target) = target {
            argument["target"] = serde_json::to_value(&target.query).map_err(Error::internal)?;
        }
        let mut again = true;
        let mut rounds = 0;
        let mut listeners_known = !question.needs_listeners;
        let mut may_fade = true;
        loop {
            let world = self.world(&frame.id).await?;
            let listed = match listeners_known {
                true => None,
                false => self.request_listeners(&world).await,
            };
            let answer = script_call::send_command(&world, question.command, &argument);
            let owners =
                has_children.then(|| frame_owners::request_frame_owners(&world, "ownerWindows"));
            let text = match (answer.text().await, again) {
                // The document was replaced between two calls: look at the new one.
                (Err(Error::Browser(browse_chromium::Error::StaleContext)), true) => {
                    again = false;
                    continue;
                }
                (text, _) => text,
            };
            let (head, body) = script_call::split_body(text);
            let mut answer: T = match target {
                Some(target) => self.decode_target_answer(target, &world, head).await?,
                None => script_call::decode(&head?)?,
            };
            answer.set_body(&body);
            if let Some(owners) = owners {
                self.record_frame_owners(&world, owners).await?;
            }
            if std::mem::take(&mut may_fade) && !answer.transition_time().is_zero() {
                sleep(answer.transition_time() + TRANSITION_END_DELAY).await;
                continue;
            }
            if let Some(listed) = listed {
                listeners_known = true;
                if self.report_listeners(&world, listed).await? > 0 {
                    continue;
                }
            }
            let is_over = answer.closed_root_candidates() == 0 || rounds > MAX_CLOSED_ROOT_ROUNDS;
            if is_over || self.adopt_closed_roots(&world).await? == 0 {
                return Ok((world, answer));
            }
            // With the closed trees in place the script sees them too.
            rounds += 1;
        }
    }
}

/// A frame and all frames below it, parents first.
fn frame_subtree(frames: &[Frame], root: &FrameId) -> Vec<Frame> {
    let mut ids = HashSet::from([root.clone()]);
    let mut within = Vec::new();
    for frame in frames {
        if frame.id == *root || frame.parent.as_ref().is_some_and(|parent| ids.contains(parent)) {
            ids.insert(frame.id.clone());
            within.push(frame.clone());
        }
    }
    within
}
