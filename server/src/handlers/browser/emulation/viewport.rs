//! The size of the page area.
//!
//! Chromium changes size and scale of a living page, so nothing is loaded
//! again: what `load-html` wrote, what was typed and every ref stay.

use browse_proto::v1;

use super::invalid;
use crate::dispatch::CallContext;
use browse_base::Result;
use browse_chromium::{EmulatedScreen, Emulation, Viewport};

/// Pixels that a side may have.
const SIDES: std::ops::RangeInclusive<u32> = 50..=10_000;

/// Device pixels for each CSS pixel.
const SCALES: std::ops::RangeInclusive<f64> = 1.0..=3.0;

/// Prints or sets the size of the page area.
pub async fn viewport(
    cx: &CallContext,
    request: v1::ViewportRequest,
) -> Result<v1::ViewportResponse> {
    let size = request.size.as_deref().map(parse_size).transpose()?;
    if let Some(scale) = request.scale.filter(|scale| !SCALES.contains(scale)) {
        return Err(invalid(format!("`--scale` is {scale}, and can be 1 to 3")));
    }
    if request.reset {
        cx.page().emulate(|state| state.screen = None).await?;
    } else if size.is_some() || request.scale.is_some() {
        let own = cx.page().default_viewport();
        cx.page().emulate(|state| apply_size(state, own, size, request.scale)).await?;
    }
    let Viewport { width, height, scale, .. } = cx.page().viewport();
    Ok(v1::ViewportResponse { width, height, scale })
}

/// What is not named stays: the scale, and that a device is touched.
fn apply_size(state: &mut Emulation, own: Viewport, size: Option<(u32, u32)>, scale: Option<f64>) {
    let mut screen = state.screen.unwrap_or(EmulatedScreen { viewport: own, has_touch: false });
    if let Some((width, height)) = size {
        (screen.viewport.width, screen.viewport.height) = (width, height);
    }
    screen.viewport.scale = scale.unwrap_or(screen.viewport.scale);
    state.screen = Some(screen);
}

fn parse_size(text: &str) -> Result<(u32, u32)> {
    let wrong = || {
        let (least, most) = (SIDES.start(), SIDES.end());
        let text = browse_base::quote(text);
        invalid(format!("`{text}` is not a size: write 1280x720, each side {least} to {most}"))
    };
    let (width, height) = text.split_once(['x', 'X', '×']).ok_or_else(wrong)?;
    let side = |text: &str| text.trim().parse().ok().filter(|side| SIDES.contains(side));
    Ok((side(width).ok_or_else(wrong)?, side(height).ok_or_else(wrong)?))
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes_are_two_numbers_within_bounds() {
        assert_eq!(parse_size("1280x720").unwrap(), (1280, 720));
        assert_eq!(parse_size("50X10000").unwrap(), (50, 10_000));
        for text in ["", "1280", "1280x", "x720", "49x720", "1280x10001", "-5x5", "1e3x5", "a x b"]
        {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
