//! The folder of a model: its files, and what they say. The one part of this
//! crate that reads files, so that both ends read them alike.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use super::{
    CALIBRATION_FILE, CONFIG_FILE, MODEL_FILES, ModelDescription, ModelFileError,
    TOKENIZER_CONFIG_FILE, TOKENIZER_FILES,
};

/// Bytes of a file of settings.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// The files of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFolder {
    /// The model.
    pub model: PathBuf,
    /// Its tokenizer.
    pub tokenizer: PathBuf,
    /// What the files beside it say.
    pub description: ModelDescription,
}

impl ModelFolder {
    /// Finds the files in `folder`.
    ///
    /// # Errors
    /// The file that is missing, cannot be read or says nothing of use.
    pub fn read(folder: &Path) -> Result<Self, ModelFileError> {
        if let Err(error) = fs::read_dir(folder) {
            return Err(ModelFileError::new(file_name(folder), error.to_string()));
        }
        let model = find_file(folder, &MODEL_FILES)?;
        let tokenizer = find_file(folder, &TOKENIZER_FILES)?;
        let missing = || ModelFileError::new(CONFIG_FILE, "it is missing");
        let config = read_config(folder, CONFIG_FILE)?.ok_or_else(missing)?;
        let of_tokenizer = read_config(folder, TOKENIZER_CONFIG_FILE)?;
        let calibration = read_config(folder, CALIBRATION_FILE)?;
        let description =
            ModelDescription::read(&config, of_tokenizer.as_deref(), calibration.as_deref())?;
        Ok(Self { model, tokenizer, description })
    }
}

/// The name of a file without its folder.
pub fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn find_file(folder: &Path, names: &[&str]) -> Result<PathBuf, ModelFileError> {
    for name in names {
        match regular_file_metadata(&folder.join(name)).and_then(|_| File::open(folder.join(name)))
        {
            Ok(_) => return Ok(folder.join(name)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(ModelFileError::new(*name, error.to_string())),
        }
    }
    Err(ModelFileError::new(names[0], "it is missing"))
}

/// Facts about a file: whoever opens a pipe waits for its other end.
fn regular_file_metadata(path: &Path) -> io::Result<fs::Metadata> {
    let found = fs::metadata(path)?;
    match found.is_file() {
        true => Ok(found),
        false => Err(io::Error::other("it is not a file")),
    }
}

fn read_config(folder: &Path, name: &str) -> Result<Option<String>, ModelFileError> {
    let problem = |error: io::Error| ModelFileError::new(name, error.to_string());
    let path = folder.join(name);
    match regular_file_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(problem(error)),
        Ok(found) if found.len() > MAX_CONFIG_BYTES => {
            return Err(ModelFileError::new(
                name,
                format!("it has more than {MAX_CONFIG_BYTES} bytes"),
            ));
        }
        Ok(_) => {}
    }
    fs::read_to_string(path).map(Some).map_err(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_must_be_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let put =
            |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
        let problem = || ModelFolder::read(folder.path()).expect_err("it is not whole").file;
        assert_eq!(problem(), "model.onnx");
        fs::create_dir(folder.path().join("onnx")).expect("a folder");
        put("onnx/model.onnx", "abc");
        assert_eq!(problem(), "tokenizer.json");
        put("tokenizer.json", "{}");
        assert_eq!(problem(), "config.json");
        put("config.json", "no");
        assert_eq!(problem(), "config.json");
        put("config.json", "{}");
        put("tokenizer_config.json", "no");
        assert_eq!(problem(), "tokenizer_config.json");
        put("tokenizer_config.json", "{}");
        let found = ModelFolder::read(folder.path()).expect("it is whole");
        assert_eq!(found.model, folder.path().join("onnx/model.onnx"));
        assert_eq!(ModelFolder::read(&folder.path().join("no")).expect_err("no folder").file, "no");
    }
}
