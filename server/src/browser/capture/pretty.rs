//! The page without what is in the way.

use browse_proto::v1;

use super::{painted, screenshot::take};
use crate::{chromium::Area, dispatch::Context, engine::Target, error::Result};

/// Hides, scrolls, captures, and puts the page back.
pub async fn pretty_screenshot(
    cx: &Context,
    request: v1::PrettyScreenshotRequest,
) -> Result<v1::ScreenshotResponse> {
    let _turn = cx.tab().turn(cx.deadline()).await;
    let hide: Vec<Target> =
        request.hide.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let mut laid = cx.engine().lay();
    if !request.keep {
        laid.declutter().await?;
    }
    for target in &hide {
        laid.hide(target).await?;
    }
    let mut area = Area::FullPage;
    if let Some(place) = request.scroll_to.as_deref() {
        area = Area::Viewport;
        match pixels(place) {
            Some(top) => laid.show_at(top).await?,
            None => laid.show(&place.parse()?).await?,
        }
    }
    painted(cx.page()).await?;
    let taken = take(cx.page(), area, request.format()).await;
    laid.put_back().await?;
    taken
}

/// `400` or `400px`.
fn pixels(text: &str) -> Option<f64> {
    let number = text.trim().trim_end_matches("px");
    number.parse().ok().filter(|top: &f64| top.is_finite() && *top >= 0.0)
}
