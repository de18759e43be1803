//! Files for file inputs.

use std::path::PathBuf;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::connection::call::CdpCall;
use crate::connection::session::CdpSession;
use crate::error::Result;
use crate::page::file_chooser::FileChooser;
use crate::page::page::Page;
use crate::world::world::World;

#[derive(Deserialize)]
struct ResolveNodeResult {
    object: ResolvedNodeObject,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResolvedNodeObject {
    object_id: String,
}

impl World {
    /// Gives files to the file input that `object` is.
    pub fn set_files(&self, object: &str, files: &[PathBuf]) -> CdpCall<IgnoredAny> {
        let params = json!({ "objectId": object, "files": files });
        self.call_method("DOM.setFileInputFiles", &params)
    }

    /// A node of this world's document as an object, in the group `targets`.
    pub async fn resolve_node(&self, backend_node_id: i64) -> Result<String> {
        let params = json!({
            "backendNodeId": backend_node_id,
            "executionContextId": self.context(),
            "objectGroup": "targets",
        });
        let resolved: ResolveNodeResult = self.call_method("DOM.resolveNode", &params).await?;
        Ok(resolved.object.object_id)
    }
}

impl Page {
    /// Whether file choosers come to us instead of to a person, in every
    /// frame. Written at once.
    pub fn intercept_file_choosers(&self, enabled: bool) -> Vec<CdpCall<IgnoredAny>> {
        self.state.lock().file_chooser = None;
        let mut sessions: Vec<CdpSession> = Vec::new();
        for frame in self.frames() {
            if !sessions.contains(&frame.session) {
                sessions.push(frame.session);
            }
        }
        let method = "Page.setInterceptFileChooserDialog";
        let params = json!({ "enabled": enabled });
        sessions.iter().map(|session| session.call_method(method, &params)).collect()
    }

    /// The file chooser that the page opened and that nobody has taken.
    pub fn open_file_chooser(&self) -> Option<FileChooser> {
        self.state.lock().file_chooser.clone()
    }

    /// Forgets the file chooser that the page opened.
    pub fn take_file_chooser(&self) -> Option<FileChooser> {
        self.state.lock().file_chooser.take()
    }

    /// Waits until the page opens a file chooser.
    pub async fn wait_file_chooser(&self) -> Result<FileChooser> {
        self.wait_until(|state| state.file_chooser.clone()).await
    }
}
