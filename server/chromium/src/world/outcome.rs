//! Reading what a script came to.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::capture::console::ExceptionDetails;
use crate::connection::envelope;
use crate::error::{Error, Result};

/// The answer of `Runtime.evaluate` and `Runtime.callFunctionOn`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound = "T: DeserializeOwned")]
struct EvaluateAnswer<T> {
    result: RemoteObject<T>,
    #[serde(default)]
    exception_details: Option<ExceptionDetails>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound = "T: DeserializeOwned")]
struct RemoteObject<T> {
    #[serde(default)]
    value: Option<T>,
    #[serde(default)]
    object_id: Option<String>,
}

/// Only what the exception says, whatever the value would be.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ThrownException {
    #[serde(default)]
    exception_details: Option<ExceptionDetails>,
}

/// The value, when the script returned one of this type.
pub(crate) fn value<T: DeserializeOwned>(method: &str, message: &[u8]) -> Result<T> {
    let answer = envelope::parse_result::<EvaluateAnswer<T>>(message);
    match answer {
        Ok(EvaluateAnswer { exception_details: Some(details), .. }) => Err(thrown(&details)),
        Ok(EvaluateAnswer { result, .. }) => match result.value {
            Some(value) => Ok(value),
            // `undefined` has no value at all; as JSON it is null.
            None => {
                serde_json::from_str("null").map_err(|_| unexpected(method, "it returned nothing"))
            }
        },
        // A thrown object may not have the wanted type either.
        Err(error) => match envelope::parse_result::<ThrownException>(message) {
            Ok(ThrownException { exception_details: Some(details) }) => Err(self::thrown(&details)),
            _ => Err(unexpected(method, &error.to_string())),
        },
    }
}

/// The same of a call that wants the engine. The numbers of contexts are those
/// of a process: when a document of another one takes its place, a call may
/// meet a context that has no engine.
pub(crate) fn value_of_injected_script<T: DeserializeOwned>(
    method: &str,
    message: &[u8],
) -> Result<T> {
    match value(method, message) {
        Err(Error::Script { message }) if message.starts_with(NO_ENGINE_MESSAGE) => {
            Err(Error::StaleContext)
        }
        outcome => outcome,
    }
}

/// What is thrown where there is no engine.
const NO_ENGINE_MESSAGE: &str = "ReferenceError: browseEngine is not defined";

/// The remote object's id; `None` when the script returned a primitive.
pub(crate) fn object(method: &str, message: &[u8]) -> Result<Option<String>> {
    let answer = envelope::parse_result::<EvaluateAnswer<serde::de::IgnoredAny>>(message)
        .map_err(|error| unexpected(method, &error.to_string()))?;
    match answer.exception_details {
        Some(details) => Err(thrown(&details)),
        None => Ok(answer.result.object_id),
    }
}

fn thrown(details: &ExceptionDetails) -> Error {
    Error::Script { message: details.message() }
}

fn unexpected(method: &str, what: &str) -> Error {
    Error::Protocol {
        method: method.to_owned(),
        message: format!("the script returned something unexpected: {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{value, value_of_injected_script};
    use crate::error::Error;

    fn thrown(text: &str) -> Vec<u8> {
        let exception = serde_json::json!({ "type": "object", "description": text });
        let details = serde_json::json!({
            "exceptionId": 1, "text": "Uncaught", "lineNumber": 0, "columnNumber": 0,
            "exception": exception,
        });
        let result = serde_json::json!({ "result": exception, "exceptionDetails": details });
        serde_json::json!({ "id": 1, "result": result }).to_string().into_bytes()
    }

    #[test]
    fn a_context_without_the_engine_is_one_of_another_document() {
        let message = thrown("ReferenceError: browseEngine is not defined\n    at <anonymous>:1:1");
        let lost = value_of_injected_script::<String>("Runtime.evaluate", &message);
        assert!(matches!(lost, Err(Error::StaleContext)), "{lost:?}");
        // A script of the caller's may say so.
        let own = value::<String>("Runtime.evaluate", &message);
        assert!(matches!(own, Err(Error::Script { .. })), "{own:?}");
        let other = value_of_injected_script::<String>("Runtime.evaluate", &thrown("TypeError: x"));
        assert!(matches!(other, Err(Error::Script { .. })), "{other:?}");
    }
}
