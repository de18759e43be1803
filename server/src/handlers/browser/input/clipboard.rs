//! The clipboard of the browser.

use browse_proto::{Reason, v1};

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_policy::SessionRule;

/// Bytes that the clipboard takes.
const MAX_CLIPBOARD_BYTES: usize = 8 << 20;

/// Prints the text of the clipboard.
pub async fn read_clipboard(
    cx: &CallContext,
    _: v1::ReadClipboardRequest,
) -> Result<v1::ReadClipboardResponse> {
    ensure_all_sessions(cx)?;
    // Any page of any session may have written it.
    cx.set_source("the clipboard");
    let text = cx.own_browser().await?.read_clipboard().await?;
    Ok(v1::ReadClipboardResponse { text })
}

/// Puts text into the clipboard.
pub async fn write_clipboard(
    cx: &CallContext,
    request: v1::WriteClipboardRequest,
) -> Result<v1::WriteClipboardResponse> {
    let length = request.text.len();
    if length > MAX_CLIPBOARD_BYTES {
        let message = format!("the text has {length} bytes");
        return Err(Error::new(Reason::TooLarge, message)
            .with("limit", format!("{MAX_CLIPBOARD_BYTES} bytes")));
    }
    ensure_all_sessions(cx)?;
    cx.own_browser().await?.write_clipboard(&request.text).await?;
    let characters = u32::try_from(request.text.chars().count()).unwrap_or(u32::MAX);
    Ok(v1::WriteClipboardResponse { characters })
}

/// Refuses a token that is for one session: all share the clipboard.
fn ensure_all_sessions(cx: &CallContext) -> Result<()> {
    match &cx.capability().session {
        SessionRule::Any => Ok(()),
        SessionRule::Only(own) => {
            let message = format!("all sessions share the clipboard, and the token is for `{own}`");
            Err(Error::new(Reason::SessionDenied, message))
        }
    }
}
