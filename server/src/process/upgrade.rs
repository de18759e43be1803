//! The words of `browsed upgrade`, for `browse upgrade`.

use std::{path::Path, process::ExitCode};

use browse_base::{Error, Result};
use browse_proto::Reason;

use super::lifecycle;
use crate::upgrade::{ReleaseSource, upgrade};

/// Runs it with the words after `upgrade`: `[--check] PROGRAM`, the path of the `browse` that was
/// called. The result is JSON on standard output.
pub fn main(words: &[String]) -> ExitCode {
    lifecycle::print_outcome(run(words))
}

fn run(words: &[String]) -> Result<serde_json::Value> {
    let (check_only, program) = match words {
        [flag, program] if flag == "--check" => (true, program),
        [program] => (false, program),
        _ => {
            let message = "usage: browsed upgrade [--check] PROGRAM";
            return Err(Error::new(Reason::ArgumentInvalid, message));
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::new(Reason::UpgradeFailed, error.to_string()))?;
    runtime.block_on(upgrade(Path::new(program), ReleaseSource::built_in(), check_only))
}
