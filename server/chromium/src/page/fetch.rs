//! A resource as a stream, fetched by a tab as if it went there.
//!
//! The tab asks for it like for a document, so cookies, proxies, certificates
//! and the guard of documents hold; the answer is taken away at its headers,
//! so that no document comes of it. Nothing is held in memory but the piece
//! that is being read.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, watch};

use super::page::Page;
use super::print::ByteStream;
use crate::capture::downloads::{Download, DownloadState};
use crate::connection::call::CdpCall;
use crate::connection::params::NoParams;
use crate::error::{Error, Result};
use crate::launch::info::Flavour;
use crate::url_credentials::strip_credentials;

/// Requests that wait to be looked at; a tab makes one at a time.
const MAX_PAUSED_REQUESTS: usize = 16;

/// `Fetch.requestPaused`, of a tab that fetches.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PausedFetch {
    request_id: String,
    request: PausedFetchRequest,
    #[serde(default)]
    response_status_code: Option<u16>,
    #[serde(default)]
    response_error_reason: Option<String>,
    #[serde(default)]
    response_headers: Vec<FetchHeader>,
}

#[derive(Debug, Deserialize)]
struct PausedFetchRequest {
    url: String,
    #[serde(default)]
    headers: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
struct FetchHeader {
    name: String,
    value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FetchNavigateResult {
    #[serde(default)]
    error_text: Option<String>,
}

#[derive(Deserialize)]
struct TakeBodyResult {
    stream: String,
}

/// Where a fetch stands.
#[derive(Debug)]
pub enum FetchStep {
    /// A request is about to leave for this address: the first one, or one
    /// that a redirect makes.
    Request(String),
    /// It was answered.
    Response(FetchResponseHead),
}

/// The head of an answer.
#[derive(Debug)]
pub struct FetchResponseHead {
    /// HTTP status.
    pub status: u16,
    /// Where it came from in the end.
    pub url: String,
    headers: Vec<FetchHeader>,
}

impl FetchResponseHead {
    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        header.map(|header| header.value.as_str())
    }
}

/// A fetch under way; given up when it is dropped.
pub struct TabFetch<'a> {
    page: &'a Page,
    url: String,
    navigation: CdpCall<FetchNavigateResult>,
    paused: mpsc::Receiver<PausedFetch>,
    paused_request: Option<PausedFetch>,
    /// The headers of the answer, as they go on to Chromium.
    response_headers: Vec<Value>,
}

/// A body on its way into a file, which goes when it is dropped.
pub struct BodyDownload<'a> {
    page: &'a Page,
    states: watch::Receiver<Option<Download>>,
}

impl Page {
    /// Begins to fetch `url`. The tab is used up for it until the visit is
    /// dropped, so it is a hidden one.
    pub fn start_fetch<'a>(&'a self, url: &str, referrer: Option<&str>) -> Result<TabFetch<'a>> {
        self.state.lock().begin_navigation()?;
        let (sender, paused) = mpsc::channel(MAX_PAUSED_REQUESTS);
        *self.paused_fetches.lock() = Some(sender);
        let stages = ["Request", "Response"];
        let patterns = stages.map(|stage| json!({ "urlPattern": "*", "requestStage": stage }));
        let enable = json!({ "patterns": patterns });
        self.session().call_method::<IgnoredAny>("Fetch.enable", &enable).ignore();
        let mut params = json!({ "url": url });
        if let Some(referrer) = referrer {
            params["referrer"] = json!(referrer);
        }
        let navigation = self.session().call_method("Page.navigate", &params);
        Ok(TabFetch {
            page: self,
            url: url.to_owned(),
            navigation,
            paused,
            paused_request: None,
            response_headers: Vec::new(),
        })
    }

    /// Ends a download of this tab, and removes what came of it to `path`. Does
    /// not wait for either.
    pub fn cancel_download(&self, id: &str, path: &Path) {
        // A browser that is seen has one context, which has no name.
        let params = match self.shared.flavour {
            Flavour::Headed => json!({ "guid": id }),
            _ => json!({ "guid": id, "browserContextId": self.context_id() }),
        };
        let connection = &self.shared.connection;
        let method = "Browser.cancelDownload";
        connection.call_method::<IgnoredAny>(None, method, &params).ignore();
        // It may be under either name; the folder goes with the browser.
        let _ = std::fs::remove_file(path.with_extension("crdownload"));
        let _ = std::fs::remove_file(path);
    }

    /// A request of this tab is paused.
    pub(crate) fn on_fetch_paused(&self, paused: PausedFetch) {
        let id = paused.request_id.clone();
        let taken =
            self.paused_fetches.lock().as_ref().is_some_and(|to| to.try_send(paused).is_ok());
        if !taken {
            let params = json!({ "requestId": id, "errorReason": "Aborted" });
            self.session().call_method::<IgnoredAny>("Fetch.failRequest", &params).ignore();
        }
    }
}

