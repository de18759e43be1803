//! What the guard does with a document request.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::guard::document::{
    DeniedDocument, DocumentRequester, RequestPaused, abort_request, check_url, continue_request,
};
use crate::ids::FrameId;
use crate::page::event::DocumentRequest;
use crate::page::page::Page;
use crate::page::routes::PausedRequestReply;
use crate::page::shared::BrowserShared;

use super::registry::Registry;

/// `Fetch.authRequired`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuthRequired {
    request_id: String,
    auth_challenge: AuthChallenge,
}

#[derive(Deserialize)]
struct AuthChallenge {
    #[serde(default)]
    source: String,
    #[serde(default)]
    origin: String,
}

impl Registry {
    /// `Fetch.requestPaused`: decides, answers, and remembers a refusal with
    /// the tab, so that its caller hears the reason.
    pub(crate) fn on_document_requested(&self, mut paused: RequestPaused) {
        paused.headers = self.shared.emulations.plain_headers(&paused.request.headers);
        if self.is_refused_window(&paused.frame_id) {
            return abort_request(&self.shared.connection, &paused);
        }
        let page = self.page_of_frame(&paused.frame_id);
        let url = &paused.request.url;
        let decision = match &page {
            Some(page) => match self.shared.policies.get(page.context_id()) {
                Some(restriction) if restriction.proxy.credentials().probe_url() == *url => Ok(()),
                Some(restriction) => {
                    check_url(url, &DocumentRequester::Restricted(&restriction.rules.get()))
                }
                None => check_url(
                    url,
                    &DocumentRequester::Unrestricted { files: &page.allowed_files.lock() },
                ),
            },
            None if self.shared.policies.has_any() => check_url(url, &DocumentRequester::Unknown),
            None => check_url(url, &DocumentRequester::Unrestricted { files: &[] }),
        };
        match (decision, page) {
            (Ok(()), Some(page)) => self.check_document(page, paused),
            (Ok(()), None) => continue_request(&self.shared.connection, &paused),
            (Err(reason), page) => refuse_document(&self.shared, page.as_deref(), &paused, reason),
        }
    }

    /// Has a document that may be loaded looked at, off this task; one that passes
    /// meets the routes of its tab. A look that fails lets nothing pass.
    fn check_document(&self, page: Arc<Page>, paused: RequestPaused) {
        let asked = DocumentRequest {
            context: page.context_id(),
            is_main: paused.frame_id.as_str() == page.target_id().as_str(),
            url: &paused.request.url,
            body: &paused.request.post_data,
        };
        let shared = Arc::clone(&self.shared);
        let pass = |shared: &BrowserShared, page: &Arc<Page>, paused: RequestPaused| {
            page.apply_route(
                PausedRequestReply { connection: shared.connection.clone(), session: None },
                paused,
            );
        };
        let Some(verdict) = shared.sink.check_document(&asked) else {
            return pass(&shared, &page, paused);
        };
        tokio::spawn(async move {
            let failed = |_| Err("it could not be looked at".to_owned());
            match tokio::spawn(verdict).await.unwrap_or_else(failed) {
                Ok(()) => pass(&shared, &page, paused),
                Err(reason) => refuse_document(&shared, Some(&page), &paused, reason),
            }
        });
    }

    /// `Fetch.authRequired`: only our own proxies get an answer of ours. Everything
    /// else the browser settles as it would without us.
    pub(crate) fn on_auth_required(&self, asked: &AuthRequired) {
        let challenge = &asked.auth_challenge;
        let proxy =
            (challenge.source == "Proxy").then(|| self.shared.policies.proxy(&challenge.origin));
        let response = match proxy.flatten() {
            Some(proxy) => json!({
                "response": "ProvideCredentials",
                "username": proxy.credentials().user(),
                "password": proxy.credentials().password(),
            }),
            None => json!({ "response": "Default" }),
        };
        let params = json!({ "requestId": asked.request_id, "authChallengeResponse": response });
        let method = "Fetch.continueWithAuth";
        self.shared.connection.call_method::<IgnoredAny>(None, method, &params).ignore();
    }

    /// The tab a frame belongs to.
    pub(crate) fn page_of_frame(&self, frame: &FrameId) -> Option<Arc<Page>> {
        let pages = self.all_pages();
        let main = pages.iter().find(|page| page.target_id().as_str() == frame.as_str());
        let found = main
            .or_else(|| pages.iter().find(|page| page.state.lock().frames.get(frame).is_some()));
        found.cloned()
    }
}

/// Refuses a document, and remembers it with its tab.
fn refuse_document(
    shared: &BrowserShared,
    page: Option<&Page>,
    paused: &RequestPaused,
    reason: String,
) {
    let url = &paused.request.url;
    let host = url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    tracing::info!(?host, %reason, "a document was refused");
    if let Some(page) = page {
        let is_main = paused.frame_id.as_str() == page.target_id().as_str();
        page.record_denied(
            DeniedDocument { url: url.clone(), reason, was_answered: false },
            is_main,
        );
    }
    abort_request(&shared.connection, paused);
}
