//! The parameters of the events that pages are made of.
//!
//! Our own structs with only the fields we use: the generated ones have closed
//! enums and require fields that newer Chromiums no longer send.

use serde::Deserialize;

use crate::ids::{FrameId, LoaderId};
use crate::url_credentials;

/// A frame as `Page.getFrameTree` and `Page.frameNavigated` describe it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireFrame {
    pub id: FrameId,
    #[serde(default)]
    pub parent_id: Option<FrameId>,
    pub loader_id: LoaderId,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "url_credentials::deserialize_url")]
    pub url: String,
    #[serde(default)]
    pub url_fragment: Option<String>,
    #[serde(default, deserialize_with = "url_credentials::deserialize_optional_url")]
    pub unreachable_url: Option<String>,
}

impl WireFrame {
    /// The URL with its fragment.
    pub(crate) fn full_url(&self) -> String {
        format!("{}{}", self.url, self.url_fragment.as_deref().unwrap_or_default())
    }
}

/// `Page.getFrameTree`'s answer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetFrameTree {
    pub frame_tree: WireFrameTree,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireFrameTree {
    pub frame: WireFrame,
    #[serde(default)]
    pub child_frames: Vec<WireFrameTree>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameAttached {
    pub frame_id: FrameId,
    pub parent_frame_id: FrameId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameDetached {
    pub frame_id: FrameId,
    #[serde(default)]
    pub reason: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct FrameNavigated {
    pub frame: WireFrame,
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NavigatedWithinDocument {
    pub frame_id: FrameId,
    #[serde(deserialize_with = "url_credentials::deserialize_url")]
    pub url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameStartedNavigating {
    pub frame_id: FrameId,
    #[serde(deserialize_with = "url_credentials::deserialize_url")]
    pub url: String,
    pub loader_id: LoaderId,
    #[serde(default)]
    pub navigation_type: String,
}

/// `Page.frameRequestedNavigation`: the page asks for it, before anything else
/// is known of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameRequestedNavigation {
    pub frame_id: FrameId,
    #[serde(deserialize_with = "url_credentials::deserialize_url")]
    pub url: String,
    #[serde(default)]
    pub disposition: String,
    /// `anchorClick`, `formSubmissionGet`, `scriptInitiated` and so on.
    #[serde(default)]
    pub reason: String,
}

/// `Page.windowOpen`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WindowOpen {
    #[serde(deserialize_with = "url_credentials::deserialize_url")]
    pub url: String,
    #[serde(default)]
    pub user_gesture: bool,
}

/// `Page.frameStartedLoading`, `Page.frameStoppedLoading`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameIdEvent {
    pub frame_id: FrameId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LifecycleEvent {
    pub frame_id: FrameId,
    pub loader_id: LoaderId,
    pub name: String,
}

#[derive(Deserialize)]
pub(crate) struct ContextCreated {
    pub context: WireContext,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireContext {
    pub id: i64,
    #[serde(default)]
    pub unique_id: Option<String>,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub aux_data: Option<AuxData>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuxData {
    #[serde(default)]
    pub is_default: bool,
    #[serde(default)]
    pub frame_id: Option<FrameId>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContextDestroyed {
    pub execution_context_id: i64,
}
