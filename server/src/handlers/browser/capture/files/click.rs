//! The file that a page sends when one of its elements is clicked.

use std::time::Duration;

use browse_proto::{Reason, Requires};
use tokio::time::Instant;

use super::super::downloads;
use crate::dispatch::{CallContext, egress};
use browse_base::{Error, HINT_KEY, Result};
use browse_engine::{Click, Target};
use browse_sessions::{DownloadRecord, DownloadStatus};

/// Time that the click gets, and then the page to begin a download.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// Time without a byte after which a file is not waited for any longer.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);

/// Clicks `target`, and waits until the file that comes of it is whole. Answers it
/// with what to know of it.
///
/// # Errors
/// It cannot be clicked; no download begins; it breaks off or is refused.
pub async fn click_and_download(
    cx: &CallContext,
    target: &Target,
    click: &Click,
) -> Result<(DownloadRecord, String)> {
    // The browser of a person keeps its files where that person does.
    cx.ensure_own_browser()?;
    let tab = cx.prepare_tab(Requires::Page).await?;
    egress::check_click(cx).await?;
    let session = cx.session()?;
    let all = cx.daemon().sessions().downloads();
    let _awaited = all.expect_download(session.name());
    tab.action_times().begin();
    let begun = Instant::now();
    let limit = cx.deadline().min(begun + START_TIMEOUT);
    let receipt = cx.engine().click(target, click, limit).await?;
    tab.action_times().extend();
    let guids: Vec<String> = receipt.downloads.into_iter().map(|download| download.id).collect();
    let mut numbers = all.ids_of(&guids);
    if numbers.is_empty() {
        let (session, instance) = (session.name(), session.instance());
        let client = tab.owner();
        let first = |records: &[DownloadRecord]| {
            let of = |one: &&DownloadRecord| {
                one.belongs_to(session, instance)
                    && one.client == client.as_str()
                    && one.started_at.is_some_and(|at| at >= begun)
            };
            records.iter().find(of).map(|record| record.id)
        };
        numbers.extend(all.wait_for(limit, first).await);
    }
    // The answer itself tells of them.
    all.take_unreported(|record| numbers.contains(&record.id));
    let Some(number) = numbers.first() else {
        let message = format!("the click on `{target}` began no download");
        let hint = "Look at what it did with `browse snapshot`; raise `--timeout` if the file takes longer";
        return Err(Error::new(Reason::DownloadFailed, message).with(HINT_KEY, hint));
    };
    let note = match numbers.len() {
        1 => String::new(),
        all => format!("the page sends {} more: `browse downloads` lists them", all - 1),
    };
    Ok((wait_until_complete(cx, *number).await?, note))
}

/// Waits for the file `number` as long as bytes come.
async fn wait_until_complete(cx: &CallContext, number: u64) -> Result<DownloadRecord> {
    let all = cx.daemon().sessions().downloads();
    let mut received = None;
    loop {
        let limit = cx.deadline().min(Instant::now() + STALL_TIMEOUT);
        let moved = |records: &[DownloadRecord]| {
            let record = records.iter().find(|record| record.id == number);
            let is_news = |record: &&DownloadRecord| {
                record.status != DownloadStatus::Running || received != Some(record.received)
            };
            match record {
                Some(record) => Some(record).filter(is_news).cloned().map(Some),
                None => Some(None),
            }
        };
        let Some(record) = all.wait_for(limit, moved).await else {
            let message = format!("no more of `@d{number}` comes");
            return Err(Error::new(Reason::DownloadUnfinished, message));
        };
        let gone = || Error::new(Reason::DownloadNotFound, format!("`@d{number}` was removed"));
        let record = record.ok_or_else(gone)?;
        match &record.status {
            DownloadStatus::Running => received = Some(record.received),
            DownloadStatus::Complete => return Ok(record),
            DownloadStatus::Failed(why) | DownloadStatus::Refused(why) => {
                return Err(downloads::download_failed(&record, why));
            }
        }
    }
}
