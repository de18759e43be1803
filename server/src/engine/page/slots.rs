//! Closed shadow trees in which children of their host stand.
//!
//! Nothing about such a host tells of its tree: the children are laid out like
//! those of any element, and what the tree does to them hides them as well as
//! anything. The browser is asked for the slots of a document, once.

use std::time::Duration;

use serde::de::IgnoredAny;
use tokio::time::timeout;

use crate::chromium::{Argument, Page, World};

const GROUP: &str = "slots";

/// Time that the browser gets to look for them.
const PATIENCE: Duration = Duration::from_secs(1);

/// Hands the script the slots of its document. What goes wrong is tried again with
/// the next reading.
pub(super) async fn adopt(page: &Page, world: &World) {
    let slots = timeout(PATIENCE, page.slots(world, GROUP)).await;
    let Ok(Ok(slots)) = slots else {
        tracing::debug!(frame = %world.frame(), ?slots, "slots could not be looked for");
        world.release(GROUP);
        return;
    };
    let learn = "(hasMore, ...slots) => { browseEngine.learnSlots(hasMore, slots); }";
    let objects = slots.objects.into_iter().map(Argument::Object);
    let arguments: Vec<_> = [Argument::from(slots.has_more)].into_iter().chain(objects).collect();
    if let Err(error) = world.call::<IgnoredAny>(learn, &arguments).await {
        tracing::debug!(frame = %world.frame(), %error, "slots could not be handed over");
    }
    world.release(GROUP);
}
