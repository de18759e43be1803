//! Closed shadow trees in which children of their host stand.
//!
//! Nothing about such a host tells of its tree: the children are laid out like
//! those of any element, and what the tree does to them hides them as well as
//! anything. Where the browser finds slots at all, every element that may have a
//! shadow tree is asked whether it has a closed one, once.

use std::time::{Duration, Instant};

use super::{closed_shadow_roots, script_call};
use crate::chromium::{Page, World};
use crate::engine::error::Result;

/// Times that elements are asked, some hundred at a time: those of the trees that
/// are found have their turn, too.
const MAX_SLOT_ROUNDS: usize = 12;

/// Time for all of them: a page of many frames asks for as long as one.
const SLOT_SEARCH_TIMEOUT: Duration = Duration::from_secs(1);

/// Has the script know them. Until then, and when something goes wrong, its readings
/// say that not all was looked at.
pub(super) async fn discover(page: &Page, world: &World) {
    match find_slotted_roots(page, world).await {
        Ok(Some(more)) => script_call::notify(world, &format!("browseEngine.learnSlots({more})")),
        Ok(None) => tracing::debug!(frame = %world.frame(), "too busy to look for slots"),
        Err(error) => {
            tracing::debug!(frame = %world.frame(), %error, "slots could not be looked for");
        }
    }
}

/// Has readings say that there are more closed trees than were looked at.
pub(super) fn notify_incomplete(world: &World) {
    script_call::notify(world, "browseEngine.learnSlots(true)");
}

/// Answers whether there are more than were asked; none where that cannot be told.
async fn find_slotted_roots(page: &Page, world: &World) -> Result<Option<bool>> {
    match page.may_have_slots(world.session()).await? {
        Some(true) => {}
        Some(false) => return Ok(Some(false)),
        None => return Ok(None),
    }
    let until = Instant::now() + SLOT_SEARCH_TIMEOUT;
    for _ in 0..MAX_SLOT_ROUNDS {
        if Instant::now() > until {
            break;
        }
        if closed_shadow_roots::adopt(world, "takeHosts").await?.asked == 0 {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}
