//! Calls into the script of one frame.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{deadline, refusal};
use crate::error::{Error, Result};
use browse_chromium::{CdpCall, World};

/// The commands of the script, as the build read them from its table.
static COMMANDS: &[&str] = include!(concat!(env!("OUT_DIR"), "/commands.rs"));

/// An answer to come.
pub(crate) struct PendingAnswer {
    call: CdpCall<String>,
}

/// Writes a command now; awaiting [`Answer::read`] only waits.
pub(crate) fn send_command(
    world: &World,
    command: &str,
    argument: &impl Serialize,
) -> PendingAnswer {
    debug_assert!(COMMANDS.contains(&command), "the script has no command `{command}`");
    let argument = serde_json::to_string(argument).unwrap_or_else(|_| "{}".to_owned());
    let until =
        deadline::script_deadline_ms().map_or("Infinity".to_owned(), |until| until.to_string());
    PendingAnswer {
        call: world.evaluate(&format!("browseEngine.call({command:?},{argument},{until})")),
    }
}

impl PendingAnswer {
    /// The answer's text.
    pub async fn text(self) -> Result<String> {
        self.call.await.map_err(Error::from)
    }

    /// The answer as data, or the refusal it is.
    pub async fn read<T: DeserializeOwned>(self) -> Result<T> {
        decode(&self.text().await?)
    }
}

/// The first line of an answer, which is JSON, and the text behind it.
pub(crate) fn split_body(answer: Result<String>) -> (Result<String>, String) {
    match answer {
        Ok(mut head) => {
            let body = head.find('\n').map(|end| head.split_off(end + 1)).unwrap_or_default();
            (Ok(head), body)
        }
        Err(error) => (Err(error), String::new()),
    }
}

/// Tells refusals from results.
pub(crate) fn decode<T: DeserializeOwned>(text: &str) -> Result<T> {
    if text.starts_with("{\"error\":") || text.starts_with("{\"role\":") {
        let refusal: refusal::ScriptRefusal =
            serde_json::from_str(text).map_err(Error::internal)?;
        if refusal.error.is_some() {
            return Err(refusal.into());
        }
    }
    serde_json::from_str(text).map_err(Error::internal)
}

/// Tells the script something that needs no answer.
pub(crate) fn notify(world: &World, expression: &str) {
    world.evaluate::<serde::de::IgnoredAny>(expression).ignore();
}
