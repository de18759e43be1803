//! The refusals of calls that go no further.

use serde_json::{Value, json};

use crate::connection::pipe::NOT_OURS_CODE;

/// The code that Chromium gives most of its refusals.
const SERVER_ERROR_CODE: i64 = -32_000;

/// The refusal of a call that would reach what is not ours.
pub(super) fn not_ours(method: &str) -> Value {
    let message = format!("`{method}` would reach more than the tabs that were opened or given");
    json!({ "code": NOT_OURS_CODE, "message": message })
}

/// The refusal of a call for another reason of that kind.
pub(super) fn not_ours_because(message: &str) -> Value {
    json!({ "code": NOT_OURS_CODE, "message": message })
}

/// The refusal of a call on a tab that shows a page of the browser itself.
pub(super) fn browser_page() -> Value {
    let message = "the tab shows a page of the browser itself, such as its settings or history, \
                   which is not read and not acted on: `browse goto` leaves it";
    not_ours_because(message)
}

/// A refusal in words of Chromium, which the daemon knows.
pub(super) fn server_error(message: &str) -> Value {
    json!({ "code": SERVER_ERROR_CODE, "message": message })
}

pub(super) fn no_such_target() -> Value {
    server_error("No target with given id found")
}
