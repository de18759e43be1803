//! How a run that did not succeed is reported.

use std::time::Duration;

use browse_proto::Reason;

use super::output;
use crate::{
    error::{Error, Result},
    skills::process::{Ended, Trouble},
};

/// What the program answered.
///
/// # Errors
/// `SKILL_TIMEOUT`, `SKILL_OUTPUT_TOO_LARGE`, `SKILL_FAILED`,
/// `SKILL_OUTPUT_INVALID`.
pub fn answer(skill: &str, limit: Duration, outcome: Result<Ended, Trouble>) -> Result<String> {
    match outcome {
        Ok(Ended { code: 0, stdout }) => output::document(skill, stdout),
        Ok(Ended { code, .. }) => {
            let message = format!("the skill `{skill}` ended with exit code {code}");
            let error = Error::new(Reason::SkillFailed, message);
            Err(error.with("skill", skill).with("exit_code", code))
        }
        Err(trouble) => Err(failure(skill, limit, trouble)),
    }
}

/// The error behind a trouble.
pub fn failure(skill: &str, limit: Duration, trouble: Trouble) -> Error {
    let error = match trouble {
        Trouble::Broken(problem) => {
            let message = format!("the skill `{skill}` does not start: {problem}");
            Error::new(Reason::SkillFailed, message)
        }
        Trouble::TimedOut => {
            let limit = Duration::from_millis(limit.as_millis() as u64);
            let limit = humantime::format_duration(limit);
            let message = format!("the skill `{skill}` did not end within {limit}");
            Error::new(Reason::SkillTimeout, message)
        }
        Trouble::TooMuchOutput => {
            let message = format!("the skill `{skill}` printed more than 1 MiB");
            Error::new(Reason::SkillOutputTooLarge, message).with("limit", output::LARGEST)
        }
    };
    error.with("skill", skill)
}
