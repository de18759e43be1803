//! Why a figure could not be measured, with the next step.

use std::fmt;

/// The hint of a failure that has none of its own.
const GENERAL_HINT: &str = "Check that the addresses of 127.0.0.0/8 and /proc can be used here, and try \
     `--quick`, which does the same steps in a small size";

/// What stopped the benchmark.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: String,
}

/// A result of the benchmark.
pub type Outcome<T> = Result<T, Failure>;

/// Adds the step that failed to an error.
pub trait During<T> {
    /// The same result, with `step` before the text of its error.
    fn during(self, step: impl fmt::Display) -> Outcome<T>;
}

impl Failure {
    /// A failure with what the user can do next.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }

    /// A failure with the general hint.
    pub fn general(message: impl Into<String>) -> Self {
        Self::new(message, GENERAL_HINT)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\nhint: {}", self.message, self.hint)
    }
}

impl<T, E: fmt::Display> During<T> for Result<T, E> {
    fn during(self, step: impl fmt::Display) -> Outcome<T> {
        self.map_err(|error| Failure::general(format!("{step}: {error}")))
    }
}
