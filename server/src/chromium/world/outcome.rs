//! Reading what a script came to.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::chromium::capture::console::ExceptionDetails;
use crate::chromium::connection::envelope;
use crate::chromium::error::{Error, Result};

/// The answer of `Runtime.evaluate` and `Runtime.callFunctionOn`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound = "T: DeserializeOwned")]
struct Answer<T> {
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
struct Thrown {
    #[serde(default)]
    exception_details: Option<ExceptionDetails>,
}

/// The value, when the script returned one of this type.
pub(crate) fn value<T: DeserializeOwned>(method: &str, message: &[u8]) -> Result<T> {
    let answer = envelope::result::<Answer<T>>(message);
    match answer {
        Ok(Answer { exception_details: Some(details), .. }) => Err(thrown(&details)),
        Ok(Answer { result, .. }) => match result.value {
            Some(value) => Ok(value),
            // `undefined` has no value at all; as JSON it is null.
            None => {
                serde_json::from_str("null").map_err(|_| unexpected(method, "it returned nothing"))
            }
        },
        // A thrown object may not have the wanted type either.
        Err(error) => match envelope::result::<Thrown>(message) {
            Ok(Thrown { exception_details: Some(details) }) => Err(self::thrown(&details)),
            _ => Err(unexpected(method, &error.to_string())),
        },
    }
}

/// The remote object's id; `None` when the script returned a primitive.
pub(crate) fn object(method: &str, message: &[u8]) -> Result<Option<String>> {
    let answer = envelope::result::<Answer<serde::de::IgnoredAny>>(message)
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
