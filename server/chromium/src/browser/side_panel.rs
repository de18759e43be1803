//! An extension of ours in a browser that a person sees, and its side panel.
//!
//! Chromium opens a side panel only for a page that a person has just touched.
//! So the panel's own document is opened in a tab for a moment, which the
//! protocol may treat as touched, and asks for the panel from there.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};

use super::browser::Browser;
use crate::connection::call::CdpCall;
use crate::connection::session::CdpSession;
use crate::error::{Error, Result};
use crate::ids::{SessionId, TargetId};

/// Addresses of extensions; what they show is not a tab of a session.
pub(super) const EXTENSION_SCHEME: &str = "chrome-extension:";

/// Document of the panel.
const PANEL_DOCUMENT: &str = "panel.html";

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

/// Whether the panel's own script has run.
const PANEL_READY_SCRIPT: &str = "document.readyState === 'complete'";

/// A side panel; it may be closed by the person, and opened again.
pub struct SidePanel {
    browser: Arc<Browser>,
    panel_url: String,
    session: Option<CdpSession>,
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
struct GetTargetsResult {
    target_infos: Vec<ListedTarget>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedTarget {
    target_id: TargetId,
    url: String,
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
    /// in front.
    ///
    /// # Errors
    /// The browser takes no extensions, or opens no panel within `delay`.
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
        let address = format!("{EXTENSION_SCHEME}//{id}/{PANEL_DOCUMENT}");
        let made: CdpCall<OpenerTargetResult> = connection.call_method(
            None,
            "Target.createTarget",
            &json!({ "url": address, "background": true }),
        );
        let opener = made.await?.target_id;
        let mut panel = SidePanel { browser: Arc::clone(self), panel_url: address, session: None };
        let outcome = panel.open(&opener).await;
        let closing = json!({ "targetId": opener });
        let closed: CdpCall<IgnoredAny> =
            connection.call_method(None, "Target.closeTarget", &closing);
        closed.await?;
        outcome.map(|()| panel)
    }
}

impl SidePanel {
    async fn open(&mut self, opener: &TargetId) -> Result<()> {
        let tab = self.attach(opener).await?;
        while evaluate(&tab, OPEN_PANEL_SCRIPT).await? != "open" {
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
        loop {
            if let Some(target) = self.find_panel_target(Some(opener)).await? {
                let session = self.attach(&target).await?;
                while evaluate(&session, PANEL_READY_SCRIPT).await? != true {
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
                self.session = Some(session);
                return Ok(());
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }

    /// Evaluates an expression in the panel. `None` when the person has closed
    /// it.
    ///
    /// # Errors
    /// The browser is gone; the expression fails.
    pub async fn evaluate<T: DeserializeOwned>(&mut self, expression: &str) -> Result<Option<T>> {
        if let Some(session) = &self.session {
            match evaluate(session, expression).await {
                Ok(value) => return decode_value(value).map(Some),
                Err(error @ Error::BrowserGone { .. }) => return Err(error),
                // It was closed; maybe another one was opened.
                Err(_) => self.session = None,
            }
        }
        let Some(target) = self.find_panel_target(None).await? else { return Ok(None) };
        let session = self.attach(&target).await?;
        let value = evaluate(&session, expression).await?;
        self.session = Some(session);
        decode_value(value).map(Some)
    }

    /// The panel's target, which is not `but`.
    async fn find_panel_target(&self, but: Option<&TargetId>) -> Result<Option<TargetId>> {
        let connection = self.browser.connection();
        let all: CdpCall<GetTargetsResult> =
            connection.call_method(None, "Target.getTargets", &json!({}));
        let mut all = all.await?.target_infos.into_iter();
        let found = all.find(|one| one.url == self.panel_url && Some(&one.target_id) != but);
        Ok(found.map(|one| one.target_id))
    }

    async fn attach(&self, target: &TargetId) -> Result<CdpSession> {
        let connection = self.browser.connection();
        let params = json!({ "targetId": target, "flatten": true });
        let attached: CdpCall<AttachToTargetResult> =
            connection.call_method(None, "Target.attachToTarget", &params);
        Ok(CdpSession::new(connection.clone(), attached.await?.session_id))
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

fn decode_value<T: DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|error| side_panel_error(&error.to_string()))
}

fn side_panel_error(problem: &str) -> Error {
    Error::Protocol { method: "sidePanel.open".to_owned(), message: problem.to_owned() }
}
