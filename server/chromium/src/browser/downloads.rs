//! Passes on what Chromium reports of downloads.

use std::collections::HashMap;

use serde::Deserialize;

use super::registry::Registry;
use crate::capture::downloads::{Download, DownloadState};
use crate::connection::envelope::RawEvent;
use crate::ids::{BrowserContextId, FrameId};
use crate::page::event::Event;
use crate::page::page::Page;

/// Downloads under way, by id.
#[derive(Default)]
pub(crate) struct OpenDownloads {
    all: HashMap<String, Download>,
    /// The contexts of those that clients of the protocol may hear of.
    contexts: HashMap<String, BrowserContextId>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DownloadWillBegin {
    guid: String,
    #[serde(default)]
    frame_id: Option<FrameId>,
    #[serde(default)]
    #[serde(deserialize_with = "crate::url_credentials::deserialize_url")]
    url: String,
    #[serde(default)]
    suggested_filename: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DownloadProgressEvent {
    guid: String,
    #[serde(default)]
    received_bytes: f64,
    #[serde(default)]
    total_bytes: f64,
    #[serde(default)]
    state: String,
}

impl Registry {
    /// `Browser.downloadWillBegin` and `Browser.downloadProgress`.
    pub(crate) fn on_download_event(&self, event: &RawEvent<'_>) -> Option<()> {
        let mut open = self.open_downloads.lock();
        let report = match event.method {
            "Browser.downloadWillBegin" => {
                let begins: DownloadWillBegin = event.params()?;
                let page = begins.frame_id.and_then(|frame| self.page_of_frame(&frame));
                if let Some(page) = page.as_ref().filter(|page| self.is_reported(page)) {
                    open.contexts.insert(begins.guid.clone(), page.context_id().clone());
                }
                let download = Download {
                    path: self.download_folder.join(&begins.guid),
                    id: begins.guid.clone(),
                    tab: page.map(|page| page.target_id().clone()),
                    url: begins.url,
                    suggested_name: begins.suggested_filename,
                    received: 0,
                    total: None,
                    state: DownloadState::Started,
                };
                open.all.insert(begins.guid, download.clone());
                download
            }
            "Browser.downloadProgress" => {
                let progress: DownloadProgressEvent = event.params()?;
                let state = match progress.state.as_str() {
                    "completed" => DownloadState::Completed,
                    "canceled" => DownloadState::Canceled,
                    _ => DownloadState::Progress,
                };
                let download = open.all.get_mut(&progress.guid)?;
                let received = progress.received_bytes as u64;
                // Most events of a small file say the same.
                let total = Some(progress.total_bytes as u64).filter(|total| *total > 0);
                let is_news = (received, total) != (download.received, download.total);
                if state == DownloadState::Progress && !is_news {
                    return None;
                }
                (download.received, download.total) = (received, total);
                download.state = state;
                match state {
                    DownloadState::Progress => download.clone(),
                    _ => open.all.remove(&progress.guid)?,
                }
            }
            _ => return None,
        };
        let context = match report.state {
            DownloadState::Started | DownloadState::Progress => open.contexts.get(&report.id),
            _ => None,
        };
        let context = context.cloned().or_else(|| open.contexts.remove(&report.id));
        drop(open);
        if let Some(context) = context {
            self.forward_download(&context, event, &report);
        }
        if !self.report_to_fetching_tab(&report) {
            self.shared.sink.event(Event::Download(report));
        }
        Some(())
    }

    /// Whether a tab is not hidden.
    fn is_reported(&self, page: &Page) -> bool {
        !self.maps.lock().is_page_hidden(page)
    }

    /// Reports to the clients of the protocol: before the file is given its place.
    fn forward_download(
        &self,
        context: &BrowserContextId,
        event: &RawEvent<'_>,
        report: &Download,
    ) -> Option<()> {
        if !self.shared.clients.is_empty() {
            let params = event.params()?;
            self.shared.clients.on_download(context, event.method, &params, &report.path);
        }
        Some(())
    }

    /// Reports to the tab that fetches into a file, if it is one.
    fn report_to_fetching_tab(&self, report: &Download) -> bool {
        let all = self.all_pages();
        let page = all.iter().find(|page| Some(page.target_id()) == report.tab.as_ref());
        page.is_some_and(|page| {
            let kept = page.body_download.lock();
            kept.as_ref().is_some_and(|to| {
                to.send_replace(Some(report.clone()));
                true
            })
        })
    }
}
