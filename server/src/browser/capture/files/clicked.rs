//! The file that a page sends when one of its elements is clicked.

use std::time::Duration;

use browse_proto::{Reach, Reason};
use tokio::time::Instant;

use super::super::downloads;
use crate::{
    dispatch::Context,
    egress,
    engine::{Click, Target},
    error::{Error, HINT, Result},
    sessions::{DownloadRecord, DownloadStatus},
};

/// Time that the click gets, and then the page to begin a download.
const BEGINNING: Duration = Duration::from_secs(30);

/// Time without a byte after which a file is not waited for any longer.
const STALL: Duration = Duration::from_secs(30);

/// Clicks `target`, and waits until the file that comes of it is whole. Answers it
/// with what to know of it.
///
/// # Errors
/// It cannot be clicked; no download begins; it breaks off or is refused.
pub async fn file(
    cx: &Context,
    target: &Target,
    click: &Click,
) -> Result<(DownloadRecord, String)> {
    let tab = cx.enter(Reach::Page).await?;
    egress::check_click(cx).await?;
    let session = cx.session()?;
    let all = cx.daemon().sessions().downloads();
    let _awaited = all.awaits(session.name());
    tab.acted().begin();
    let begun = Instant::now();
    let limit = cx.deadline().min(begun + BEGINNING);
    let receipt = cx.engine().click(target, click, limit).await?;
    tab.acted().go_on();
    let guids: Vec<String> = receipt.downloads.into_iter().map(|download| download.id).collect();
    let mut numbers = all.numbers(&guids);
    if numbers.is_empty() {
        let (session, instance) = (session.name(), session.instance());
        let client = tab.owner();
        let first = |records: &[DownloadRecord]| {
            let of = |one: &&DownloadRecord| {
                one.is_of(session, instance)
                    && one.client == client.as_str()
                    && one.begun.is_some_and(|at| at >= begun)
            };
            records.iter().find(of).map(|record| record.id)
        };
        numbers.extend(all.until(limit, first).await);
    }
    // The answer itself tells of them.
    all.untold(|record| numbers.contains(&record.id));
    let Some(number) = numbers.first() else {
        let message = format!("the click on `{target}` began no download");
        let hint = "Look at what it did with `browse snapshot`; raise `--timeout` if the file takes longer";
        return Err(Error::new(Reason::DownloadFailed, message).with(HINT, hint));
    };
    let note = match numbers.len() {
        1 => String::new(),
        all => format!("the page sends {} more: `browse downloads` lists them", all - 1),
    };
    Ok((whole(cx, *number).await?, note))
}

/// Waits for the file `number` as long as bytes come.
async fn whole(cx: &Context, number: u64) -> Result<DownloadRecord> {
    let all = cx.daemon().sessions().downloads();
    let mut received = None;
    loop {
        let limit = cx.deadline().min(Instant::now() + STALL);
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
        let Some(record) = all.until(limit, moved).await else {
            let message = format!("no more of `@d{number}` comes");
            return Err(Error::new(Reason::DownloadUnfinished, message));
        };
        let gone = || Error::new(Reason::DownloadNotFound, format!("`@d{number}` was removed"));
        let record = record.ok_or_else(gone)?;
        match &record.status {
            DownloadStatus::Running => received = Some(record.received),
            DownloadStatus::Complete => return Ok(record),
            DownloadStatus::Failed(why) | DownloadStatus::Refused(why) => {
                return Err(downloads::failed(&record, why));
            }
        }
    }
}
