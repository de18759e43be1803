//! Giving files to a page.

use browse_proto::{Reason, v1};

use super::{engine_for, parse_target, run_action};
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_engine::Engine;
use browse_sessions::UploadedFiles;

/// Files of one call.
const MAX_FILES: usize = 1_000;

/// Gives files to a file input.
pub async fn upload(cx: &CallContext, request: v1::UploadRequest) -> Result<v1::UploadResponse> {
    let target = parse_target(&request.target)?;
    if request.file.is_empty() {
        let error = Error::new(Reason::ArgumentInvalid, "no file is named");
        return Err(error.with("command", "upload"));
    }
    check_file_names("upload", request.file.iter().map(|file| &file.name))?;
    let browser = cx.browser().await?;
    let files = UploadedFiles::write_to(&browser.info().uploads, request.file).await?;
    let (paths, until) = (files.paths().to_vec(), cx.deadline());
    let upload = |engine: Engine| async move { engine.upload(&target, &paths, until).await };
    let receipt = run_action(cx, engine_for(cx, request.no_wait), upload).await?;
    cx.tab().uploads().keep(files);
    Ok(v1::UploadResponse { receipt: Some(receipt) })
}

/// Refuses too many files, and names that lead out of a folder.
///
/// # Errors
/// `ARGUMENT_INVALID`, for `command`.
pub fn check_file_names<'a>(
    command: &str,
    names: impl ExactSizeIterator<Item = &'a String> + Clone,
) -> Result<()> {
    let invalid = |message: String| {
        Err(Error::new(Reason::ArgumentInvalid, message).with("command", command))
    };
    if names.len() > MAX_FILES {
        return invalid(format!("{} files are more than {MAX_FILES}", names.len()));
    }
    match names.clone().find(|name| !is_plain_name(name)) {
        Some(name) => invalid(format!("`{}` is not a name of a file", browse_base::quote(name))),
        None => Ok(()),
    }
}

/// Whether a name stays within its folder.
fn is_plain_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && name.len() <= 255 && !name.contains(['/', '\\', '\0'])
}

#[cfg(test)]
mod tests {
    use super::is_plain_name;

    #[test]
    fn names_stay_within_their_folder() {
        for name in ["a.txt", ".hidden", "a b", "ünï.pdf", "..."] {
            assert!(is_plain_name(name), "{name}");
        }
        for name in ["", ".", "..", "../a", "/etc/passwd", "a/b", "a\\b", "a\0"] {
            assert!(!is_plain_name(name), "{name:?}");
        }
        assert!(!is_plain_name(&"a".repeat(256)));
    }
}
