//! Which documents a tab may load, and those that it was refused.

use serde::de::IgnoredAny;
use serde_json::json;

use super::event::Event;
use super::page::Page;
use crate::connection::params::NoParams;
use crate::guard::document::{DeniedDocument, DocumentRequester, check_url};
use crate::url_credentials::strip_credentials;

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
    pub fn is_refused(&self, url: &str) -> bool {
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
    /// its headers revealed it.
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
        let url = strip_credentials(&denied.url).into_owned();
        let denied = DeniedDocument { url, ..denied };
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
