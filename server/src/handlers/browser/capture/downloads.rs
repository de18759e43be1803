//! Files that pages sent: listed, waited for, removed, and reported in receipts.

use std::time::Duration;

use browse_proto::{Reason, v1};
use tokio::time::Instant;

use crate::dispatch::{
    CallContext,
    downloads::{download_filter, download_store},
};
use browse_base::{Error, HINT_KEY, Result};
use browse_content::Sources;
use browse_engine::Fact;
use browse_policy::Listener;
use browse_sessions::{DownloadRecord, DownloadStatus, Session, Tab, is_known_mime_type};

/// How long a receipt waits for files to be whole.
const RECEIPT_TIMEOUT: Duration = Duration::from_secs(2);

/// Files that a receipt says something of.
const MAX_REPORTED_FILES: usize = 8;

/// Time before the deadline at which a wait says how far it came.
const DEADLINE_MARGIN: Duration = Duration::from_millis(300);

/// How long a download is waited for that has not begun, by a caller who names no
/// time of its own.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// How long ago the action may be that begins it.
const ACTION_WINDOW: Duration = Duration::from_secs(60);

/// Lists the files that pages sent.
pub async fn list_downloads(
    cx: &CallContext,
    request: v1::ListDownloadsRequest,
) -> Result<v1::ListDownloadsResponse> {
    let session = cx.session()?;
    if request.wait {
        wait_for_downloads(cx, &session).await?;
    }
    let all = visible_downloads(cx, &session, request.all)?;
    download_store(cx).take_unreported(|record| all.iter().any(|one| one.id == record.id));
    let mut sources = Sources::default();
    for record in &all {
        sources.add_url(record.url.strip_prefix("blob:").unwrap_or(&record.url));
    }
    cx.set_sources(sources);
    Ok(v1::ListDownloadsResponse { downloads: all.iter().map(|one| to_entry(cx, one)).collect() })
}

/// Removes the files that are kept.
pub async fn clear_downloads(
    cx: &CallContext,
    request: v1::ClearDownloadsRequest,
) -> Result<v1::ClearDownloadsResponse> {
    let session = cx.session()?;
    let viewer = download_filter(cx, &session, request.all)?;
    Ok(v1::ClearDownloadsResponse { removed: download_store(cx).clear(&viewer) })
}

/// The kept file that `text` names, as in `@d1`; none when it names something
/// else.
///
/// # Errors
/// `DOWNLOAD_NOT_FOUND`; `DOWNLOAD_FAILED` for one that is not whole.
pub fn find_download(cx: &CallContext, text: &str) -> Result<Option<DownloadRecord>> {
    let number = text.strip_prefix("@d").filter(|rest| !rest.is_empty());
    let Some(number) = number.and_then(|rest| rest.parse::<u64>().ok()) else { return Ok(None) };
    let session = cx.session()?;
    let found =
        visible_downloads(cx, &session, cx.is_root())?.into_iter().find(|one| one.id == number);
    let record = found.ok_or_else(|| {
        let message = format!("there is no file `@d{number}`");
        Error::new(Reason::DownloadNotFound, message)
    })?;
    match &record.status {
        DownloadStatus::Complete => Ok(Some(record)),
        DownloadStatus::Running => {
            let message =
                format!("`@d{number}` is not whole yet, and goes on: {}", progress_text(&record));
            Err(Error::new(Reason::DownloadUnfinished, message))
        }
        DownloadStatus::Failed(why) | DownloadStatus::Refused(why) => {
            Err(download_failed(&record, why))
        }
    }
}

/// The failure of a download that is over.
pub fn download_failed(record: &DownloadRecord, why: &str) -> Error {
    let message = format!("`{}` was not downloaded: {why}", record.reference());
    Error::new(Reason::DownloadFailed, message).with("url", &record.url)
}

/// What a receipt says of the downloads that an action began: waits a little for
/// them to be whole. There may be more than the engine has seen.
pub async fn downloads_for_receipt(
    cx: &CallContext,
    guids: &[String],
    no_wait: bool,
) -> Vec<DownloadRecord> {
    let downloads = download_store(cx);
    if guids.is_empty() && !downloads.has_unreported() {
        return Vec::new();
    }
    let mut numbers = downloads.ids_of(guids);
    downloads.take_unreported(|record| numbers.contains(&record.id));
    let max_wait = if no_wait { Duration::ZERO } else { RECEIPT_TIMEOUT };
    let limit = (cx.deadline() - DEADLINE_MARGIN).min(Instant::now() + max_wait);
    loop {
        let more = unreported_since_action(cx);
        numbers.extend(&more);
        if numbers.is_empty() {
            return Vec::new();
        }
        downloads.wait_until_finished(&numbers, limit).await;
        if more.is_empty() {
            break;
        }
    }
    numbers.iter().filter_map(|number| downloads.find(*number)).collect()
}

