//! Files that a page points to: one, or all media of the page.

mod blob;
mod click;
mod data_url;
mod file_names;
mod media;
mod part_stream;
mod source;
mod transfer;
mod web;

use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use browse_proto::{Reason, v1};
use futures::{Stream, future};

use super::downloads;
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::HiddenPage;
use browse_engine::{Click, Target};
use browse_sessions::DownloadRecord;
use part_stream::FilePartSender;
pub(super) use part_stream::stream_parts;
use source::{DownloadSource, FileSource};

/// Files that are fetched at the same time.
const MAX_CONCURRENT_FILES: usize = 4;

/// Files that one call saves at most.
const MAX_FILES: usize = 2000;

/// Fetches one file with the cookies of the tab.
pub async fn download(
    cx: Arc<CallContext>,
    request: v1::DownloadRequest,
) -> Result<impl Stream<Item = Result<v1::FilePart>> + Send + 'static> {
    let kept = downloads::find_download(&cx, request.source.trim())?;
    let source = match &kept {
        Some(_) => None,
        None => Some(source::find_source(&cx, &request.source).await?),
    };
    Ok(stream_parts(move |pipe| async move {
        let clicked = match (kept, source) {
            (Some(record), _) => (record, String::new()),
            (None, Some(DownloadSource::File(source))) => {
                let helper = open_helper_page(&cx).await?;
                return transfer::transfer(&cx, &helper, 0, &source, &pipe).await;
            }
            (None, Some(DownloadSource::ClickTarget(target))) => {
                click::click_and_download(&cx, &target, &Click::default()).await?
            }
            (None, None) => return Ok(()),
        };
        send_kept_file(&cx, clicked, &pipe).await
    }))
}

/// Clicks an element, and sends the file that comes of it.
pub fn save_clicked(
    cx: Arc<CallContext>,
    target: Target,
    click: Click,
) -> impl Stream<Item = Result<v1::FilePart>> + Send + 'static {
    stream_parts(move |pipe| async move {
        let clicked = click::click_and_download(&cx, &target, &click).await?;
        send_kept_file(&cx, clicked, &pipe).await
    })
}

/// Sends a file that is kept.
async fn send_kept_file(
    cx: &CallContext,
    (record, note): (DownloadRecord, String),
    pipe: &FilePartSender,
) -> Result<()> {
    transfer::transfer_kept(0, &record, note, pipe).await?;
    cx.daemon().sessions().downloads().mark_saved(record.id);
    Ok(())
}

/// Fetches the media of the page.
pub async fn scrape(
    cx: Arc<CallContext>,
    request: v1::ScrapeRequest,
) -> Result<impl Stream<Item = Result<v1::FilePart>> + Send + 'static> {
    if request.limit == Some(0) {
        let message = "`--limit` is at least 1";
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "scrape"));
    }
    let most = request.limit.map_or(MAX_FILES, |limit| (limit as usize).min(MAX_FILES));
    let found = media::find_media(&cx, request.kind(), request.selector.as_deref(), most).await?;
    let known: HashSet<String> = request.known.into_iter().collect();
    Ok(stream_parts(move |pipe| async move { send_all(cx, found, known, pipe).await }))
}

async fn send_all(
    cx: Arc<CallContext>,
    found: Vec<FileSource>,
    known: HashSet<String>,
    pipe: FilePartSender,
) -> Result<()> {
    let files = u32::try_from(found.len()).unwrap_or(u32::MAX);
    pipe.send(v1::FilePart { files: Some(files), ..Default::default() }).await?;
    let mut left = VecDeque::new();
    for (number, source) in (0..).zip(found) {
        let url = source.key();
        if known.contains(&url) {
            let tail = v1::FileTail { known: true, url, ..Default::default() };
            pipe.send(v1::FilePart { file: number, tail: Some(tail), ..Default::default() })
                .await?;
        } else {
            left.push_back((number, source));
        }
    }
    let workers = left.len().min(MAX_CONCURRENT_FILES);
    let left = Mutex::new(left);
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let work = (0..workers).map(|_| async {
        let mut tab = open_helper_page(&cx).await?;
        while let Some((number, source)) = next() {
            if let Err(error) = transfer::transfer(&cx, &tab, number, &source, &pipe).await {
                if is_fatal(error.reason()) {
                    return Err(error);
                }
                pipe.send(failure_part(number, &source, &error)).await?;
                // What it left behind must not be taken for the next file.
                tab = open_helper_page(&cx).await?;
            }
        }
        Ok(())
    });
    future::try_join_all(work).await.map(drop)
}

/// Whether no other file can come either.
fn is_fatal(reason: Reason) -> bool {
    matches!(reason, Reason::BrowserGone | Reason::TabNotFound | Reason::ShuttingDown)
}

fn failure_part(number: u32, source: &FileSource, error: &Error) -> v1::FilePart {
    let tail = v1::FileTail {
        url: source.key(),
        reason: error.reason().name().to_owned(),
        message: error.to_string(),
        ..Default::default()
    };
    v1::FilePart { file: number, tail: Some(tail), ..Default::default() }
}

/// A tab that fetches for the tab of the call.
async fn open_helper_page(cx: &CallContext) -> Result<HiddenPage> {
    let browser = cx.browser().await?;
    Ok(browser.hidden_page(cx.page().context_id()).await?)
}
