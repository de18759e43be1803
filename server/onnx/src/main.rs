//! `browse-onnx`: scores text with an ONNX classifier from a folder. `browsed`
//! starts it where `security_model_dir` names one.
//!
//! It is a process of its own, so that the daemon stays small, and so that what
//! goes wrong in native code ends nothing else. It reads questions on standard
//! input, answers on standard output, and ends when its input does.

mod model;
mod model_hash;
mod pipe;
mod sandbox;
mod scoring;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use browse_guard::onnx_classifier::{LoadedModel, ModelFileError, ModelFolder, StartupMessage};

use model::OnnxModel;
use pipe::{ResponseWriter, requests};

/// Exit code for a call that makes no sense.
const USAGE_EXIT_CODE: u8 = 2;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let (Some(folder), Some(runtime), None) = (args.next(), args.next(), args.next()) else {
        eprintln!("browse-onnx {}: `browsed` starts it", env!("CARGO_PKG_VERSION"));
        eprintln!("usage: browse-onnx <folder of the model> <library of ONNX Runtime>");
        return ExitCode::from(USAGE_EXIT_CODE);
    };
    let (folder, runtime) = (PathBuf::from(folder), PathBuf::from(runtime));
    // Before any library can print to where the answers go.
    let mut answers = match ResponseWriter::take_stdout() {
        Ok(answers) => answers,
        Err(error) => {
            eprintln!("error: no standard output: {error}");
            return ExitCode::FAILURE;
        }
    };
    match load(&folder, &runtime) {
        Ok((model, ready)) => {
            answers.write_response(&StartupMessage::Ready(ready));
            serve(model, &mut answers);
            ExitCode::SUCCESS
        }
        Err(ModelFileError { file, reason: why }) => {
            answers.write_response(&StartupMessage::Failed { file, why });
            ExitCode::FAILURE
        }
    }
}

/// Finds, confines, loads: in this order, since what is loaded is not trusted.
fn load(folder: &Path, runtime: &Path) -> Result<(OnnxModel, LoadedModel), ModelFileError> {
    let begun = Instant::now();
    let found = ModelFolder::read(folder)?;
    let (sha256, bytes) = model_hash::hash_file(&found.model)?;
    let held = sandbox::enter_sandbox(&[folder, runtime], bytes).map_err(|error| {
        ModelFileError::new("the process", format!("cannot be confined: {error}"))
    })?;
    let model = OnnxModel::load(&found, runtime)?;
    let ready = LoadedModel {
        kind: found.description.model_type.clone(),
        sha256,
        bytes,
        window: model.window_tokens(),
        load_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        runtime: model.runtime_version().to_owned(),
        held,
    };
    Ok((model, ready))
}

/// Answers until the input ends.
fn serve(mut model: OnnxModel, answers: &mut ResponseWriter) {
    for ask in requests() {
        let until = Instant::now() + Duration::from_millis(ask.patience_ms);
        let output = scoring::score_text(&mut model, &ask.text, ask.first, until);
        answers.write_response(&output);
    }
}
