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

use super::wants;
use super::wire::{self, Answer};
use crate::chromium::{Page, Renders, World};
use crate::engine::error::{Error, Result};

/// Of the argument of a reading: the count that it begins with.
const RENDERS: &str = "renders";

/// Of the argument of a reading: it is about what a person sees.
const SEEN: &str = "seen";

/// Begins an answer that rests on an earlier look.
const RESTS: char = '=';

/// Begins an answer that took a dear look, behind the other mark.
const DEAR: char = '+';

/// How long a count is waited for: scripts do not keep it, and while a tab waits for
/// a server it does not come.
const PATIENCE: Duration = Duration::from_millis(250);

/// An answer of a reading to come.
pub(crate) struct Judged {
    answer: Answer,
    count: Option<Renders>,
}

/// The count that a reading begins with; none for one that takes no look.
pub(crate) async fn count(page: &Page, world: &World, argument: &Value) -> Option<Renders> {
    if argument[SEEN] != Value::Bool(true) || !world.is_counted() {
        return None;
    }
    counted(page, world).await
}

/// The count of now. None for one that does not come: whatever is wrong shows with
/// the reading itself.
async fn counted(page: &Page, world: &World) -> Option<Renders> {
    timeout(PATIENCE, page.renders(world.session())).await.ok()?.ok().flatten()
}

/// Writes a question of a reading now, that begins with `count`.
pub(crate) fn ask(
    world: &World,
    command: &str,
    argument: &mut Value,
    count: Option<Renders>,
) -> Judged {
    argument[RENDERS] = count.as_ref().map_or(Value::Null, |count| count.to_string().into());
    Judged { answer: wire::ask(world, command, argument), count }
}

impl Judged {
    /// The answer; none when it rests on a look that is not true any more: then it
    /// is to be asked for without a count.
    pub async fn text(self, page: &Page, world: &World) -> Result<Option<String>> {
        let mut text = self.answer.text().await?;
        let rests = text.starts_with(RESTS);
        let marks = usize::from(rests);
        if text[marks..].starts_with(DEAR) {
            world.count_from_now();
            text.drain(..=marks);
        } else {
            text.drain(..marks);
        }
        if !rests {
            return Ok(Some(text));
        }
        // Not in the flight of the question: the browser counts while scripts run.
        let ended = counted(page, world).await;
        Ok((ended.is_some() && ended == self.count).then_some(text))
    }
}

/// Asks a question of a reading, and again where an earlier look misled it.
pub(crate) async fn ask_reading(
    page: &Page,
    world: &World,
    command: &str,
    argument: &mut Value,
) -> Result<String> {
    let count = count(page, world, argument).await;
    match ask(world, command, argument, count).text(page, world).await? {
        Some(text) => Ok(text),
        None => {
            let answer = ask(world, command, argument, None).text(page, world).await?;
            // Without a count it rests on nothing.
            answer
                .ok_or_else(|| Error::internal("an answer rests on a look that was not asked for"))
        }
    }
}

/// Has the script look at a document that nobody reads yet.
pub(crate) async fn look_ahead(page: &Page, world: &World) -> Result<()> {
    let mut argument = json!({ SEEN: true, wants::ASKED: true });
    let count = counted(page, world).await;
    ask(world, "rehearse", &mut argument, count).text(page, world).await.map(drop)
}