impl TabFetch<'_> {
    /// Waits for the next request or for the answer.
    ///
    /// # Errors
    /// `HostDenied` when the guard refuses, `NavigationFailed` when no answer
    /// comes.
    pub async fn next(&mut self) -> Result<FetchStep> {
        loop {
            let paused = tokio::select! {
                biased;
                Some(paused) = self.paused.recv() => paused,
                outcome = &mut self.navigation => return Err(self.fetch_error(outcome?.error_text)),
            };
            let Some(status) = paused.response_status_code else {
                if paused.response_error_reason.is_some() {
                    self.send_continue(&paused, None);
                    continue;
                }
                let url = paused.request.url.clone();
                self.paused_request = Some(paused);
                return Ok(FetchStep::Request(url));
            };
            let redirects = (300..400).contains(&status)
                && paused.response_headers.iter().any(|h| h.name.eq_ignore_ascii_case("location"));
            if redirects {
                self.send_continue(&paused, None);
                continue;
            }
            let mut answer =
                FetchResponseHead { status, url: paused.request.url.clone(), headers: Vec::new() };
            let mut paused = paused;
            answer.headers = std::mem::take(&mut paused.response_headers);
            let others = answer.headers.iter();
            let others = others.filter(|h| !h.name.eq_ignore_ascii_case("content-disposition"));
            self.response_headers =
                others.map(|h| json!({ "name": h.name, "value": h.value })).collect();
            self.paused_request = Some(paused);
            return Ok(FetchStep::Response(answer));
        }
    }

    /// Lets the request go that [`Visit::next`] answered. It asks for a file:
    /// servers that have a page about it send the page to who wants HTML.
    pub fn continue_request(&mut self) {
        if let Some(paused) = self.paused_request.take() {
            let kept = paused.request.headers.iter();
            let ours = |name: &str| {
                ["accept", "accept-encoding"].iter().any(|own| name.eq_ignore_ascii_case(own))
            };
            let kept = kept.filter(|(name, _)| !ours(name));
            let headers: Vec<_> = kept
                .map(|(name, value)| json!({ "name": name, "value": value }))
                .chain([
                    json!({ "name": "Accept", "value": "*/*" }),
                    // A packed body has no size that could be checked.
                    json!({ "name": "Accept-Encoding", "value": "identity" }),
                ])
                .collect();
            self.send_continue(&paused, Some(json!(headers)));
        }
    }

    /// The body of the answer.
    pub async fn body(&self) -> Result<ByteStream> {
        let id = self.paused_request.as_ref().map(|paused| &paused.request_id);
        let params = json!({ "requestId": id });
        let taken: CdpCall<TakeBodyResult> =
            self.page.session().call_method("Fetch.takeResponseBodyAsStream", &params);
        Ok(ByteStream::new(self.page.session().clone(), taken.await?.stream))
    }

    /// Lets Chromium keep the body in a file, where its size is not known: only
    /// then a body that broke off can be distinguished from a whole one.
    pub fn download_body(&mut self) -> BodyDownload<'_> {
        let (sender, states) = watch::channel(None);
        *self.page.body_download.lock() = Some(sender);
        if let Some(paused) = self.paused_request.take() {
            let mut headers = vec![json!({ "name": "Content-Disposition", "value": "attachment" })];
            headers.append(&mut self.response_headers);
            let params = json!({
                "requestId": paused.request_id,
                "responseCode": 200,
                "responseHeaders": headers,
            });
            let method = "Fetch.continueResponse";
            self.page.session().call_method::<IgnoredAny>(method, &params).ignore();
        }
        BodyDownload { page: self.page, states }
    }

    fn send_continue(&self, paused: &PausedFetch, headers: Option<Value>) {
        let mut params = json!({ "requestId": paused.request_id });
        if let Some(headers) = headers {
            params["headers"] = headers;
        }
        self.page.session().call_method::<IgnoredAny>("Fetch.continueRequest", &params).ignore();
    }

    fn fetch_error(&self, text: Option<String>) -> Error {
        match self.page.last_denied() {
            Some(denied) => Error::HostDenied { url: denied.url, reason: denied.reason },
            None => Error::NavigationFailed {
                url: strip_credentials(&self.url).into_owned(),
                error_text: text.unwrap_or_else(|| "ERR_EMPTY_RESPONSE".to_owned()),
            },
        }
    }
}

impl BodyDownload<'_> {
    /// The file, once it is whole; `None` when nothing more came for `stall`.
    pub async fn wait_file(&mut self, stall: Duration) -> Option<PathBuf> {
        let mut received = 0;
        loop {
            let moved = |state: &Option<Download>| {
                let state = state.as_ref();
                let is_over = |s: &Download| {
                    matches!(s.state, DownloadState::Completed | DownloadState::Canceled)
                };
                state.is_some_and(|s| is_over(s) || s.received > received)
            };
            let state = tokio::time::timeout(stall, self.states.wait_for(moved)).await;
            let state = state.ok()?.ok()?.clone()?;
            match state.state {
                DownloadState::Started | DownloadState::Progress => received = state.received,
                DownloadState::Completed => return Some(state.path),
                DownloadState::Canceled => return None,
            }
        }
    }
}

impl Drop for BodyDownload<'_> {
    fn drop(&mut self) {
        *self.page.body_download.lock() = None;
        let last =
            self.states.borrow().as_ref().map(|state| (state.id.clone(), state.path.clone()));
        if let Some((id, path)) = last {
            self.page.cancel_download(&id, &path);
        }
    }
}

impl Drop for TabFetch<'_> {
    fn drop(&mut self) {
        *self.page.paused_fetches.lock() = None;
        let session = self.page.session();
        if let Some(paused) = self.paused_request.take() {
            let params = json!({ "requestId": paused.request_id, "errorReason": "Aborted" });
            session.call_method::<IgnoredAny>("Fetch.failRequest", &params).ignore();
        }
        session.call_method::<IgnoredAny>("Page.stopLoading", &NoParams).ignore();
    }
}
