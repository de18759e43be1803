//! The slots of all shadow trees, closed ones too.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::page::Page;
use crate::chromium::connection::call::Call;
use crate::chromium::connection::params::NoParams;
use crate::chromium::connection::session::Session;
use crate::chromium::error::Result;
use crate::chromium::ids::LoaderId;
use crate::chromium::world::world::World;

/// Slots of one document that are looked at.
const MOST: u32 = 300;

/// Ends the domain when it goes.
struct Enabled(Session);

impl Drop for Enabled {
    fn drop(&mut self) {
        self.0.call_method::<IgnoredAny>("DOM.disable", &NoParams).ignore();
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Search {
    search_id: String,
    result_count: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    node_ids: Vec<i64>,
}

#[derive(Deserialize)]
struct Resolved {
    object: Object,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Object {
    object_id: String,
}

/// A node, as the browser describes it.
#[derive(Deserialize)]
struct Described {
    result: Deep,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Deep {
    deep_serialized_value: Node,
}

#[derive(Deserialize)]
struct Node {
    value: Facts,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Facts {
    /// That of its document.
    loader_id: Option<LoaderId>,
}

/// What was found, as objects of a world.
#[derive(Debug, Default)]
pub struct Slots {
    /// The ids of the objects. Some are no slots: nodes that speak of them.
    pub objects: Vec<String>,
    /// Whether there are more.
    pub has_more: bool,
}

impl Page {
    /// Looks for the slots in the document of `world`, in all its shadow trees;
    /// the objects live in `group`. The browser goes through markup and text for
    /// it, which takes 3 ms in most documents and 15 ms in large ones.
    ///
    /// # Errors
    /// When the document goes away meanwhile.
    pub async fn slots(&self, world: &World, group: &str) -> Result<Slots> {
        self.ensure_answering()?;
        // One at a time: the end of one would disable the other.
        let _turn = self.inspecting.lock().await;
        let enabled = Enabled(world.session().clone());
        let session = &enabled.0;
        session.call_method::<IgnoredAny>("DOM.enable", &NoParams).ignore();
        session.call_method::<IgnoredAny>("DOM.getDocument", &json!({ "depth": 0 })).ignore();
        let query = json!({ "query": "<slot>" });
        let search: Search = session.call_method("DOM.performSearch", &query).await?;
        if search.result_count == 0 {
            return Ok(Slots::default());
        }
        let params = json!({
            "searchId": search.search_id,
            "fromIndex": 0,
            "toIndex": search.result_count.min(MOST),
        });
        let found: Found = session.call_method("DOM.getSearchResults", &params).await?;
        let mut slots = Slots { has_more: search.result_count > MOST, ..Slots::default() };
        let resolve = |node: i64| -> Call<Resolved> {
            let context = world.context();
            let own =
                json!({ "nodeId": node, "executionContextId": context, "objectGroup": group });
            session.call_method("DOM.resolveNode", &own)
        };
        let nodes = ours(world, found.node_ids, group).await;
        let resolving: Vec<_> = nodes.into_iter().map(resolve).collect();
        for resolved in resolving {
            slots.objects.push(resolved.await?.object.object_id);
        }
        Ok(slots)
    }
}

/// The nodes of the world's document, of those that were found in all frames of its
/// process. One that a world of another frame meets first has that frame's
/// prototypes for ever, so each is asked in its own.
async fn ours(world: &World, nodes: Vec<i64>, group: &str) -> Vec<i64> {
    let session = world.session();
    let resolve = |node: &i64| -> Call<Resolved> {
        session.call_method("DOM.resolveNode", &json!({ "nodeId": node, "objectGroup": group }))
    };
    let resolving: Vec<_> = nodes.iter().map(resolve).collect();
    let mut describing = Vec::new();
    for (node, resolved) in nodes.into_iter().zip(resolving) {
        let Ok(Resolved { object }) = resolved.await else { continue };
        let params = json!({
            "objectId": object.object_id,
            "functionDeclaration": "function () { return this; }",
            "objectGroup": group,
            "serializationOptions": {
                "serialization": "deep",
                "additionalParameters": { "maxNodeDepth": 0, "includeShadowTree": "none" },
            },
        });
        let described: Call<Described> = session.call_method("Runtime.callFunctionOn", &params);
        describing.push((node, described));
    }
    let mut ours = Vec::new();
    for (node, described) in describing {
        let loader = described
            .await
            .ok()
            .and_then(|answer| answer.result.deep_serialized_value.value.loader_id);
        if loader.as_ref() == Some(world.loader()) {
            ours.push(node);
        }
    }
    ours
}
