//! What the page wrote to its console.

use std::borrow::Cow;

use browse_proto::v1;

use crate::dispatch::CallContext;
use browse_base::Result;
use browse_content::Sources;
use browse_secrets::redact;

/// Returns the console messages of the page that the tab shows, oldest first, or of
/// all its pages.
pub async fn console(cx: &CallContext, request: v1::ConsoleRequest) -> Result<v1::ConsoleResponse> {
    let tab = cx.tab();
    let since = if request.all { 0 } else { tab.document_start().0 };
    let ((messages, earlier), dropped) = (tab.console().since(since), tab.console().dropped());
    super::note_earlier(cx, earlier, "messages");
    let is_error = |message: &v1::ConsoleMessage| {
        matches!(message.level.as_str(), "error" | "exception" | "assert")
    };
    let wanted = messages.into_iter().filter(|message| !request.errors || is_error(message));
    let messages: Vec<_> = wanted.map(redact_message).collect();
    let mut sources = Sources::default();
    for message in &messages {
        if !sources.add_url(&message.location) {
            sources.add_url(&tab.page().url());
        }
    }
    cx.set_sources(sources);
    Ok(v1::ConsoleResponse { messages, dropped, earlier })
}

fn redact_message(mut message: v1::ConsoleMessage) -> v1::ConsoleMessage {
    for text in [&mut message.text, &mut message.location] {
        if let Cow::Owned(bare) = redact(text) {
            *text = bare;
        }
    }
    message
}

/// Forgets the console messages of the tab.
pub async fn clear_console(
    cx: &CallContext,
    _: v1::ClearConsoleRequest,
) -> Result<v1::ClearConsoleResponse> {
    Ok(v1::ClearConsoleResponse { removed: cx.tab().console().clear() })
}
