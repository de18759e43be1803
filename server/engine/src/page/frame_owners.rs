//! Which frame lies in which element.
//!
//! A script numbers the elements that hold frames. The frame id of a number
//! comes from deep serialization of their windows, in the flight of the call
//! that met them; it is asked once.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::json;

use super::deep_serialization::{self, EvaluateResult};
use super::engine::Engine;
use super::ref_table::DocumentKey;
use crate::error::{Error, Result};
use browse_chromium::{CdpCall, FrameId, World};

/// Documents kept; a tab seldom has more frames.
const MAX_DOCUMENTS: usize = 256;

/// Frame ids by document and number of the element.
#[derive(Debug, Default)]
pub(crate) struct FrameOwners(HashMap<DocumentKey, HashMap<u32, FrameId>>);

impl FrameOwners {
    /// The frame in an element.
    pub fn frame(&self, document: &DocumentKey, number: u32) -> Option<&FrameId> {
        self.0.get(document)?.get(&number)
    }

    /// The element that holds a frame now: the latest that did.
    pub fn element(&self, document: &DocumentKey, frame: &FrameId) -> Option<u32> {
        let known = self.0.get(document)?;
        known.iter().filter(|(_, known)| *known == frame).map(|(number, _)| *number).max()
    }

    fn insert(&mut self, document: DocumentKey, pairs: Vec<(u32, FrameId)>) {
        if self.0.len() >= MAX_DOCUMENTS && !self.0.contains_key(&document) {
            self.0.clear();
        }
        self.0.entry(document).or_default().extend(pairs);
    }
}

/// Windows, each behind the number of its element.
#[derive(Deserialize)]
struct OwnerList {
    #[serde(default)]
    value: Vec<OwnerItem>,
}

#[derive(Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "lowercase")]
enum OwnerItem {
    Number(u32),
    Window {
        context: String,
    },
    #[serde(other)]
    Other,
}

/// Asks for the frames that the document's engine has not reported yet.
pub(crate) fn request_frame_owners(world: &World, expression: &str) -> CdpCall<serde_json::Value> {
    request_windows(world, &format!("browseEngine.{expression}()"))
}

/// Asks for a list of windows, each behind a number.
pub(crate) fn request_windows(world: &World, expression: &str) -> CdpCall<serde_json::Value> {
    let params = deep_serialization::evaluate_params(world, expression, "owners", 1, json!({}));
    world.call_method("Runtime.evaluate", &params)
}

/// The frames of the windows that [`request_windows`] asked for, each behind its number.
pub(crate) fn frames_of_windows(answer: serde_json::Value) -> Result<Vec<(u32, FrameId)>> {
    let answer: EvaluateResult<OwnerList> =
        serde_json::from_value(answer).map_err(Error::internal)?;
    let items = answer.result.deep_serialized_value.map(|list| list.value).unwrap_or_default();
    let mut pairs = Vec::new();
    let mut number = None;
    for item in items {
        match (item, number) {
            (OwnerItem::Number(found), _) => number = Some(found),
            (OwnerItem::Window { context }, Some(found)) => {
                pairs.push((found, FrameId::from(context)))
            }
            _ => number = None,
        }
    }
    Ok(pairs)
}

impl Engine {
    /// Takes the answer of [`ask`] over.
    pub(crate) async fn record_frame_owners(
        &self,
        world: &World,
        call: CdpCall<serde_json::Value>,
    ) -> Result<()> {
        let pairs = frames_of_windows(call.await?)?;
        if !pairs.is_empty() {
            world.release("owners");
            self.state().frame_owners.lock().insert(Engine::document_of(world), pairs);
        }
        Ok(())
    }

    /// The frame that the element with a number holds, as `ownerNumber` of the script gave it.
    pub(crate) async fn frame_of_owner(
        &self,
        world: &World,
        owner: u32,
    ) -> Result<Option<FrameId>> {
        let document = Self::document_of(world);
        let known = || self.state().frame_owners.lock().frame(&document, owner).cloned();
        if let Some(frame) = known() {
            return Ok(Some(frame));
        }
        self.record_frame_owners(world, request_frame_owners(world, "findOwners")).await?;
        Ok(known())
    }
}
