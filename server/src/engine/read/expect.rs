//! Expectations about one element, looked at until they hold.

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout_at};

use super::layout::lay_out;
use super::wait::{Pauses, passes};
use crate::engine::error::{Error, Kind, Result};
use crate::engine::page::engine::Engine;
use crate::engine::target::target::Target;

/// What to expect of an element.
pub enum Expected<'a> {
    /// A state, in the word for it: `visible`, `unchecked`.
    State(&'a str),
    /// A text that satisfies the test.
    Text(&'a (dyn Fn(&str) -> bool + Sync)),
}

/// How an expectation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It did not hold until the deadline; this was there at the last look.
    Fails(String),
}

/// An answer of the script.
#[derive(Deserialize)]
struct Looked {
    holds: bool,
    actual: String,
}

#[derive(Deserialize)]
struct Says {
    text: String,
    /// For what is to be laid out: whether lines may be drawn with dashes.
    art: Option<bool>,
}

impl Says {
    fn laid_out(self) -> String {
        match self.art {
            Some(art) => lay_out(&self.text, art),
            None => self.text,
        }
    }
}

impl Engine {
    /// Looks until `expected` holds or the deadline comes. An element that is
    /// not there counts as `missing`; several that match are an error, as is a
    /// ref whose element is gone.
    pub async fn expect(
        &self,
        target: &Target,
        expected: &Expected<'_>,
        deadline: Instant,
    ) -> Result<Verdict> {
        let mut pauses = Pauses::default();
        let mut last = Ok("no answer of the page".to_owned());
        loop {
            let looked = timeout_at(deadline, self.look(target, expected)).await;
            match looked {
                Err(_) => return last.map(Verdict::Fails),
                Ok(Ok(Looked { holds: true, .. })) => return Ok(Verdict::Holds),
                Ok(Ok(Looked { actual, .. })) => last = Ok(actual),
                Ok(Err(error)) if error.kind() == Some(Kind::NotFound) => {
                    last = Ok("missing".to_owned());
                }
                Ok(Err(error)) if passes(&error) || error.kind() == Some(Kind::Ambiguous) => {
                    last = Err(error);
                }
                Ok(Err(error)) => return Err(error),
            }
            let pause = pauses.next();
            if Instant::now() + pause >= deadline {
                return last.map(Verdict::Fails);
            }
            sleep(pause).await;
        }
    }

    async fn look(&self, target: &Target, expected: &Expected<'_>) -> Result<Looked> {
        match expected {
            Expected::State(state) => {
                let answer = self.ask_about(target, "stateIs", json!({ "state": state })).await;
                match answer {
                    Err(error) if is_gone(&error) && *state == "hidden" => {
                        Ok(Looked { holds: true, actual: "gone".to_owned() })
                    }
                    answer => answer,
                }
            }
            Expected::Text(test) => {
                let says: Says = self.ask_about(target, "says", json!({})).await?;
                let actual = says.laid_out();
                Ok(Looked { holds: test(&actual), actual })
            }
        }
    }
}

fn is_gone(error: &Error) -> bool {
    error.kind() == Some(Kind::RefStale)
}
