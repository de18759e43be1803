//! Downloads of a client: the session keeps them by its own rules, and the client gets a
//! copy in the folder that it names, which lies in the folder of temporary files.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use browse_proto::{file_name, sensitive_paths::is_private};
use serde_json::{Value, json};

use super::{commands::Served, devtools_client::DevToolsClient, refusals::refused};
use crate::devtools::message::{self, DevToolsError, DevToolsRequest, ReplyAddress, SERVER_ERROR};

/// What happens to the downloads of a context.
#[derive(Clone, Debug, Default)]
pub(super) struct DownloadBehavior {
    /// Whether the client hears of them.
    reports: bool,
    /// The session that asked for it, which hears of them.
    session: Option<String>,
    /// Where copies go.
    folder: Option<PathBuf>,
    /// Whether a copy has the name that the page suggests; else it has its id.
    by_name: bool,
    /// Names of those under way, by their ids.
    names: Vec<(String, String)>,
}

impl DevToolsClient {
    /// `Browser.setDownloadBehavior`. Where Chromium writes does not change.
    pub(super) fn set_download_behavior(&self, request: &DevToolsRequest) -> Served {
        let keeps = match request.text("behavior") {
            Some("allow" | "allowAndName") => true,
            Some("deny" | "default") => false,
            _ => return Err(refused(&request.method, "the `behavior` is not known")),
        };
        // A client on another machine names a folder there, and gets no copies.
        let copies = keeps && self.working_directory().is_some();
        let folder = match request.text("downloadPath").filter(|_| copies) {
            Some(path) if !path.is_empty() => {
                let checked = check_folder(Path::new(path), &self.parts().home);
                Some(checked.map_err(|why| refused(&request.method, why))?)
            }
            _ => None,
        };
        let behavior = DownloadBehavior {
            reports: request.flag("eventsEnabled"),
            session: request.session.clone(),
            folder,
            by_name: request.text("behavior") == Some("allow"),
            names: Vec::new(),
        };
        let context = self.with_context(request)["browserContextId"].as_str().map(str::to_owned);
        self.state().downloads.insert(context.unwrap_or_default(), behavior);
        self.send(ReplyAddress::of(request).result(&json!({})));
        Ok(())
    }

    /// `Browser.cancelDownload`, of one that the client was notified of.
    pub(super) fn cancel_download(&self, request: &DevToolsRequest) -> Served {
        let guid = request.text("guid").unwrap_or_default();
        let is_known = {
            let state = self.state();
            let mut names = state.downloads.values().flat_map(|behavior| &behavior.names);
            names.any(|(known, _)| known == guid)
        };
        if !is_known {
            return Err(DevToolsError::new(
                SERVER_ERROR,
                "No download item found for the given GUID",
            ));
        }
        self.forward(None, request, &self.with_context(request))
    }

    /// A download of one of its contexts began or went on.
    pub(super) fn on_download(&self, context: &str, method: &str, params: &Value, file: &Path) {
        let guid = params["guid"].as_str().unwrap_or_default();
        let copied = {
            let mut state = self.state();
            let Some(behavior) = state.downloads.get_mut(context) else {
                drop(state);
                return self.remove_unkept(context, params, file);
            };
            if method == "Browser.downloadWillBegin" {
                let name = params["suggestedFilename"].as_str().unwrap_or_default();
                behavior.names.push((guid.to_owned(), file_name::sanitize(name)));
            }
            let at = behavior.names.iter().position(|(known, _)| known == guid);
            let ends = matches!(params["state"].as_str(), Some("completed" | "canceled"));
            let name = at.map(|at| match ends {
                true => behavior.names.swap_remove(at).1,
                false => behavior.names[at].1.clone(),
            });
            let name = if behavior.by_name { name } else { Some(guid.to_owned()) };
            let folder = behavior.folder.clone().filter(|_| params["state"] == "completed");
            let to = folder.zip(name).map(|(folder, name)| folder.join(name));
            (behavior.reports, behavior.session.clone(), to)
        };
        let (reports, session, to) = copied;
        let report = {
            let client = self.myself();
            let (method, params) = (method.to_owned(), params.clone());
            move |to: Option<PathBuf>| {
                let Some(client) = client.upgrade().filter(|_| reports) else { return };
                let mut params = params;
                if let Some(fields) = params.as_object_mut() {
                    // Where Chromium has the file is not for clients.
                    fields.remove("filePath");
                    if let Some(to) = to {
                        fields.insert("filePath".to_owned(), json!(to));
                    }
                }
                client.send(message::event(session.as_deref(), &method, &params));
            }
        };
        let Some(to) = to else {
            self.remove_unkept(context, params, file);
            return report(None);
        };
        // The session moves the file as soon as this returns.
        let held = file.with_extension(format!("cdp-{}", self.number()));
        let linked = fs::hard_link(file, &held);
        self.remove_unkept(context, params, file);
        if let Err(error) = linked {
            tracing::warn!(%error, "a client gets no copy of a download");
            return report(None);
        }
        tokio::task::spawn_blocking(move || {
            let copied = copy_new(&held, &to);
            let _ = fs::remove_file(&held);
            if let Err(error) = copied {
                tracing::warn!(%error, "a client gets no copy of a download");
                return report(None);
            }
            report(Some(to));
        });
    }
}

impl DevToolsClient {
    /// Removes the file of a context that the client made: the session keeps none of it.
    fn remove_unkept(&self, context: &str, params: &Value, file: &Path) {
        if context != self.context().as_str() && params["state"] == "completed" {
            let _ = fs::remove_file(file);
        }
    }
}

/// Copies into a file that is not there yet: a link in its place is not followed.
fn copy_new(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut source = fs::File::open(from)?;
    let mut target = fs::OpenOptions::new().write(true).create_new(true).open(to)?;
    std::io::copy(&mut source, &mut target).map(drop)
}

/// The folder for copies: one of the user in the folder of temporary files, which
/// nobody else writes to.
fn check_folder(path: &Path, home: &Path) -> Result<PathBuf, String> {
    let shown = path.display();
    let real = fs::canonicalize(path).map_err(|error| format!("`{shown}`: {error}"))?;
    let temp = [std::env::temp_dir(), PathBuf::from("/tmp")];
    let resolve = |place: &PathBuf| fs::canonicalize(place).unwrap_or_else(|_| place.clone());
    if !temp.iter().map(resolve).any(|temp| real.starts_with(&temp) && real != temp) {
        return Err(format!(
            "`{shown}` is outside of the folder of temporary files; the session keeps downloads \
             as well: `browse downloads`"
        ));
    }
    let home = resolve(&home.to_path_buf());
    if real.starts_with(home) || is_private(&real.join("x")) {
        return Err(format!("`{shown}` is a folder of settings or secrets"));
    }
    let about = fs::metadata(&real).map_err(|error| format!("`{shown}`: {error}"))?;
    let is_own = about.uid() == nix::unistd::geteuid().as_raw() && about.mode() & 0o022 == 0;
    match about.is_dir() && is_own {
        true => Ok(real),
        false => Err(format!("`{shown}` is not a folder that only its owner writes to")),
    }
}
