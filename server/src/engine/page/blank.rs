//! Frames that show nothing.

use serde::Deserialize;

use super::deep::{self, Evaluated};
use super::script::{BLANK, SCRIPT};
use crate::chromium::{Frame, Page, Result};

/// Where the body is kept until it was looked at.
const GROUP: &str = "blank";

/// The body, or what is none.
#[derive(Deserialize)]
struct Body {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    value: serde_json::Value,
}

/// Whether a frame has nothing that shows, of one that was not read before.
///
/// # Errors
/// Those of the browser, for a document that was left, for example.
pub(super) async fn is_blank(page: &Page, frame: &Frame) -> Result<bool> {
    // What Chromium says instead of a document is no part of the page.
    if frame.url.starts_with("chrome-error:") {
        return Ok(true);
    }
    let world = page.world(&frame.id, &SCRIPT).await?;
    if world.has_engine() {
        return Ok(false);
    }
    // Without the engine, which is to be spared.
    let params = deep::params(&world, BLANK, GROUP, 0, deep::nodes());
    let call = world.session().call_method::<Evaluated<Body>>("Runtime.evaluate", &params);
    let answer = call.await?;
    world.release(GROUP);
    let body = answer.result.deep_serialized_value.filter(|body| body.kind == "node");
    Ok(body.is_some_and(|body| body.value.get("shadowRoot").is_none_or(|root| root.is_null())))
}