/// Downloads that nobody was notified of, and that the tab began since its last action.
fn unreported_since_action(cx: &CallContext) -> Vec<u64> {
    let Some(tab) = cx.tab_if_any().filter(|_| download_store(cx).has_unreported()) else {
        return Vec::new();
    };
    let since = tab.action_times().began_at();
    let found =
        download_store(cx).take_unreported(|one| one.tab == tab.id() && one.started_at >= since);
    found.into_iter().map(|record| record.id).collect()
}

/// Says what became of the file that a server sent in place of a page; leaves
/// other failures as they are.
pub async fn explain_navigation_download(cx: &CallContext, tab: &Tab, error: Error) -> Error {
    if error.reason() != Reason::NavigationDownload {
        return error;
    }
    let since = tab.action_times().began_at();
    let of = |records: &[DownloadRecord]| {
        let is_it = |one: &&DownloadRecord| one.tab == tab.id() && one.started_at >= since;
        records.iter().rfind(is_it).map(|record| record.id)
    };
    let downloads = download_store(cx);
    let limit = (cx.deadline() - DEADLINE_MARGIN).min(Instant::now() + RECEIPT_TIMEOUT);
    let Some(number) = downloads.wait_for(limit, of).await else { return error };
    downloads.wait_until_finished(&[number], limit).await;
    let Some(record) = downloads.find(number) else { return error };
    downloads.take_unreported(|record| record.id == number);
    let what = match &record.status {
        DownloadStatus::Running => {
            format!("it comes in as `@d{number}`: {}", progress_text(&record))
        }
        DownloadStatus::Complete => {
            format!("it is kept as `@d{number}`, {} bytes", record.received)
        }
        DownloadStatus::Failed(why) | DownloadStatus::Refused(why) => why.clone(),
    };
    Error::new(Reason::NavigationDownload, format!("{error}; {what}"))
}

/// Waits until nothing is under way; first for a download to begin when the last
/// action has begun none.
async fn wait_for_downloads(cx: &CallContext, session: &Session) -> Result<()> {
    let downloads = download_store(cx);
    let _awaited = downloads.expect_download(session.name());
    let limit = cx.deadline() - DEADLINE_MARGIN;
    let is_running = |record: &DownloadRecord| record.status == DownloadStatus::Running;
    let acted = session.tabs().iter().filter_map(|tab| tab.action_times().last_action()).max();
    let viewer = download_filter(cx, session, false)?;
    let concerns = |record: &DownloadRecord| {
        let is_new = record.started_at.zip(acted).is_some_and(|(begun, acted)| begun >= acted);
        viewer.matches(record) && (is_new || is_running(record))
    };
    let mut numbers: Vec<u64> =
        downloads.list_for(&viewer).iter().filter(|one| concerns(one)).map(|one| one.id).collect();
    if numbers.is_empty() {
        let is_late = acted.is_none_or(|acted| acted.elapsed() > ACTION_WINDOW);
        // Clients name the usual time of the command when their user names none.
        let usual = cx.command().timeout_ms.map(Duration::from_millis);
        let is_usual = cx.requested_timeout().is_none_or(|named| Some(named) == usual);
        if is_late && is_usual {
            cx.add_notice(
                "nothing is under way, and no action was lately that could have begun it",
            );
            return Ok(());
        }
        let limit = if is_usual { limit.min(Instant::now() + START_TIMEOUT) } else { limit };
        let first = |records: &[DownloadRecord]| {
            records.iter().find(|record| concerns(record)).map(|record| record.id)
        };
        let Some(begun) = downloads.wait_for(limit, first).await else {
            let message = "no download has begun since the last action";
            let hint = "Look at what it did with `browse snapshot`; raise `--timeout` if the file takes longer";
            return Err(Error::new(Reason::DeadlineExceeded, message).with(HINT_KEY, hint));
        };
        numbers.push(begun);
    }
    downloads.wait_until_finished(&numbers, limit).await;
    let records: Vec<_> = numbers.iter().filter_map(|number| downloads.find(*number)).collect();
    if let Some(record) = records.iter().find(|record| is_running(record)) {
        let message = format!(
            "`{}` is not whole yet, and goes on: {}",
            record.reference(),
            progress_text(record)
        );
        return Err(Error::new(Reason::DownloadUnfinished, message));
    }
    for record in &records {
        if let DownloadStatus::Failed(why) | DownloadStatus::Refused(why) = &record.status {
            return Err(download_failed(record, why));
        }
    }
    Ok(())
}

