//! Elements that listen for clicks. No script can see the listeners that another
//! one added; the browser lists them, and handlers such as `onclick` as well.
//!
//! A framework that listens at the root of the page alone adds none to the element
//! that is meant: such elements stay unknown.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde_json::{Value, json};

use super::engine::Engine;
use crate::error::{Error, Result};
use browse_chromium::{CdpCall, FrameId, LoaderId, ScriptArgument, World};

/// Events that a click consists of.
const CLICK_EVENTS: [&str; 6] =
    ["click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick"];

/// Elements that the script is notified of with one snapshot: each takes 0.1 ms, once.
const MAX_REPORTED_ELEMENTS: usize = 300;

/// The remote objects of this file; they live as long as their document.
const OBJECT_GROUP: &str = "listeners";

/// What is known of the documents of a tab, by frame.
#[derive(Default)]
pub(crate) struct ClickListeners(HashMap<FrameId, DocumentListeners>);

struct DocumentListeners {
    loader: LoaderId,
    /// The document in the page's own world, whose listeners are asked for. Asked
    /// for in ours, with those of all worlds, Chromium mixes up the objects of the
    /// worlds, and its renderer crashes soon after.
    page_document: String,
    /// The same document in our world.
    document: String,
    /// Elements that the script knows, by their number in the browser.
    reported: HashSet<i64>,
}

#[derive(Deserialize)]
pub(super) struct ListenerList {
    listeners: Vec<DomListener>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DomListener {
    #[serde(rename = "type")]
    event: String,
    #[serde(default)]
    backend_node_id: Option<i64>,
}

#[derive(Deserialize)]
struct ResolvedListener {
    object: ResolvedListenerNode,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResolvedListenerNode {
    object_id: String,
}

impl Engine {
    /// Asks the browser for the listeners of a document now; none where it cannot
    /// be asked.
    pub(super) async fn request_listeners(&self, world: &World) -> Option<CdpCall<ListenerList>> {
        let known = {
            let listening = self.state().click_listeners.lock();
            let known = listening.0.get(world.frame());
            known
                .filter(|known| known.loader == *world.loader())
                .map(|known| known.page_document.clone())
        };
        let document = match known {
            Some(document) => document,
            None => self.register_document(world).await?,
        };
        // Into no frame and no shadow tree.
        let params = json!({ "objectId": document, "depth": -1 });
        Some(world.session().call_method("DOMDebugger.getEventListeners", &params))
    }

    /// Looks up a document for the first time, and answers its object in the
    /// page's own world.
    async fn register_document(&self, world: &World) -> Option<String> {
        let ours = world.call_handle("() => document", &[], OBJECT_GROUP);
        let pages = self.page().document_object(world.frame(), OBJECT_GROUP).ok()?;
        let document = ours.await.ok()??;
        let page_document = pages.await.ok()??;
        let known = DocumentListeners {
            loader: world.loader().clone(),
            page_document: page_document.clone(),
            document,
            reported: HashSet::new(),
        };
        self.state().click_listeners.lock().0.insert(world.frame().clone(), known);
        Some(page_document)
    }

    /// Tells the script of elements that it does not know to listen. Returns how
    /// many there are.
    pub(super) async fn report_listeners(
        &self,
        world: &World,
        listed: CdpCall<ListenerList>,
    ) -> Result<usize> {
        let Ok(listed) = listed.await else {
            // The document was replaced: the next snapshot begins anew.
            self.state().click_listeners.lock().0.remove(world.frame());
            return Ok(0);
        };
        let Some((document, new)) = self.unreported_elements(world, &listed) else { return Ok(0) };
        let resolving: Vec<CdpCall<ResolvedListener>> =
            new.into_iter().map(|number| resolve_element(world, number)).collect();
        let mut elements = Vec::with_capacity(resolving.len());
        for call in resolving {
            // One that left meanwhile is not missed.
            if let Ok(resolved) = call.await {
                elements.push(ScriptArgument::Object(resolved.object.object_id));
            }
        }
        let learn = "function (...elements) { browseEngine.listen(elements); }";
        world.call_on::<Value>(&document, learn, &elements).await.map_err(Error::from)?;
        Ok(elements.len())
    }

    /// The document, and the elements in it that listen for clicks and are new;
    /// none where there are none.
    fn unreported_elements(
        &self,
        world: &World,
        listed: &ListenerList,
    ) -> Option<(String, Vec<i64>)> {
        let mut listening = self.state().click_listeners.lock();
        let known = listening.0.get_mut(world.frame())?;
        let clicks =
            listed.listeners.iter().filter(|one| CLICK_EVENTS.contains(&one.event.as_str()));
        let mut new: Vec<i64> = clicks.filter_map(|one| one.backend_node_id).collect();
        new.dedup();
        new.retain(|number| !known.reported.contains(number));
        // What opens is mostly appended: of many, the first and the last ones now.
        if new.len() > MAX_REPORTED_ELEMENTS {
            new.drain(MAX_REPORTED_ELEMENTS / 2..new.len() - MAX_REPORTED_ELEMENTS / 2);
        }
        known.reported.extend(&new);
        (!new.is_empty()).then(|| (known.document.clone(), new))
    }
}

/// An element as an object of our world; written at once.
fn resolve_element(world: &World, number: i64) -> CdpCall<ResolvedListener> {
    let params = json!({
        "backendNodeId": number,
        "executionContextId": world.context(),
        "objectGroup": OBJECT_GROUP,
    });
    world.call_method("DOM.resolveNode", &params)
}
