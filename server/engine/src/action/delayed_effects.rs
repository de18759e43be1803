//! What comes of an action a little later: answers to the requests that it began,
//! and what a page does that seems to have done nothing.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout};

use super::effects::{ActionEffects, FactRow};
use crate::error::Result;
use crate::page::engine::Engine;
use crate::page::fact::Fact;
use crate::page::script_call;
use browse_chromium::{NavigationState, World};

/// How long the requests may take that an action began.
const REQUESTS_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a page may take to show what it was answered, in milliseconds: two
/// frames, where it has frames.
const RENDER_WAIT_MS: u64 = 50;

/// How long a page may take to do anything at all, in milliseconds.
const REACTION_WAIT_MS: u64 = 100;

/// Whether a document may say something at once. It needs nothing of the engine,
/// which is not there yet.
const HAS_INITIAL_MESSAGE_JS: &str = "document.querySelector('[role=alert],[role=status],[role=alertdialog],output,\
    dialog[open],[aria-invalid=true]') !== null";

/// How long a new document may take to say so: it is busy with its scripts.
const INITIAL_MESSAGE_TIMEOUT: Duration = Duration::from_millis(150);

/// How long the page may take to say so.
const EFFECTS_TIMEOUT: Duration = Duration::from_millis(500);

impl Engine {
    /// Waits for the requests that the action began. Answers whether there were any.
    pub(super) async fn await_requests(&self, deadline: Instant) -> bool {
        let page = self.page();
        let begun = page.finish_action_tracking();
        if begun && self.should_wait() {
            let left = deadline.saturating_duration_since(Instant::now());
            let left = left.saturating_sub(Duration::from_millis(200));
            let _ = timeout(REQUESTS_TIMEOUT.min(left), page.wait_for_action_requests()).await;
        }
        begun
    }

    /// The requests that the action began and that are open: `POST /api/save`.
    pub(super) fn open_requests(&self) -> Vec<Fact> {
        let own = url::Url::parse(&self.page().url()).ok();
        let place = |url: &str| match url::Url::parse(url) {
            Ok(url) if own.as_ref().is_some_and(|own| own.origin() == url.origin()) => {
                url.path().to_owned()
            }
            _ => url.to_owned(),
        };
        let open = self.page().open_action_requests().into_iter();
        let open = open.map(|(method, url)| format!("{method} {}", place(&url)));
        open.map(|request| Fact::new("nothing yet").text(request).note("is open")).collect()
    }

    /// Looks again, where there is a reason to: the requests of the action are over,
    /// or nothing came of it as far as is known.
    pub(super) async fn recheck_effects(
        &self,
        world: Option<&Arc<World>>,
        changes: &mut Option<ActionEffects>,
        begun: bool,
    ) {
        let (Some(world), Some(known)) = (world, changes.as_mut()) else { return };
        // What a field holds is reported in any case.
        let nothing =
            !known.has_effects() && known.holds.is_none() && self.has_no_external_effect();
        if !self.should_wait() || !(begun || nothing) {
            return;
        }
        let (wait, until_change) =
            if begun { (RENDER_WAIT_MS, false) } else { (REACTION_WAIT_MS, true) };
        let question = format!("browseEngine.lookAgain({wait},{until_change})");
        let asked = async { Ok(world.evaluate::<String>(&question).await?) };
        if let Ok(Ok(Some(text))) = timeout(EFFECTS_TIMEOUT, self.unless_navigating(asked)).await
            && let Ok(later) = script_call::decode::<ActionEffects>(&text)
        {
            known.update(later);
        }
    }

    /// What the document says that the action led to.
    pub(super) async fn initial_messages(&self, deadline: Instant) -> Vec<Fact> {
        let left = deadline.saturating_duration_since(Instant::now());
        if !self.should_wait() || left < INITIAL_MESSAGE_TIMEOUT * 2 {
            return Vec::new();
        }
        let asked = async {
            let world = self.world(&self.page().main_frame().id).await?;
            if !world.evaluate_without_script::<bool>(HAS_INITIAL_MESSAGE_JS).await? {
                return Ok(Vec::new());
            }
            self.send_command(&world, "greeting", &json!({})).read::<Vec<FactRow>>().await
        };
        let output = timeout(INITIAL_MESSAGE_TIMEOUT, self.unless_navigating(asked)).await;
        let rows = output.ok().and_then(Result::ok).flatten().unwrap_or_default();
        rows.into_iter().map(Fact::from).collect()
    }

    /// Whether nothing is known to have come of the action outside of its document.
    fn has_no_external_effect(&self) -> bool {
        let page = self.page();
        page.is_unaffected_by_action()
            && page.navigation() == NavigationState::Idle
            && self.state().side_effects.is_empty()
    }
}
