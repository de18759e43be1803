//! Expectations about one element, looked at until they hold.

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout_at};

use super::text_layout::layout_text;
use super::wait::{PollIntervals, is_transient};
use crate::error::{Error, RefusalKind, Result};
use crate::page::engine::Engine;
use crate::target::target::Target;

/// What to expect of an element.
pub enum Expected<'a> {
    /// A state, in the word for it: `visible`, `unchecked`.
    State(&'a str),
    /// A text that satisfies the test.
    Text(&'a (dyn Fn(&str) -> bool + Sync)),
}

/// How an expectation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectationResult {
    /// It holds.
    Holds,
    /// It did not hold until the deadline; this was there at the last look.
    Fails(String),
}

/// An answer of the script.
#[derive(Deserialize)]
struct ExpectationAnswer {
    holds: bool,
    actual: String,
}

#[derive(Deserialize)]
struct ElementText {
    text: String,
    /// For what is to be laid out: whether lines may be drawn with dashes.
    art: Option<bool>,
}

impl ElementText {
    fn into_text(self) -> String {
        match self.art {
            Some(art) => layout_text(&self.text, art),
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
    ) -> Result<ExpectationResult> {
        let mut pauses = PollIntervals::default();
        let mut last = Ok("no answer of the page".to_owned());
        loop {
            let looked = timeout_at(deadline, self.check_expectation(target, expected)).await;
            match looked {
                Err(_) => return last.map(ExpectationResult::Fails),
                Ok(Ok(ExpectationAnswer { holds: true, .. })) => {
                    return Ok(ExpectationResult::Holds);
                }
                Ok(Ok(ExpectationAnswer { actual, .. })) => last = Ok(actual),
                Ok(Err(error)) if error.kind() == Some(RefusalKind::NotFound) => {
                    last = Ok("missing".to_owned());
                }
                Ok(Err(error))
                    if is_transient(&error) || error.kind() == Some(RefusalKind::Ambiguous) =>
                {
                    last = Err(error);
                }
                Ok(Err(error)) => return Err(error),
            }
            let pause = pauses.next_interval();
            if Instant::now() + pause >= deadline {
                return last.map(ExpectationResult::Fails);
            }
            sleep(pause).await;
        }
    }

    async fn check_expectation(
        &self,
        target: &Target,
        expected: &Expected<'_>,
    ) -> Result<ExpectationAnswer> {
        match expected {
            Expected::State(state) => {
                let answer = self.query_target(target, "stateIs", json!({ "state": state })).await;
                match answer {
                    Err(error) if is_ref_stale(&error) && *state == "hidden" => {
                        Ok(ExpectationAnswer { holds: true, actual: "gone".to_owned() })
                    }
                    answer => answer,
                }
            }
            Expected::Text(test) => {
                let says: ElementText = self.query_target(target, "says", json!({})).await?;
                let actual = says.into_text();
                Ok(ExpectationAnswer { holds: test(&actual), actual })
            }
        }
    }
}

fn is_ref_stale(error: &Error) -> bool {
    error.kind() == Some(RefusalKind::RefStale)
}
