//! File choosers that a page opens.

use serde::Deserialize;

use crate::ids::FrameId;

/// A file chooser that a page opened.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileChooser {
    /// The frame of its input.
    pub frame_id: FrameId,
    /// The input; none when a script asked for files without one.
    #[serde(default)]
    pub backend_node_id: Option<i64>,
    /// `selectSingle` or `selectMultiple`.
    #[serde(default)]
    pub mode: String,
}
