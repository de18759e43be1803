//! The answer to a call in JSON: its message, or the error that it reports.

use browse_base::{Error, HINT_KEY, quote_up_to};
use browse_proto::Reason;
use http::{Response, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Incoming;
use serde_json::{Map, Value};

/// Characters of a text in an error of the other end.
const MAX_TEXT_CHARS: usize = 2_000;

/// Why a call has no message.
pub enum AnswerFailure {
    /// The other end reports this error.
    Reported(Error),
    /// The answer ends before it is whole, and why.
    Broken(String),
    /// It is not the answer of a daemon or a gateway, and why.
    Foreign(&'static str),
}

/// Reads the message of at most `max_bytes` in the answer to a call.
///
/// # Errors
/// The call failed, or the answer cannot be used.
pub async fn read_json_answer(
    response: Response<Incoming>,
    max_bytes: usize,
) -> Result<Map<String, Value>, AnswerFailure> {
    let (parts, body) = response.into_parts();
    let read = Limited::new(body, max_bytes).collect().await;
    let read = read.map_err(|error| match error.is::<LengthLimitError>() {
        true => AnswerFailure::Foreign("its answer is too long"),
        false => AnswerFailure::Broken(error.to_string()),
    });
    let bytes = read?.to_bytes();
    if parts.status != StatusCode::OK {
        return Err(match reported_error(&bytes) {
            Some(error) => AnswerFailure::Reported(error),
            None => AnswerFailure::Foreign("its error gives no reason"),
        });
    }
    serde_json::from_slice(&bytes).map_err(|_| AnswerFailure::Foreign("its answer is not JSON"))
}

/// The error in the answer to a call that failed, where it gives a reason that is known.
fn reported_error(answer: &[u8]) -> Option<Error> {
    let document: Value = serde_json::from_slice(answer).ok()?;
    let info = &document["details"][0]["debug"];
    let text = |value: &Value| quote_up_to(value.as_str().unwrap_or_default(), MAX_TEXT_CHARS);
    let reason = Reason::by_name(&text(&info["reason"]))?;
    let mut error = Error::new(reason, text(&document["message"]));
    for (name, value) in info["metadata"].as_object().into_iter().flatten() {
        error = error.with(name, text(value));
    }
    Some(match text(&info["hint"]) {
        hint if hint.is_empty() => error,
        hint => error.with(HINT_KEY, hint),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_of_the_other_end_keeps_its_reason_its_values_and_its_hint() {
        let debug = json!({
            "reason": "FLEET_BUSY", "hint": "Try again", "metadata": { "retry_ms": "700" },
        });
        let answer = json!({ "message": "no place", "details": [{ "debug": debug }] });
        let error = reported_error(answer.to_string().as_bytes()).expect("an error");
        assert_eq!((error.reason(), error.hint()), (Reason::FleetBusy, "Try again".to_owned()));
        assert_eq!((error.to_string(), &*error.metadata()["retry_ms"]), ("no place".into(), "700"));
        for other in ["", "<html>", "{}", r#"{"details":[{"debug":{"reason":"NOPE"}}]}"#] {
            assert!(reported_error(other.as_bytes()).is_none(), "{other}");
        }
    }
}
