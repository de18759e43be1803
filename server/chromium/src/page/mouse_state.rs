//! The mouse of a tab, between two events.

/// Where the pointer of a tab is, and which buttons are down.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MouseState {
    /// From the left of the viewport, in CSS pixels.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// Bits: 1 left, 2 right, 4 middle.
    pub held_buttons: u8,
}
