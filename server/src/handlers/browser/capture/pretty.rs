//! The page without what is in the way.

use browse_proto::v1;

use super::{screenshot::capture_image, wait_for_paint};
use crate::dispatch::CallContext;
use browse_base::Result;
use browse_chromium::CaptureArea;
use browse_engine::Target;

/// Hides, scrolls, captures, and puts the page back.
pub async fn pretty_screenshot(
    cx: &CallContext,
    request: v1::PrettyScreenshotRequest,
) -> Result<v1::ScreenshotResponse> {
    let _turn = cx.tab().acquire_navigation_lock(cx.deadline()).await;
    let hide: Vec<Target> =
        request.hide.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let mut laid = cx.engine().screenshot_layout();
    if !request.keep {
        laid.declutter().await?;
    }
    for target in &hide {
        laid.hide(target).await?;
    }
    let mut area = CaptureArea::FullPage;
    if let Some(place) = request.scroll_to.as_deref() {
        area = CaptureArea::Viewport;
        match parse_pixels(place) {
            Some(top) => laid.scroll_to(top).await?,
            None => laid.scroll_to_element(&place.parse()?).await?,
        }
    }
    wait_for_paint(cx.page()).await?;
    let taken = capture_image(cx.page(), area, request.format()).await;
    laid.restore().await?;
    taken
}

/// `400` or `400px`.
fn parse_pixels(text: &str) -> Option<f64> {
    let number = text.trim().trim_end_matches("px");
    number.parse().ok().filter(|top: &f64| top.is_finite() && *top >= 0.0)
}
