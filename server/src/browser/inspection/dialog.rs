//! The dialogs that the page opened.

use browse_proto::v1;

use crate::{chromium::DialogAnswer, dispatch::Context, error::Result, sessions::DialogLine};

/// Answers the dialogs of the tab, oldest first.
pub async fn dialog(cx: &Context, _: v1::DialogRequest) -> Result<v1::DialogResponse> {
    let dialogs = cx.tab().dialogs();
    let (lines, dropped) = (dialogs.all(), dialogs.dropped());
    Ok(v1::DialogResponse { dialogs: lines.into_iter().map(entry).collect(), dropped })
}

/// Forgets the dialogs of the tab.
pub async fn clear_dialog(
    cx: &Context,
    _: v1::ClearDialogRequest,
) -> Result<v1::ClearDialogResponse> {
    Ok(v1::ClearDialogResponse { removed: cx.tab().dialogs().clear() })
}

fn entry(line: DialogLine) -> v1::DialogEntry {
    let DialogLine { time_ms, dialog } = line;
    let answer = match &dialog.answer {
        DialogAnswer::Dismiss => "dismissed".to_owned(),
        DialogAnswer::Accept(None) => "accepted".to_owned(),
        // It may be a password, and another client may be asking.
        DialogAnswer::Accept(Some(text)) => {
            format!("accepted with {} characters", text.chars().count())
        }
    };
    v1::DialogEntry {
        time_ms,
        kind: dialog.kind,
        message: dialog.message,
        answer,
        default_text: dialog.default_text,
        url: dialog.url,
    }
}
