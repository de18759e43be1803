//! The restricted contexts, and what the guard does with a document request.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::chromium::capture::event::{DocumentRequest, Event};
use crate::chromium::connection::params::NoParams;
use crate::chromium::guard::document::{
    DeniedDocument, DocumentRequester, RequestPaused, abort_request, check_url, continue_request,
};
use crate::chromium::guard::proxy::Proxy;
use crate::chromium::guard::rules::LiveRules;
use crate::chromium::ids::{BrowserContextId, FrameId};
use crate::chromium::page::page::Page;
use crate::chromium::page::routes::PausedRequestReply;
use crate::chromium::sync::Lock;

use super::registry::{BrowserShared, Registry};

/// What holds for one restricted context.
#[derive(Clone)]
pub(crate) struct Restriction {
    pub rules: LiveRules,
    /// Lives exactly as long as the context.
    pub proxy: Arc<Proxy>,
}

/// All restricted contexts.
#[derive(Default)]
pub(crate) struct Policies(Lock<HashMap<BrowserContextId, Restriction>>);

impl Policies {
    pub(crate) fn insert(&self, context: BrowserContextId, restriction: Restriction) {
        self.0.lock().insert(context, restriction);
    }

    pub(crate) fn remove(&self, context: &BrowserContextId) {
        self.0.lock().remove(context);
    }

    pub(crate) fn get(&self, context: &BrowserContextId) -> Option<Restriction> {
        self.0.lock().get(context).cloned()
    }

    /// The proxy at this address.
    fn proxy(&self, url: &str) -> Option<Arc<Proxy>> {
        let restrictions = self.0.lock();
        let mut proxies = restrictions.values().map(|restriction| &restriction.proxy);
        proxies.find(|proxy| proxy.url() == url).map(Arc::clone)
    }

    fn has_any(&self) -> bool {
        !self.0.lock().is_empty()
    }
}

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
    pub(crate) fn on_document_requested(&self, paused: RequestPaused) {
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

impl Page {
    /// Lets this tab load one local file, and reload it. The caller has
    /// checked the path. Has no effect in a restricted context.
    pub fn allow_file(&self, url: &str) {
        let Ok(mut url) = url::Url::parse(url) else {
            return;
        };
        url.set_fragment(None);
        url.set_query(None);
        let mut files = self.allowed_files.lock();
        if url.scheme() == "file" && !files.iter().any(|known| known == url.as_str()) {
            files.push(url.into());
        }
    }

    /// Whether a document of this address would not be loaded.
    pub(crate) fn is_refused(&self, url: &str) -> bool {
        // The guard never hears of the others.
        let asks =
            url.starts_with("http:") || url.starts_with("https:") || url.starts_with("file:");
        let decision = match self.shared.policies.get(self.context_id()) {
            Some(restriction) => {
                check_url(url, &DocumentRequester::Restricted(&restriction.rules.get()))
            }
            None => check_url(
                url,
                &DocumentRequester::Unrestricted { files: &self.allowed_files.lock() },
            ),
        };
        asks && decision.is_err()
    }

    /// Whether the tab may go to some hosts only.
    pub fn is_restricted(&self) -> bool {
        self.shared.policies.get(self.context_id()).is_some()
    }

    /// The last document that was refused since the last navigation of ours
    /// began, in any frame.
    pub fn last_denied(&self) -> Option<DeniedDocument> {
        self.state.lock().last_denied.clone()
    }

    /// Drops a main document that turned out to come from a metadata service:
    /// its name resolved to one. Nothing of it can have been read yet, because
    /// its headers are what told us.
    pub(crate) fn discard_document(&self, url: &str) {
        let reason = "it was answered by a cloud metadata service".to_owned();
        self.record_denied(
            DeniedDocument { url: url.to_owned(), reason, was_answered: true },
            true,
        );
        let session = self.session();
        let (stop, leave) = ("Page.stopLoading", "Page.navigate");
        session.call_method::<IgnoredAny>(stop, &NoParams).ignore();
        session.call_method::<IgnoredAny>(leave, &json!({ "url": "about:blank" })).ignore();
    }

    /// Remembers a refusal and tells of it.
    pub(crate) fn record_denied(&self, denied: DeniedDocument, is_main: bool) {
        {
            let mut state = self.state.lock();
            state.last_denied = Some(denied.clone());
            if is_main {
                state.last_denied_main = Some(denied.clone());
                state.pending_navigation = None;
            }
        }
        self.shared.sink.event(Event::DocumentDenied(self.target_id().clone(), denied));
        self.notify();
    }
}
