//! Looks of an earlier reading, which are true as long as nothing was rendered anew.
//!
//! What no person sees takes the script longer to find than all the rest of a
//! reading. So it keeps what it found, by the browser's count of what it rendered:
//! a reading brings along the count that it begins with. What the page changed
//! before that and the browser had not rendered yet is counted by the end of the
//! reading, as each reading has the browser render all. So an answer that rests on
//! such a look stands if the count is the same then, and is asked for again if not.
//!
//! Two counts take longer than a look at most pages. So the script says where looks
//! are dear, and only there a reading is counted for.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::prerequisites;
use super::script_call::{self, PendingAnswer};
use crate::chromium::{Page, RenderCount, World};
use crate::engine::error::{Error, Result};

/// Of the argument of a reading: the count that it begins with.
const RENDER_COUNT_KEY: &str = "renders";

/// Of the argument of a reading: it is about what a person sees.
const VISIBLE_ONLY_KEY: &str = "seen";

/// Begins an answer that rests on an earlier look.
const CACHED_MARK: char = '=';

/// Begins an answer that took a dear look, behind the other mark.
const SLOW_MARK: char = '+';

/// How long a count is waited for: scripts do not keep it, and while a tab waits for
/// a server it does not come.
const RENDER_COUNT_TIMEOUT: Duration = Duration::from_millis(250);

/// An answer of a reading to come.
pub(crate) struct PendingReading {
    answer: PendingAnswer,
    render_count: Option<RenderCount>,
}

/// The count that a reading begins with; none for one that takes no look.
pub(crate) async fn starting_render_count(
    page: &Page,
    world: &World,
    argument: &Value,
) -> Option<RenderCount> {
    if argument[VISIBLE_ONLY_KEY] != Value::Bool(true) || !world.is_render_counted() {
        return None;
    }
    current_render_count(page, world).await
}

/// The count of now. None for one that does not come: whatever is wrong shows with
/// the reading itself.
async fn current_render_count(page: &Page, world: &World) -> Option<RenderCount> {
    timeout(RENDER_COUNT_TIMEOUT, page.render_count(world.session())).await.ok()?.ok().flatten()
}

/// Writes a question of a reading now, that begins with `count`.
pub(crate) fn send_reading(
    world: &World,
    command: &str,
    argument: &mut Value,
    count: Option<RenderCount>,
) -> PendingReading {
    argument[RENDER_COUNT_KEY] =
        count.as_ref().map_or(Value::Null, |count| count.to_string().into());
    PendingReading {
        answer: script_call::send_command(world, command, argument),
        render_count: count,
    }
}

impl PendingReading {
    /// The answer; none when it rests on a look that is not true any more: then it
    /// is to be asked for without a count.
    pub async fn text(self, page: &Page, world: &World) -> Result<Option<String>> {
        let mut text = self.answer.text().await?;
        let rests = text.starts_with(CACHED_MARK);
        let marks = usize::from(rests);
        if text[marks..].starts_with(SLOW_MARK) {
            world.start_counting_renders();
            text.drain(..=marks);
        } else {
            text.drain(..marks);
        }
        if !rests {
            return Ok(Some(text));
        }
        // Not in the flight of the question: the browser counts while scripts run.
        let ended = current_render_count(page, world).await;
        Ok((ended.is_some() && ended == self.render_count).then_some(text))
    }
}

/// Asks a question of a reading, and again where an earlier look misled it.
pub(crate) async fn read_with_cache(
    page: &Page,
    world: &World,
    command: &str,
    argument: &mut Value,
) -> Result<String> {
    let count = starting_render_count(page, world, argument).await;
    match send_reading(world, command, argument, count).text(page, world).await? {
        Some(text) => Ok(text),
        None => {
            let answer = send_reading(world, command, argument, None).text(page, world).await?;
            // Without a count it rests on nothing.
            answer
                .ok_or_else(|| Error::internal("an answer rests on a look that was not asked for"))
        }
    }
}

/// Has the script look at a document that nobody reads yet.
pub(crate) async fn warm_visibility_cache(page: &Page, world: &World) -> Result<()> {
    let mut argument = json!({ VISIBLE_ONLY_KEY: true, prerequisites::SUPPLIED_KEY: true });
    let count = current_render_count(page, world).await;
    send_reading(world, "rehearse", &mut argument, count).text(page, world).await.map(drop)
}
