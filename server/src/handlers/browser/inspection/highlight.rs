//! Frames an element for the person who sees the tab.

use std::time::Duration;

use browse_proto::{Reason, v1};

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::{Flavour, HighlightArea, HighlightOutcome};
use browse_engine::Target;

/// Time that a frame stays.
const DURATION: Duration = Duration::from_secs(3);

/// Draws a frame around an element, or takes it away.
pub async fn highlight(
    cx: &CallContext,
    request: v1::HighlightRequest,
) -> Result<v1::HighlightResponse> {
    let page = cx.page();
    if request.clear {
        page.clear_highlight().await;
        return Ok(v1::HighlightResponse { outcome: "cleared".to_owned(), element: String::new() });
    }
    let Some(target) = &request.target else {
        let message = "neither an element nor `--clear` is given";
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "highlight"));
    };
    let target: Target = target.parse()?;
    let engine = cx.engine();
    let target = Target::from_ref(engine.resolve(&target).await?);
    let described = engine.describe(&target).await?;
    let element = format!("{target} {}", described.label()).trim().to_owned();
    let outcome = match is_seen(cx)? {
        true => {
            let bounds = engine.bounds(&target).await?;
            let (x, y, width, height) = (bounds.x, bounds.y, bounds.width, bounds.height);
            match page.highlight(HighlightArea { x, y, width, height }, DURATION).await? {
                HighlightOutcome::Drawn => "drawn",
                HighlightOutcome::OutOfSight => "out-of-sight",
                HighlightOutcome::Watched => "watched",
            }
        }
        false => "hidden",
    };
    Ok(v1::HighlightResponse { outcome: outcome.to_owned(), element })
}

/// Whether the session is in a window of ours.
fn is_seen(cx: &CallContext) -> Result<bool> {
    let session = cx.session()?;
    let context = session.context().filter(|_| !session.is_attached());
    Ok(context.is_some_and(|context| context.browser().info().flavour == Flavour::Headed))
}
