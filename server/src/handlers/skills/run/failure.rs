//! How a run that did not succeed is reported.

use std::time::Duration;

use browse_proto::Reason;

use super::output;
use crate::skills::process::{ProcessError, ProcessExit};
use browse_base::{Error, Result};

/// What the program answered.
///
/// # Errors
/// `SKILL_TIMEOUT`, `SKILL_OUTPUT_TOO_LARGE`, `SKILL_FAILED`,
/// `SKILL_OUTPUT_INVALID`.
pub fn result_document(
    skill: &str,
    limit: Duration,
    outcome: Result<ProcessExit, ProcessError>,
) -> Result<String> {
    match outcome {
        Ok(ProcessExit { code: 0, stdout }) => output::parse_document(skill, stdout),
        Ok(ProcessExit { code, .. }) => {
            let message = format!("the skill `{skill}` ended with exit code {code}");
            let error = Error::new(Reason::SkillFailed, message);
            Err(error.with("skill", skill).with("exit_code", code))
        }
        Err(trouble) => Err(run_error(skill, limit, trouble)),
    }
}

/// The error behind a trouble.
pub fn run_error(skill: &str, limit: Duration, trouble: ProcessError) -> Error {
    let error = match trouble {
        ProcessError::Io(problem) => {
            let message = format!("the skill `{skill}` cannot be run: {problem}");
            Error::new(Reason::SkillFailed, message)
        }
        ProcessError::TimedOut => {
            let limit = Duration::from_millis(limit.as_millis() as u64);
            let limit = humantime::format_duration(limit);
            let message = format!("the skill `{skill}` did not end within {limit}");
            Error::new(Reason::SkillTimeout, message)
        }
        ProcessError::TooMuchOutput => {
            let message = format!("the skill `{skill}` printed more than 1 MiB");
            Error::new(Reason::SkillOutputTooLarge, message).with("limit", output::MAX_OUTPUT_BYTES)
        }
    };
    error.with("skill", skill)
}
