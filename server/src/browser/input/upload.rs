//! Giving files to a page.

use browse_proto::{Reason, v1};

use super::{act, engine, target};
use crate::{
    dispatch::Context,
    engine::Engine,
    error::{Error, Result},
    sessions::Files,
};

/// Files of one call.
const MOST_FILES: usize = 1_000;

/// Gives files to a file input.
pub async fn upload(cx: &Context, request: v1::UploadRequest) -> Result<v1::UploadResponse> {
    let target = target(&request.target)?;
    let invalid = |message: String| {
        Err(Error::new(Reason::ArgumentInvalid, message).with("command", "upload"))
    };
    if request.file.is_empty() {
        return invalid("no file is named".to_owned());
    }
    if request.file.len() > MOST_FILES {
        return invalid(format!("{} files are more than {MOST_FILES}", request.file.len()));
    }
    if let Some(file) = request.file.iter().find(|file| !is_plain(&file.name)) {
        return invalid(format!("`{}` is no name of a file", crate::error::quote(&file.name)));
    }
    let browser = cx.daemon().sessions().slot().browser().await?;
    let files = Files::write(&browser.info().uploads, request.file).await?;
    let (paths, until) = (files.paths().to_vec(), cx.deadline());
    let upload = |engine: Engine| async move { engine.upload(&target, &paths, until).await };
    let receipt = act(cx, engine(cx, request.no_wait), upload).await?;
    cx.tab().uploads().keep(files);
    Ok(v1::UploadResponse { receipt: Some(receipt) })
}

/// Whether a name stays within its folder.
fn is_plain(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && name.len() <= 255 && !name.contains(['/', '\\', '\0'])
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn names_stay_within_their_folder() {
        for name in ["a.txt", ".hidden", "a b", "ünï.pdf", "..."] {
            assert!(is_plain(name), "{name}");
        }
        for name in ["", ".", "..", "../a", "/etc/passwd", "a/b", "a\\b", "a\0"] {
            assert!(!is_plain(name), "{name:?}");
        }
        assert!(!is_plain(&"a".repeat(256)));
    }
}
