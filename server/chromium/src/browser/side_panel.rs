//! An extension of ours in a browser that a person sees, and its side panel.
//!
//! Chromium opens a side panel only for a page that a person has just touched.
//! So another document of the extension is opened in a tab for a moment, which the
//! protocol may treat as touched, and asks for the panel from there.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::browser::Browser;
use super::panel_documents::{PanelDocument, PanelWatch};
use crate::connection::call::CdpCall;
use crate::connection::session::CdpSession;
use crate::error::{Error, Result};
use crate::ids::{SessionId, TargetId};

/// Addresses of extensions; what they show is not a tab of a session.
pub(super) const EXTENSION_SCHEME: &str = "chrome-extension:";

/// Document of the panel, in the folder of the extension.
pub const PANEL_DOCUMENT: &str = "index.html";

/// Document that asks for the panel. It is empty.
pub const PANEL_OPENER: &str = "opener.html";

/// Time between two tries.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// What the document in the tab asks for. `later` until Chromium has given it
/// the functions of an extension.
const OPEN_PANEL_SCRIPT: &str = "(async () => {
  if (document.readyState !== 'complete' || !globalThis.chrome?.sidePanel) return 'later';
  const { id } = await chrome.windows.getCurrent();
  await chrome.sidePanel.open({ windowId: id });
  return 'open';
})()";

/// A side panel. The person may close it and open it again, in each window of the browser.
pub struct SidePanel {
    browser: Arc<Browser>,
    documents: mpsc::UnboundedReceiver<PanelDocument>,
    /// The first document, until it is taken.
    first: Option<PanelDocument>,
}

#[derive(Deserialize)]
struct LoadUnpackedResult {
    id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenerTargetResult {
    target_id: TargetId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AttachToTargetResult {
    session_id: SessionId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PanelEvaluateResult {
    result: EvaluatedObject,
    exception_details: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct EvaluatedObject {
    #[serde(default)]
    value: Value,
    #[serde(default)]
    description: String,
}

impl Browser {
    /// Loads the extension in `folder` and opens its side panel beside the tab
    /// in front. The folder has [`PANEL_DOCUMENT`] and [`PANEL_OPENER`]. A browser has one
    /// panel.
    ///
    /// # Errors
    /// The browser takes no extensions, or opens no panel within `max_wait`.
    pub async fn open_side_panel(
        self: &Arc<Self>,
        folder: &Path,
        max_wait: Duration,
    ) -> Result<SidePanel> {
        let opened = tokio::time::timeout(max_wait, self.start_side_panel(folder)).await;
        opened.unwrap_or_else(|_| Err(side_panel_error("it did not open in time")))
    }

    async fn start_side_panel(self: &Arc<Self>, folder: &Path) -> Result<SidePanel> {
        let connection = self.connection();
        let loaded: CdpCall<LoadUnpackedResult> =
            connection.call_method(None, "Extensions.loadUnpacked", &json!({ "path": folder }));
        let id = loaded.await?.id;
        let address = |document: &str| format!("{EXTENSION_SCHEME}//{id}/{document}");
        let (sender, documents) = mpsc::unbounded_channel();
        *self.registry().panel.lock() = Some(PanelWatch::new(address(PANEL_DOCUMENT), sender));
        let mut panel = SidePanel { browser: Arc::clone(self), documents, first: None };
        let made: CdpCall<OpenerTargetResult> = connection.call_method(
            None,
            "Target.createTarget",
            &json!({ "url": address(PANEL_OPENER), "background": true }),
        );
        let opener = made.await?.target_id;
        let outcome = panel.open(&opener).await;
        let closing = json!({ "targetId": opener });
        let closed: CdpCall<IgnoredAny> =
            connection.call_method(None, "Target.closeTarget", &closing);
        closed.await?;
        outcome.map(|()| panel)
    }
}

impl SidePanel {
    /// The next document of the panel: the first, and each one when the person opened it
    /// again. `None` when the browser has ended.
    pub async fn next_document(&mut self) -> Option<PanelDocument> {
        match self.first.take() {
            Some(first) => Some(first),
            None => self.documents.recv().await,
        }
    }

    async fn open(&mut self, opener: &TargetId) -> Result<()> {
        let tab = self.attach(opener).await?;
        while evaluate(&tab, OPEN_PANEL_SCRIPT).await? != "open" {
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
        self.first = self.documents.recv().await;
        match self.first {
            Some(_) => Ok(()),
            None => Err(side_panel_error("the browser has ended")),
        }
    }

    async fn attach(&self, target: &TargetId) -> Result<CdpSession> {
        let connection = self.browser.connection();
        let params = json!({ "targetId": target, "flatten": true });
        let attached: CdpCall<AttachToTargetResult> =
            connection.call_method(None, "Target.attachToTarget", &params);
        Ok(CdpSession::new(connection.clone(), attached.await?.session_id))
    }
}

impl Drop for SidePanel {
    fn drop(&mut self) {
        *self.browser.registry().panel.lock() = None;
    }
}

async fn evaluate(session: &CdpSession, expression: &str) -> Result<Value> {
    let params = json!({
        "expression": expression,
        "awaitPromise": true,
        "returnByValue": true,
        "userGesture": true,
    });
    let evaluated: CdpCall<PanelEvaluateResult> = session.call_method("Runtime.evaluate", &params);
    let PanelEvaluateResult { result, exception_details } = evaluated.await?;
    match exception_details {
        None => Ok(result.value),
        Some(_) => Err(side_panel_error(&result.description)),
    }
}

fn side_panel_error(problem: &str) -> Error {
    Error::Protocol { method: "sidePanel.open".to_owned(), message: problem.to_owned() }
}
