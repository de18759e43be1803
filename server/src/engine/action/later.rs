//! What comes of an action a little later: answers to the requests that it began,
//! and what a page does that seems to have done nothing.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout};

use super::changes::{Changes, Row};
use super::receipt::Fact;
use crate::chromium::{NavigationState, World};
use crate::engine::error::Result;
use crate::engine::page::engine::Engine;
use crate::engine::page::wire;

/// How long the requests may take that an action began.
const REQUESTS: Duration = Duration::from_secs(1);

/// How long a page may take to show what it was answered, in milliseconds: two
/// frames, where it has frames.
const DRAWING_MS: u64 = 50;

/// How long a page may take to do anything at all, in milliseconds.
const DOING_MS: u64 = 100;

/// Whether a document may say something at once. It needs nothing of the engine,
/// which is not there yet.
const GREETS: &str = "document.querySelector('[role=alert],[role=status],[role=alertdialog],output,\
    dialog[open],[aria-invalid=true]') !== null";

/// How long a new document may take to say so: it is busy with its scripts.
const GREETING: Duration = Duration::from_millis(150);

/// How long the page may take to say so.
const TELLING: Duration = Duration::from_millis(500);

impl Engine {
    /// Waits for the requests that the action began. Answers whether there were any.
    pub(super) async fn await_requests(&self, deadline: Instant) -> bool {
        let page = self.page();
        let begun = page.state.lock().begun.close();
        if begun && self.is_patient() {
            let left = deadline.saturating_duration_since(Instant::now());
            let left = left.saturating_sub(Duration::from_millis(200));
            let over = page.wait_until(|state| {
                let leaves = state.pending.is_some() || state.requested.is_some();
                (state.begun.are_over() || leaves || state.dialog.is_some()).then_some(())
            });
            let _ = timeout(REQUESTS.min(left), over).await;
        }
        begun
    }

    /// The requests that the action began and that are open: `POST /api/save`.
    pub(super) fn open_requests(&self) -> Vec<Fact> {
        let own = url::Url::parse(&self.page().url()).ok();
        let state = self.page().state.lock();
        let place = |url: &str| match url::Url::parse(url) {
            Ok(url) if own.as_ref().is_some_and(|own| own.origin() == url.origin()) => {
                url.path().to_owned()
            }
            _ => url.to_owned(),
        };
        let open = state.begun.open().map(|(method, url)| format!("{method} {}", place(url)));
        open.map(|request| Fact::new("nothing yet").text(request).note("is open")).collect()
    }

    /// Looks again, where there is a reason to: the requests of the action are over,
    /// or nothing came of it as far as is known.
    pub(super) async fn look_again(
        &self,
        world: Option<&Arc<World>>,
        changes: &mut Option<Changes>,
        begun: bool,
    ) {
        let (Some(world), Some(known)) = (world, changes.as_mut()) else { return };
        // What a field holds is told in any case.
        let nothing = !known.tells_anything() && known.holds.is_none() && self.seems_idle();
        if !self.is_patient() || !(begun || nothing) {
            return;
        }
        let (wait, until_change) = if begun { (DRAWING_MS, false) } else { (DOING_MS, true) };
        let question = format!("browseEngine.lookAgain({wait},{until_change})");
        let asked = async { Ok(world.evaluate::<String>(&question).await?) };
        if let Ok(Ok(Some(text))) = timeout(TELLING, self.unless_navigating(asked)).await
            && let Ok(later) = wire::decode::<Changes>(&text)
        {
            known.update(later);
        }
    }

    /// What the document says that the action led to.
    pub(super) async fn greeting(&self, deadline: Instant) -> Vec<Fact> {
        let left = deadline.saturating_duration_since(Instant::now());
        if !self.is_patient() || left < GREETING * 2 {
            return Vec::new();
        }
        let asked = async {
            let world = self.world(&self.page().main_frame().id).await?;
            if !world.evaluate_bare::<bool>(GREETS).await? {
                return Ok(Vec::new());
            }
            self.ask(&world, "greeting", &json!({})).read::<Vec<Row>>().await
        };
        let said = timeout(GREETING, self.unless_navigating(asked)).await;
        let rows = said.ok().and_then(Result::ok).flatten().unwrap_or_default();
        rows.into_iter().map(Fact::from).collect()
    }

    /// Whether nothing is known to have come of the action outside of its document.
    fn seems_idle(&self) -> bool {
        let page = self.page();
        let state = page.state.lock();
        let asked = state.requested.is_some() || !state.windows.is_empty();
        let idle = !asked && !state.frames_requested.any && state.dialog.is_none();
        drop(state);
        idle && page.navigation() == NavigationState::Idle && self.state().witness.saw_nothing()
    }
}
