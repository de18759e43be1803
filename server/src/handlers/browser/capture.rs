//! Capture: the page as images, as documents and as files.

mod archive;
pub(crate) mod downloads;
mod files;
mod pdf;
mod pretty;
mod record;
mod responsive;
mod screenshot;

pub use archive::archive;
pub use downloads::{clear_downloads, list_downloads};
pub(super) use files::save_clicked;
pub use files::{download, scrape};
pub use pdf::{pdf, print_html};
pub use pretty::pretty_screenshot;
pub use record::{start_recording, stop_recording};
pub use responsive::responsive;
pub use screenshot::screenshot;

use browse_base::Result;
use browse_chromium::Page;
use browse_engine::ENGINE_SCRIPT;

/// Two frames: one in which the page hears of what was changed, and one in
/// which it has answered to it.
async fn wait_for_paint(page: &Page) -> Result<()> {
    let frames =
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))";
    let world = page.world(&page.main_frame().id, &ENGINE_SCRIPT).await?;
    let _: u32 = world.evaluate(frames).await?;
    Ok(())
}
