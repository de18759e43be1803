//! Files that a client gives to a page: by the rules of `upload`, and as copies.

use std::{
    fs,
    path::{Path, PathBuf},
};

use browse_chromium::{SessionId, TargetId};
use browse_proto::v1;
use browse_sessions::UploadedFiles;
use serde_json::{Value, json};

use super::{commands::Served, devtools_client::DevToolsClient, refusals::refused};
use crate::{
    address::readable_file,
    devtools::message::{DevToolsError, DevToolsRequest, INVALID_PARAMS},
};

/// Files of one call.
const MAX_FILES: usize = 1_000;

/// Bytes of the files of one call.
const MAX_BYTES: u64 = 256 << 20;

impl DevToolsClient {
    /// `DOM.setFileInputFiles`.
    pub(super) async fn set_files(
        &self,
        request: &DevToolsRequest,
        session: &SessionId,
        target: &TargetId,
    ) -> Served {
        let Some(cwd) = self.working_directory().cloned() else {
            let why = "its paths are of the machine of the browser: pass contents instead of paths";
            return Err(refused(&request.method, why));
        };
        let wrong = || DevToolsError::new(INVALID_PARAMS, "`files` is not a list of paths");
        let files = match request.params.get("files") {
            Some(Value::Array(files)) => files,
            _ => return Err(wrong()),
        };
        let paths = files.iter().map(|path| path.as_str().map(PathBuf::from));
        let paths: Vec<_> = paths.collect::<Option<_>>().ok_or_else(wrong)?;
        if paths.len() > MAX_FILES {
            return Err(refused(&request.method, format!("more than {MAX_FILES} files")));
        }
        let home = self.parts().home.clone();
        let read = tokio::task::spawn_blocking(move || read_files(&paths, &cwd, &home)).await;
        let read = read.map_err(|error| error.to_string()).and_then(|read| read);
        let read = read.map_err(|why| refused(&request.method, why))?;
        let folder = self.protocol()?.browser().info().uploads.clone();
        let written = UploadedFiles::write_to(&folder, read).await;
        let written = written.map_err(|error| refused(&request.method, error))?;
        let mut params = request.params.clone();
        params.insert("files".to_owned(), json!(written.paths()));
        let sent = self.forward(Some(session), request, &Value::Object(params));
        let tabs = self.session().tabs();
        match tabs.iter().find(|tab| tab.page().target_id() == target) {
            Some(tab) => tab.uploads().keep(written),
            None => self.keep_files(written),
        }
        sent
    }
}

fn read_files(paths: &[PathBuf], cwd: &Path, home: &Path) -> Result<Vec<v1::UploadFile>, String> {
    let (mut files, mut total) = (Vec::new(), 0);
    for path in paths {
        let real = readable_file(path, cwd, home).map_err(|error| error.to_string())?;
        let failed = |error: std::io::Error| format!("`{}`: {error}", path.display());
        total += fs::metadata(&real).map_err(failed)?.len();
        if total > MAX_BYTES {
            return Err(format!("the files have more than {} MiB", MAX_BYTES >> 20));
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let content = fs::read(&real).map_err(failed)?;
        files.push(v1::UploadFile { name: name.unwrap_or_default(), content });
    }
    Ok(files)
}
