//! `browse-onnx`: scores text with an ONNX classifier from a folder. `browsed`
//! starts it where `security_model_dir` names one.
//!
//! It is a process of its own, so that the daemon stays small, and so that what
//! goes wrong in native code ends nothing else. It reads questions on standard
//! input, answers on standard output, and ends when its input does.

mod hash;
mod hold;
mod model;
mod pipe;
mod text;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use browse_guard::second::{Begun, Folder, Problem, Ready};

use model::Model;
use pipe::{Answers, questions};

/// Exit code for a call that makes no sense.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let (Some(folder), Some(runtime), None) = (args.next(), args.next(), args.next()) else {
        eprintln!("browse-onnx {}: `browsed` starts it", env!("CARGO_PKG_VERSION"));
        eprintln!("usage: browse-onnx <folder of the model> <library of ONNX Runtime>");
        return ExitCode::from(USAGE);
    };
    let (folder, runtime) = (PathBuf::from(folder), PathBuf::from(runtime));
    // Before any library can print to where the answers go.
    let mut answers = match Answers::take() {
        Ok(answers) => answers,
        Err(error) => {
            eprintln!("error: no standard output: {error}");
            return ExitCode::FAILURE;
        }
    };
    match begin(&folder, &runtime) {
        Ok((model, ready)) => {
            answers.say(&Begun::Ready(ready));
            serve(model, &mut answers);
            ExitCode::SUCCESS
        }
        Err(Problem { file, why }) => {
            answers.say(&Begun::Failed { file, why });
            ExitCode::FAILURE
        }
    }
}

/// Finds, confines, loads: in this order, since what is loaded is not trusted.
fn begin(folder: &Path, runtime: &Path) -> Result<(Model, Ready), Problem> {
    let begun = Instant::now();
    let found = Folder::read(folder)?;
    let (sha256, bytes) = hash::hash(&found.model)?;
    let held = hold::hold(&[folder, runtime], bytes)
        .map_err(|error| Problem::new("the process", format!("cannot be confined: {error}")))?;
    let model = Model::load(&found, runtime)?;
    let ready = Ready {
        kind: found.description.kind.clone(),
        sha256,
        bytes,
        window: model.window(),
        load_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        runtime: model.runtime().to_owned(),
        held,
    };
    Ok((model, ready))
}

/// Answers until the input ends.
fn serve(mut model: Model, answers: &mut Answers) {
    for ask in questions() {
        let until = Instant::now() + Duration::from_millis(ask.patience_ms);
        let said = text::look(&mut model, &ask.text, ask.first, until);
        answers.say(&said);
    }
}