fn visible_downloads(
    cx: &CallContext,
    session: &Session,
    all: bool,
) -> Result<Vec<DownloadRecord>> {
    Ok(download_store(cx).list_for(&download_filter(cx, session, all)?))
}

/// `1048576 of 4194304 bytes so far`.
fn progress_text(record: &DownloadRecord) -> String {
    match record.total {
        Some(total) => format!("{} of {total} bytes so far", record.received),
        None => format!("{} bytes so far", record.received),
    }
}

/// What a receipt says of files: of the first ones, and of refusals; a page may
/// send any number.
pub fn receipt_facts(cx: &CallContext, files: &[DownloadRecord]) -> Vec<Fact> {
    let is_refused = |one: &&DownloadRecord| matches!(one.status, DownloadStatus::Refused(_));
    let first = &files[..files.len().min(MAX_REPORTED_FILES)];
    let rest = &files[first.len()..];
    let mut facts: Vec<_> = first.iter().map(|file| receipt_fact(cx, file)).collect();
    if let Some(refused) = rest.iter().find(is_refused) {
        facts.push(receipt_fact(cx, refused));
    }
    if !rest.is_empty() {
        let more = rest.len();
        facts.push(Fact::new(format!("{more} more downloads, see `browse downloads`")));
    }
    facts
}

/// A record as a line of a receipt. Only name and path are words of the page.
pub fn receipt_fact(cx: &CallContext, record: &DownloadRecord) -> Fact {
    let fact = Fact::new(format!("download {}", record.reference())).about("", &record.name);
    let is_known = is_known_mime_type(&record.mime);
    match &record.status {
        DownloadStatus::Running => {
            let wait = "`browse downloads --wait` waits until it is whole";
            fact.note(format!(", {}; {wait}", progress_text(record)))
        }
        DownloadStatus::Complete => {
            let mime = if is_known { format!(", {}", record.mime) } else { String::new() };
            let (bytes, until) = (record.received, format_expiry(record));
            let fact = fact.note(format!("{mime}, {bytes} bytes, kept until {until}"));
            match path_for_caller(cx, record) {
                Some(path) => fact.text(path),
                None => fact,
            }
        }
        DownloadStatus::Failed(why) => fact.note(format!(", failed: {why}")),
        DownloadStatus::Refused(why) => fact.note(format!(", refused: {why}")),
    }
}

/// Where a file is kept. Callers on other machines get no path.
fn path_for_caller(cx: &CallContext, record: &DownloadRecord) -> Option<String> {
    let path = record
        .path
        .as_ref()
        .filter(|_| !matches!(cx.listener(), Listener::Tunnel | Listener::Gateway));
    path.map(|path| path.display().to_string())
}

fn format_expiry(record: &DownloadRecord) -> String {
    humantime::format_rfc3339_seconds(record.expires_at).to_string()
}

/// A record as the contract has it.
pub fn to_entry(cx: &CallContext, record: &DownloadRecord) -> v1::DownloadEntry {
    let is_complete = record.status == DownloadStatus::Complete;
    let (state, problem) = match &record.status {
        DownloadStatus::Running => ("running", ""),
        DownloadStatus::Complete => ("complete", ""),
        DownloadStatus::Failed(why) => ("failed", why.as_str()),
        DownloadStatus::Refused(why) => ("refused", why.as_str()),
    };
    v1::DownloadEntry {
        id: record.reference(),
        summary: cx.redact_for_caller(receipt_fact(cx, record).line()),
        state: state.to_owned(),
        name: record.name.clone(),
        path: path_for_caller(cx, record),
        mime: record.mime.clone(),
        bytes: record.received,
        total: record.total,
        url: record.url.clone(),
        problem: problem.to_owned(),
        kept_until: if is_complete { format_expiry(record) } else { String::new() },
        tab: record.tab,
        session: record.session.clone(),
    }
}
