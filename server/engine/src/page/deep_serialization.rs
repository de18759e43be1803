//! Deep serialization of what an expression comes to: nodes with their shadow
//! trees, closed ones too, and windows with the ids of their frames, of which
//! JSON has nothing. Source: `Runtime.SerializationOptions` of the protocol.

use serde::Deserialize;
use serde_json::{Value, json};

use browse_chromium::World;

/// An answer, with `T` for what is serialized.
#[derive(Deserialize)]
pub(super) struct EvaluateResult<T> {
    pub result: RemoteValue<T>,
}

/// An object, as far as it was asked for.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound = "T: Deserialize<'de>")]
pub(super) struct RemoteValue<T> {
    #[serde(default)]
    pub object_id: Option<String>,
    #[serde(default)]
    pub deep_serialized_value: Option<T>,
}

/// What shows of nodes.
pub(super) fn node_options() -> Value {
    json!({ "maxNodeDepth": 0, "includeShadowTree": "all" })
}

/// Parameters of `Runtime.evaluate` for `expression` in `world`. Its objects live
/// in `group`; `depth` counts lists within lists.
pub(super) fn evaluate_params(
    world: &World,
    expression: &str,
    group: &str,
    depth: u32,
    more: Value,
) -> Value {
    let (key, context) = world.context_parameter();
    json!({
        "expression": expression,
        (key): context,
        "objectGroup": group,
        "serializationOptions": {
            "serialization": "deep",
            "maxDepth": depth,
            "additionalParameters": more,
        },
    })
}
