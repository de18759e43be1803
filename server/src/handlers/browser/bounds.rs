//! Rectangles in responses.

use browse_engine::Rect;
use browse_proto::v1;

/// A rectangle, rounded to a tenth of a CSS pixel.
pub fn to_box(rect: Rect) -> v1::Box {
    let round = |value: f64| (value * 10.0).round() / 10.0;
    v1::Box {
        x: round(rect.x),
        y: round(rect.y),
        width: round(rect.width),
        height: round(rect.height),
    }
}
