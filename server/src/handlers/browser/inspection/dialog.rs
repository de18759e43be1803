//! The dialogs that the page opened.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use browse_proto::v1;

use crate::dispatch::CallContext;
use browse_base::Result;
use browse_chromium::OpenPageDialog;
use browse_sessions::DialogLine;

/// Answers the dialogs of the tab, oldest first.
pub async fn dialog(cx: &CallContext, _: v1::DialogRequest) -> Result<v1::DialogResponse> {
    let dialogs = cx.tab().dialogs();
    let (lines, dropped) = (dialogs.all(), dialogs.dropped());
    let open = cx.page().open_dialog().map(open_entry);
    Ok(v1::DialogResponse {
        dialogs: lines.into_iter().map(closed_entry).chain(open).collect(),
        dropped,
    })
}

/// Forgets the dialogs of the tab.
pub async fn clear_dialog(
    cx: &CallContext,
    _: v1::ClearDialogRequest,
) -> Result<v1::ClearDialogResponse> {
    Ok(v1::ClearDialogResponse { removed: cx.tab().dialogs().clear() })
}

fn closed_entry(line: DialogLine) -> v1::DialogEntry {
    let DialogLine { time_ms, dialog } = line;
    v1::DialogEntry {
        time_ms,
        // Without the text of a prompt: it may be a password, and another client
        // may be reading this.
        answer: dialog.outcome_text(),
        kind: dialog.kind,
        message: dialog.message,
        default_text: dialog.default_text,
        url: dialog.url,
        open: false,
    }
}

fn open_entry(question: OpenPageDialog) -> v1::DialogEntry {
    let opened = SystemTime::now().checked_sub(question.opened_at.elapsed());
    let since = opened.and_then(|opened| opened.duration_since(UNIX_EPOCH).ok());
    let left = question.deadline.saturating_duration_since(Instant::now()).as_secs();
    v1::DialogEntry {
        time_ms: since.map_or(0, |since| since.as_millis() as u64),
        kind: question.kind,
        message: question.message,
        answer: format!("open: answer with `dialog-accept` or `dialog-dismiss` within {left} s"),
        default_text: question.default_text,
        url: question.url,
        open: true,
    }
}
