//! Closed shadow roots, which no script can reach by itself.
//!
//! The script names suspects; deep serialization shows which of them hold a
//! closed root; each root is resolved in our world and handed to the script,
//! which keeps it by its host. A host is asked about once.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Deserialize;
use serde_json::json;

use super::deep_serialization::{self, EvaluateResult};
use super::engine::Engine;
use crate::error::{Error, Result};
use browse_chromium::{CdpCall, ScriptArgument, World};

/// Groups of objects so far. Frames of one process are asked at the same time, and a
/// group ends for all of them.
static LAST_GROUP_ID: AtomicU64 = AtomicU64::new(0);

#[derive(Deserialize)]
struct SerializedHosts {
    #[serde(default)]
    value: Vec<SerializedHost>,
}

#[derive(Deserialize)]
struct SerializedHost {
    #[serde(default)]
    value: SerializedHostValue,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SerializedHostValue {
    shadow_root: Option<SerializedRoot>,
}

#[derive(Deserialize)]
struct SerializedRoot {
    value: SerializedRootValue,
    #[serde(default, rename = "backendNodeId")]
    backend_node_id: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SerializedRootValue {
    #[serde(default)]
    mode: String,
    #[serde(default)]
    backend_node_id: Option<i64>,
}

#[derive(Deserialize)]
struct ResolvedRoot {
    object: ResolvedRootObject,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResolvedRootObject {
    object_id: String,
}

impl Engine {
    /// Looks into the suspects of the latest walk. Answers how many closed
    /// roots the script knows now that it did not know before.
    pub(crate) async fn adopt_closed_roots(&self, world: &World) -> Result<usize> {
        let group = format!("closed-roots-{}", LAST_GROUP_ID.fetch_add(1, Ordering::Relaxed));
        let answer = adopt_in_group(world, "browseEngine.takeSuspects()", &group).await;
        world.release(&group);
        answer
    }
}

/// Answers how many closed roots the script knows now and did not know before.
async fn adopt_in_group(world: &World, suspects: &str, group: &str) -> Result<usize> {
    let params = deep_serialization::evaluate_params(
        world,
        suspects,
        group,
        1,
        deep_serialization::node_options(),
    );
    let call: CdpCall<EvaluateResult<SerializedHosts>> =
        world.call_method("Runtime.evaluate", &params);
    let suspects = call.await?.result;
    let Some(array) = suspects.object_id else { return Ok(0) };
    let hosts = suspects.deep_serialized_value.map(|hosts| hosts.value).unwrap_or_default();
    let resolving: Vec<_> = hosts.iter().map(|host| resolve_root(world, host, group)).collect();
    let mut arguments = vec![ScriptArgument::from(serde_json::Value::Null)];
    let mut found = 0;
    for call in resolving {
        let root = match call {
            Some(call) => call.await.ok().map(|resolved| resolved.object.object_id),
            None => None,
        };
        found += usize::from(root.is_some());
        arguments.push(
            root.map_or(ScriptArgument::from(serde_json::Value::Null), ScriptArgument::Object),
        );
    }
    if !hosts.is_empty() {
        let adopt = "function (_, ...roots) { browseEngine.adopt(this, roots); }";
        world.call_on::<serde_json::Value>(&array, adopt, &arguments).await.map_err(Error::from)?;
    }
    Ok(found)
}

/// The closed root of a host as an object of our world; written at once.
fn resolve_root(
    world: &World,
    host: &SerializedHost,
    group: &str,
) -> Option<CdpCall<ResolvedRoot>> {
    let root = host.value.shadow_root.as_ref()?;
    if root.value.mode != "closed" {
        return None;
    }
    let node = root.value.backend_node_id.or(root.backend_node_id)?;
    let params = json!({ "backendNodeId": node, "executionContextId": world.context(), "objectGroup": group });
    Some(world.call_method("DOM.resolveNode", &params))
}
