//! Waits for Paged.js, which lays a document out in pages and so makes the
//! numbers of a table of contents known.

use std::time::Duration;

use browse_proto::Reason;
use serde::Deserialize;
use tokio::time::Instant;

use browse_base::{Error, Result};
use browse_chromium::Page;
use browse_engine::ENGINE_SCRIPT;

/// Time within which the library has to show itself.
const DETECTION_TIMEOUT: Duration = Duration::from_secs(5);

/// Time kept for printing.
const PRINT_MARGIN: Duration = Duration::from_millis(500);

/// Between two looks.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Looks without a change that stand for the end, when no event reports it.
const STABLE_POLLS: u32 = 20;

/// The library writes the count of pages to the area of the pages when all are
/// laid out; until then the area only grows.
const PROGRESS_SCRIPT: &str = "(() => {
  const area = document.querySelector('.pagedjs_pages');
  const reported = area ? area.style.getPropertyValue('--pagedjs-page-count') : '';
  return { pages: document.querySelectorAll('.pagedjs_page').length, reported: Number(reported) || 0 };
})()";

#[derive(Deserialize, PartialEq, Clone, Copy)]
struct PagedProgress {
    pages: u32,
    reported: u32,
}

/// Waits until the pages are laid out; false when the page has no Paged.js.
///
/// # Errors
/// `WAIT_TIMEOUT` when it does not end in time.
pub async fn wait_for_layout(page: &Page, deadline: Instant) -> Result<bool> {
    let begun = Instant::now();
    let mut last = PagedProgress { pages: 0, reported: 0 };
    let mut calm = 0;
    loop {
        let world = page.world(&page.main_frame().id, &ENGINE_SCRIPT).await?;
        let look: PagedProgress = world.evaluate(PROGRESS_SCRIPT).await?;
        calm = if look == last && look.pages > 0 { calm + 1 } else { 0 };
        if look.reported > 0 && look.pages >= look.reported || calm >= STABLE_POLLS {
            return Ok(true);
        }
        // Printing takes time as well.
        let is_late = Instant::now() + PRINT_MARGIN >= deadline;
        if look.pages == 0 && (begun.elapsed() > DETECTION_TIMEOUT || is_late) {
            return Ok(false);
        }
        if is_late {
            let message = "Paged.js has not laid out all pages";
            return Err(Error::new(Reason::WaitTimeout, message));
        }
        last = look;
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
