//! Files that pages sent, as far as every call has to do with them.

use std::sync::Arc;

use browse_proto::Reason;

use super::CallContext;
use browse_base::{Error, HINT_KEY, Result};
use browse_policy::TabPolicy;
use browse_sessions::{DownloadFilter, DownloadRecord, DownloadStatus, Downloads, Session};

/// The file that the last action of the tab began, whether or not an answer reported
/// it; none where there are several.
pub fn download_of_last_action(cx: &CallContext) -> Option<DownloadRecord> {
    let tab = cx.tab_if_any()?;
    let session = cx.session().ok()?;
    let seen = download_store(cx).list_for(&download_filter(cx, &session, false).ok()?);
    let since = tab.action_times().began_at();
    let is_its = |one: &DownloadRecord| {
        one.tab == tab.id()
            && one.started_at >= since
            && matches!(one.status, DownloadStatus::Complete | DownloadStatus::Running)
    };
    let mut files = seen.into_iter().filter(is_its);
    files.next().filter(|_| files.next().is_none())
}

/// Tells the caller of downloads that no answer has reported: those that began
/// after one, and those that a page began by itself.
pub fn report_unreported(cx: &CallContext) {
    if !download_store(cx).has_unreported() {
        return;
    }
    let Ok(session) = cx.session() else { return };
    let Ok(viewer) = download_filter(cx, &session, false) else { return };
    let untold = download_store(cx).take_unreported(|record| viewer.matches(record));
    if untold.is_empty() {
        return;
    }
    let is_refused = |one: &DownloadRecord| matches!(one.status, DownloadStatus::Refused(_));
    let what = match untold.iter().all(is_refused) {
        true => "a file that the page wanted to send was refused",
        false => "the page sent a file after the last answer",
    };
    cx.add_notice(&format!("{what}: `browse downloads` says more"));
}

/// What the caller may know of: what its session got, and what its own tabs got
/// where it may touch no others.
pub fn download_filter<'a>(
    cx: &'a CallContext,
    session: &'a Session,
    all: bool,
) -> Result<DownloadFilter<'a>> {
    if all && !cx.is_root() {
        let message = "`--all` is for the owner of the daemon";
        let hint = "Leave `--all` out";
        return Err(Error::new(Reason::SessionDenied, message).with(HINT_KEY, hint));
    }
    let capability = cx.capability();
    Ok(DownloadFilter {
        session: (!all).then_some(session),
        client: (capability.tabs == TabPolicy::Own).then(|| cx.client()),
        hosts: capability.hosts(),
    })
}

/// The files that pages sent.
pub fn download_store(cx: &CallContext) -> &Arc<Downloads> {
    cx.daemon().sessions().downloads()
}
