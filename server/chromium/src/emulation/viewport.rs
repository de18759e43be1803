//! How large a page is.

/// Size of the page area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Device pixels for each CSS pixel.
    pub scale: f64,
    /// Whether pages lay themselves out as on a phone.
    pub mobile: bool,
}

impl Default for Viewport {
    fn default() -> Self {
        Self { width: 1280, height: 720, scale: 1.0, mobile: false }
    }
}
