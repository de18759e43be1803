//! What the page wrote to its console.

use browse_proto::v1;

use crate::{dispatch::Context, error::Result};

/// Answers the console messages of the tab, oldest first.
pub async fn console(cx: &Context, request: v1::ConsoleRequest) -> Result<v1::ConsoleResponse> {
    let tab = cx.tab();
    let (messages, dropped) = (tab.console().all(), tab.console().dropped());
    let is_error = |message: &v1::ConsoleMessage| {
        matches!(message.level.as_str(), "error" | "exception" | "assert")
    };
    let wanted = messages.into_iter().filter(|message| !request.errors || is_error(message));
    Ok(v1::ConsoleResponse { messages: wanted.collect(), dropped })
}

/// Forgets the console messages of the tab.
pub async fn clear_console(
    cx: &Context,
    _: v1::ClearConsoleRequest,
) -> Result<v1::ClearConsoleResponse> {
    Ok(v1::ClearConsoleResponse { removed: cx.tab().console().clear() })
}
