//! What is to run: checked when the settings are read, so that a folder which
//! holds no usable model is an error at the start, and never a silent off.

use std::{
    env,
    fs::File,
    path::{Path, PathBuf},
};

use browse_guard::onnx_classifier::{ModelFileError, ModelFolder, RUNTIME_FILE, file_name};
use browse_proto::Reason;
use url::Url;

use super::model_registry;
use browse_base::{Error, Result};

/// The program that runs a model; it lies beside ours.
const PROGRAM_NAME: &str = "browse-onnx";

/// What the settings say.
#[derive(Clone, Debug, Default)]
pub struct ModelSettings {
    /// The model to run, if any.
    pub onnx: Option<OnnxConfig>,
    /// Address that serves packages in place of PyPI.
    pub package_index: Option<Url>,
}

/// A model that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnnxConfig {
    /// What it is called: the name of its folder.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The library of ONNX Runtime.
    pub runtime: PathBuf,
    /// The program that runs it.
    pub program: PathBuf,
}

impl OnnxConfig {
    /// Checks `folder`, which a setting in `place` names; `runtime` and
    /// `program` are those of other settings. `home` is that of browse.
    ///
    /// # Errors
    /// `MODEL_UNUSABLE`, `MODEL_RUNTIME_MISSING`, `MODEL_PROGRAM_MISSING`.
    pub fn from_folder(
        folder: PathBuf,
        place: &str,
        runtime: Option<PathBuf>,
        program: Option<PathBuf>,
        home: &Path,
    ) -> Result<Self> {
        ModelFolder::read(&folder).map_err(|problem| model_unusable(&folder, place, &problem))?;
        let runtime = find_runtime(&folder, runtime, home)?;
        let program = find_program(program)?;
        Ok(Self { name: file_name(&folder), folder, runtime, program })
    }
}

fn model_unusable(folder: &Path, place: &str, problem: &ModelFileError) -> Error {
    let file = match problem.file == file_name(folder) {
        true => folder.to_owned(),
        false => folder.join(&problem.file),
    };
    let file = file.display();
    let message =
        format!("the model of `security_model_dir` cannot be used: `{file}`: {}", problem.reason);
    Error::new(Reason::ModelUnusable, message).with("file", file).with("place", place)
}

/// The library that a setting names, that of the model, or one that was
/// installed.
fn find_runtime(folder: &Path, named: Option<PathBuf>, home: &Path) -> Result<PathBuf> {
    let missing = |message: String| Error::new(Reason::ModelRuntimeMissing, message);
    if let Some(path) = named {
        return match File::open(&path) {
            Ok(_) => Ok(path),
            Err(error) => Err(missing(format!(
                "`security_model_runtime` names `{}`: {error}",
                path.display()
            ))),
        };
    }
    let installed = model_registry::MODEL_NAMES
        .map(|name| model_registry::model_folder(home, name).join(RUNTIME_FILE));
    let places = [folder.join(RUNTIME_FILE)].into_iter().chain(installed);
    places.into_iter().find(|path| path.is_file()).ok_or_else(|| {
        missing(format!(
            "no ONNX Runtime: neither `{}` nor an installed one",
            folder.join(RUNTIME_FILE).display()
        ))
    })
}

fn find_program(named: Option<PathBuf>) -> Result<PathBuf> {
    let beside = || env::current_exe().unwrap_or_default().with_file_name(PROGRAM_NAME);
    let path = named.unwrap_or_else(beside);
    match path.is_file() {
        true => Ok(path),
        false => {
            let message = format!("the program `{}` is missing", path.display());
            Err(Error::new(Reason::ModelProgramMissing, message).with("path", path.display()))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("mine");
        let program = home.path().join("program");
        let check = |runtime: Option<PathBuf>| {
            let program = Some(program.clone());
            OnnxConfig::from_folder(folder.clone(), "config.toml:3", runtime, program, home.path())
        };
        let fails = |runtime: Option<PathBuf>| {
            let error = check(runtime).expect_err("something is missing");
            (error.reason(), error.to_string(), error.hint())
        };
        let (reason, message, hint) = fails(None);
        assert_eq!(reason, Reason::ModelUnusable);
        assert!(message.contains(&folder.display().to_string()), "{message}");
        assert!(hint.contains("config.toml:3"), "{hint}");
        fs::create_dir(&folder).expect("a folder");
        assert!(fails(None).1.contains("mine/model.onnx`: it is missing"));
        for name in ["model.onnx", "tokenizer.json", "config.json"] {
            fs::write(folder.join(name), "{}").expect("a file");
        }
        assert_eq!(fails(None).0, Reason::ModelRuntimeMissing);
        let outside = home.path().join("libonnxruntime.so.1");
        assert!(fails(Some(outside.clone())).1.contains("libonnxruntime.so.1"));
        let installed = model_registry::model_folder(home.path(), "onnxruntime");
        fs::create_dir_all(&installed).expect("a folder");
        fs::write(installed.join(RUNTIME_FILE), "").expect("a file");
        assert_eq!(fails(None).0, Reason::ModelProgramMissing);
        fs::write(&program, "").expect("a file");
        assert_eq!(check(None).expect("all is there").runtime, installed.join(RUNTIME_FILE));
        fs::write(folder.join(RUNTIME_FILE), "").expect("a file");
        assert_eq!(check(None).expect("its own").runtime, folder.join(RUNTIME_FILE));
        fs::write(&outside, "").expect("a file");
        let plan = check(Some(outside.clone())).expect("the named one");
        assert_eq!((plan.runtime, plan.name.as_str()), (outside, "mine"));
    }
}
