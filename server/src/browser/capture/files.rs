//! Files that a page points to: one, or all media of the page.

mod blob;
mod clicked;
mod data_url;
mod media;
mod names;
mod pipe;
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
use crate::{
    chromium::HiddenPage,
    dispatch::Context,
    engine::{Click, Target},
    error::{Error, Result},
    sessions::DownloadRecord,
};
use pipe::Pipe;
pub(super) use pipe::running;
use source::{Found, Source};

/// Files that are fetched at the same time.
const AT_ONCE: usize = 4;

/// Files that one call saves at most.
const MOST_FILES: usize = 2000;

/// Fetches one file with the cookies of the tab.
pub async fn download(
    cx: Arc<Context>,
    request: v1::DownloadRequest,
) -> Result<impl Stream<Item = Result<v1::FilePart>> + Send + 'static> {
    let kept = downloads::find(&cx, request.source.trim())?;
    let source = match &kept {
        Some(_) => None,
        None => Some(source::find(&cx, &request.source).await?),
    };
    Ok(running(move |pipe| async move {
        let clicked = match (kept, source) {
            (Some(record), _) => (record, String::new()),
            (None, Some(Found::File(source))) => {
                let helper = helper(&cx).await?;
                return transfer::transfer(&cx, &helper, 0, &source, &pipe).await;
            }
            (None, Some(Found::Sender(target))) => {
                clicked::file(&cx, &target, &Click::default()).await?
            }
            (None, None) => return Ok(()),
        };
        kept_file(&cx, clicked, &pipe).await
    }))
}

/// Clicks an element, and sends the file that comes of it.
pub fn save_clicked(
    cx: Arc<Context>,
    target: Target,
    click: Click,
) -> impl Stream<Item = Result<v1::FilePart>> + Send + 'static {
    running(move |pipe| async move {
        let clicked = clicked::file(&cx, &target, &click).await?;
        kept_file(&cx, clicked, &pipe).await
    })
}

/// Sends a file that is kept.
async fn kept_file(
    cx: &Context,
    (record, note): (DownloadRecord, String),
    pipe: &Pipe,
) -> Result<()> {
    transfer::kept(0, &record, note, pipe).await?;
    cx.daemon().sessions().downloads().mark_saved(record.id);
    Ok(())
}

/// Fetches the media of the page.
pub async fn scrape(
    cx: Arc<Context>,
    request: v1::ScrapeRequest,
) -> Result<impl Stream<Item = Result<v1::FilePart>> + Send + 'static> {
    if request.limit == Some(0) {
        let message = "`--limit` is at least 1";
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "scrape"));
    }
    let most = request.limit.map_or(MOST_FILES, |limit| (limit as usize).min(MOST_FILES));
    let found = media::find(&cx, request.kind(), request.selector.as_deref(), most).await?;
    let known: HashSet<String> = request.known.into_iter().collect();
    Ok(running(move |pipe| async move { all(cx, found, known, pipe).await }))
}

async fn all(
    cx: Arc<Context>,
    found: Vec<Source>,
    known: HashSet<String>,
    pipe: Pipe,
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
    let workers = left.len().min(AT_ONCE);
    let left = Mutex::new(left);
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let work = (0..workers).map(|_| async {
        let mut tab = helper(&cx).await?;
        while let Some((number, source)) = next() {
            if let Err(error) = transfer::transfer(&cx, &tab, number, &source, &pipe).await {
                if is_over(error.reason()) {
                    return Err(error);
                }
                pipe.send(failed(number, &source, &error)).await?;
                // What it left behind must not be taken for the next file.
                tab = helper(&cx).await?;
            }
        }
        Ok(())
    });
    future::try_join_all(work).await.map(drop)
}

/// Whether no other file can come either.
fn is_over(reason: Reason) -> bool {
    matches!(reason, Reason::BrowserGone | Reason::TabNotFound | Reason::ShuttingDown)
}

fn failed(number: u32, source: &Source, error: &Error) -> v1::FilePart {
    let tail = v1::FileTail {
        url: source.key(),
        reason: error.reason().name().to_owned(),
        message: error.to_string(),
        ..Default::default()
    };
    v1::FilePart { file: number, tail: Some(tail), ..Default::default() }
}

/// A tab that fetches for the tab of the call.
async fn helper(cx: &Context) -> Result<HiddenPage> {
    let browser = cx.daemon().sessions().slot().browser().await?;
    Ok(browser.hidden_page(cx.page().context_id()).await?)
}
