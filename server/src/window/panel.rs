//! The side panel of a window: the dashboard itself, in an extension of ours, served over the
//! pipe to the browser of the window.

use std::{
    fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use browse_base::Result;
use browse_chromium::{Browser, SidePanel};
use tokio::task::{AbortHandle, JoinSet};

use crate::dashboard::{ExtensionKind, PanelAccess, PanelBridge, extension_files};

/// Time that the panel gets to open. A window without one is a window, too.
const OPEN_TIMEOUT: Duration = Duration::from_secs(5);

/// An open panel. What it may do ends with this, and so do its calls.
pub(super) struct Panel {
    _access: PanelAccess,
    serving: AbortHandle,
}

impl Panel {
    /// Opens the panel in the browser of a window.
    ///
    /// # Errors
    /// The files cannot be written, or the browser opens no panel.
    pub(super) async fn open(browser: &Arc<Browser>, access: PanelAccess) -> Result<Self> {
        let folder = write_extension(&browser.info().uploads)?;
        let panel = browser.open_side_panel(&folder, OPEN_TIMEOUT).await?;
        let bridge = Arc::clone(access.bridge());
        let serving = tokio::spawn(serve(panel, bridge)).abort_handle();
        Ok(Self { _access: access, serving })
    }
}

impl Drop for Panel {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Serves the documents of the panel until the browser ends. The person may close the panel
/// and open it again, in each window of the browser.
async fn serve(mut panel: SidePanel, bridge: Arc<PanelBridge>) {
    let mut documents = JoinSet::new();
    loop {
        tokio::select! {
            document = panel.next_document() => match document {
                Some(document) => drop(documents.spawn(Arc::clone(&bridge).serve(document))),
                None => return,
            },
            // Those that have ended are not kept.
            Some(_) = documents.join_next() => {}
        }
    }
}

/// Writes the extension beside the files of the browser, with which it goes.
fn write_extension(beside: &Path) -> Result<PathBuf> {
    let files = extension_files(ExtensionKind::Pipe)?;
    let folder = beside.join("panel");
    let write = || -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        files.iter().try_for_each(|file| fs::write(folder.join(file.name), &file.content))
    };
    write().map_err(|error| browse_chromium::Error::System {
        what: "the side panel",
        message: error.to_string(),
    })?;
    Ok(folder)
}
