//! Places on a page.

use serde::Deserialize;

/// A rectangle in CSS pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub struct Rect {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}
