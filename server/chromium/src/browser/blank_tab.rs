//! A tab that nobody sees and that touches no network: every document in it
//! is blank, whatever its address. It is how the storage of an origin is read
//! and written while no page of that origin is open.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use url::Url;

use super::browser::Browser;
use super::hidden_page::HiddenPage;
use crate::connection::call::CdpCall;
use crate::connection::session::CdpSession;
use crate::error::{Error, Result};
use crate::guard::document::{DocumentRequester, check_url};
use crate::ids::BrowserContextId;
use crate::page::navigate::Navigated;
use crate::page::state::LoadState;
use crate::storage::origin::OriginStorage;

/// `<!doctype html>`, encoded as the protocol wants it.
const EMPTY_DOCUMENT_BASE64: &str = "PCFkb2N0eXBlIGh0bWw+";

/// The tab. It closes when dropped.
pub struct BlankTab {
    browser: Arc<Browser>,
    page: HiddenPage,
}

/// `Fetch.requestPaused` in the tab.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BlankTabRequest {
    request_id: String,
    resource_type: String,
}

impl Browser {
    /// Opens a blank tab in `context`.
    pub async fn blank_tab(self: &Arc<Self>, context: &BrowserContextId) -> Result<BlankTab> {
        let page = self.hidden_page(context).await?;
        let tab = BlankTab { browser: Arc::clone(self), page };
        tab.isolate().await?;
        Ok(tab)
    }
}

impl BlankTab {
    /// Keeps everything that the tab asks for from the network, and service
    /// workers from answering it.
    async fn isolate(&self) -> Result<()> {
        self.browser.registry().set_blank(self.page.target_id(), true);
        let session = self.page.session();
        let worker: CdpCall<IgnoredAny> =
            session.call_method("Network.setBypassServiceWorker", &json!({ "bypass": true }));
        let every = json!({ "patterns": [{ "urlPattern": "*" }] });
        let paused: CdpCall<IgnoredAny> = session.call_method("Fetch.enable", &every);
        worker.await?;
        paused.await.map(drop)
    }

    /// Shows a blank document of `origin`, and answers its storage.
    ///
    /// # Errors
    /// `HostDenied` for origins that the context may not show.
    pub async fn open_origin(&self, origin: &str) -> Result<OriginStorage> {
        let wanted = Url::parse(origin).map(|url| url.origin().ascii_serialization());
        let failed = |error_text: &str| Error::NavigationFailed {
            url: origin.to_owned(),
            error_text: error_text.to_owned(),
        };
        let wanted = wanted.map_err(|_| failed("it is not an origin"))?;
        self.check_origin(&wanted)?;
        if let Navigated::Document(loader) = self.page.navigate(&format!("{wanted}/")).await? {
            self.page.wait_for(&loader, LoadState::DomContentLoaded).await?;
        }
        let frame = self.page.main_frame();
        let shown = Url::parse(&frame.url).map(|url| url.origin().ascii_serialization());
        // A browser that upgrades to https shows another origin.
        if shown.as_ref() != Ok(&wanted) {
            return Err(failed("the browser shows another origin"));
        }
        self.page.storage(&frame.id).await
    }
}

impl BlankTab {
    /// The guard of documents does not see what is answered here.
    fn check_origin(&self, origin: &str) -> Result<()> {
        let policies = &self.page.shared.policies;
        let decision = match policies.get(self.page.context_id()) {
            Some(restriction) => {
                check_url(origin, &DocumentRequester::Restricted(&restriction.rules.get()))
            }
            None => check_url(origin, &DocumentRequester::Unrestricted { files: &[] }),
        };
        decision.map_err(|reason| Error::HostDenied { url: origin.to_owned(), reason })
    }
}

impl Drop for BlankTab {
    fn drop(&mut self) {
        self.browser.registry().set_blank(self.page.target_id(), false);
    }
}

/// Answers a request of a blank tab: documents are empty, all else fails.
pub(crate) fn answer_request(session: &CdpSession, paused: &BlankTabRequest) {
    if paused.resource_type != "Document" {
        let params = json!({ "requestId": paused.request_id, "errorReason": "Aborted" });
        return session.call_method::<IgnoredAny>("Fetch.failRequest", &params).ignore();
    }
    let params = json!({
        "requestId": paused.request_id,
        "responseCode": 200,
        "responseHeaders": [
            { "name": "Content-Type", "value": "text/html; charset=utf-8" },
            { "name": "Content-Security-Policy", "value": "default-src 'none'" },
            { "name": "Cache-Control", "value": "no-store" },
        ],
        "body": EMPTY_DOCUMENT_BASE64,
    });
    session.call_method::<IgnoredAny>("Fetch.fulfillRequest", &params).ignore();
}
