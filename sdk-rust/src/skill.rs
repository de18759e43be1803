//! What a skill needs besides the browser: its arguments, its output, its end.

use std::error::Error as StdError;
use std::io::{self, Write};
use std::process::ExitCode;

use super::client::Browse;
use super::connect;
use super::error::{Error, Result};
use super::json::Json;

/// Arguments of a skill, as its manifest lists them.
#[derive(Clone, Debug, Default)]
pub struct Arguments(Json);

impl Arguments {
    /// The argument `name`, when it was given or has a default.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// The argument `name`, which the manifest requires.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID` when it is not there.
    pub fn required(&self, name: &str) -> Result<&str> {
        self.get(name).ok_or_else(|| Error::argument(format!("the argument `{name}` is missing")))
    }
}

/// Runs a skill: hands `main` the arguments, prints what it returns as the one
/// JSON document of the run, and reports an error on standard error.
pub fn skill<T: Into<Json>>(
    main: impl FnOnce(&Arguments, &Browse) -> Result<T, Box<dyn StdError>>,
) -> ExitCode {
    let outcome = arguments().and_then(|arguments| main(&arguments, &connect()?));
    match outcome.map(Into::into) {
        Ok(answer) => {
            let written = writeln!(io::stdout().lock(), "{answer}");
            // A caller that has left needs no answer.
            if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("error: {}", describe(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<Arguments, Box<dyn StdError>> {
    let text = std::env::var("BROWSE_SKILL_ARGS").unwrap_or_default();
    let text = if text.is_empty() { "{}" } else { &text };
    Ok(Arguments(Json::parse(text).ok_or("BROWSE_SKILL_ARGS is no JSON")?))
}

fn describe(error: &(dyn StdError + 'static)) -> String {
    match error.downcast_ref::<Error>() {
        Some(error) => {
            let mut text = format!("{}: {}", error.reason, error.message);
            if !error.hint.is_empty() {
                text.push_str(&format!("\nhint: {}", error.hint));
            }
            for (about, said) in &error.page {
                text.push_str(&format!("\n{about}: {said}"));
            }
            text
        }
        None => error.to_string(),
    }
}
