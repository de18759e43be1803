//! Closed shadow roots, which no script can reach by itself.
//!
//! The script names suspects; deep serialization shows which of them hold a
//! closed root; each root is resolved in our world and handed to the script,
//! which keeps it by its host. A host is asked about once.

use serde::Deserialize;
use serde_json::json;

use super::deep::{self, Evaluated};
use super::engine::Engine;
use crate::chromium::{Argument, Call, World};
use crate::engine::error::{Error, Result};

const GROUP: &str = "closed-roots";

#[derive(Deserialize)]
struct Hosts {
    #[serde(default)]
    value: Vec<Host>,
}

#[derive(Deserialize)]
struct Host {
    #[serde(default)]
    value: HostValue,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct HostValue {
    shadow_root: Option<Root>,
}

#[derive(Deserialize)]
struct Root {
    value: RootValue,
    #[serde(default, rename = "backendNodeId")]
    backend_node_id: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RootValue {
    #[serde(default)]
    mode: String,
    #[serde(default)]
    backend_node_id: Option<i64>,
}

#[derive(Deserialize)]
struct Resolved {
    object: ResolvedObject,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResolvedObject {
    object_id: String,
}

impl Engine {
    /// Looks into the suspects of the latest walk. Answers how many closed
    /// roots the script knows now that it did not know before.
    pub(crate) async fn adopt_closed_roots(&self, world: &World) -> Result<usize> {
        let suspects = "browseEngine.takeSuspects()";
        let params = deep::params(world, suspects, GROUP, 1, deep::nodes());
        let call: Call<Evaluated<Hosts>> = world.call_method("Runtime.evaluate", &params);
        let suspects = call.await?.result;
        let Some(array) = suspects.object_id else { return Ok(0) };
        let hosts = suspects.deep_serialized_value.map(|hosts| hosts.value).unwrap_or_default();
        let resolving: Vec<_> = hosts.iter().map(|host| resolve(world, host)).collect();
        let mut arguments = vec![Argument::from(serde_json::Value::Null)];
        let mut found = 0;
        let count = resolving.len();
        for call in resolving {
            let root = match call {
                Some(call) => call.await.ok().map(|resolved| resolved.object.object_id),
                None => None,
            };
            found += usize::from(root.is_some());
            arguments.push(root.map_or(Argument::from(serde_json::Value::Null), Argument::Object));
        }
        if count > 0 {
            let adopt = "function (_, ...roots) { browseEngine.adopt(this, roots); }";
            world
                .call_on::<serde_json::Value>(&array, adopt, &arguments)
                .await
                .map_err(Error::from)?;
        }
        world.release(GROUP);
        Ok(found)
    }
}

/// The closed root of a host as an object of our world; written at once.
fn resolve(world: &World, host: &Host) -> Option<Call<Resolved>> {
    let root = host.value.shadow_root.as_ref()?;
    if root.value.mode != "closed" {
        return None;
    }
    let node = root.value.backend_node_id.or(root.backend_node_id)?;
    let params = json!({ "backendNodeId": node, "executionContextId": world.context(), "objectGroup": GROUP });
    Some(world.call_method("DOM.resolveNode", &params))
}
