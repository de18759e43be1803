//! Frames that show nothing.

use serde::Deserialize;

use super::deep_serialization::{self, EvaluateResult};
use super::script::{BLANK_CHECK_SCRIPT, ENGINE_SCRIPT};
use browse_chromium::{Frame, Page, Result};

/// Where the body is kept until it was looked at.
const OBJECT_GROUP: &str = "blank";

/// The body, or what is none.
#[derive(Deserialize)]
struct SerializedBody {
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
    // What Chromium says instead of a document is not part of the page.
    if frame.url.starts_with("chrome-error:") {
        return Ok(true);
    }
    let world = page.world(&frame.id, &ENGINE_SCRIPT).await?;
    if world.has_injected_script() {
        return Ok(false);
    }
    // Without the engine, which is to be spared.
    let params = deep_serialization::evaluate_params(
        &world,
        BLANK_CHECK_SCRIPT,
        OBJECT_GROUP,
        0,
        deep_serialization::node_options(),
    );
    let call =
        world.session().call_method::<EvaluateResult<SerializedBody>>("Runtime.evaluate", &params);
    let answer = call.await?;
    world.release(OBJECT_GROUP);
    let body = answer.result.deep_serialized_value.filter(|body| body.kind == "node");
    Ok(body.is_some_and(|body| body.value.get("shadowRoot").is_none_or(|root| root.is_null())))
}
