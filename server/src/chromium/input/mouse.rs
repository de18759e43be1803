//! The mouse.

use serde::de::IgnoredAny;
use serde_json::json;

use crate::chromium::connection::call::Call;
use crate::chromium::page::page::Page;
use crate::chromium::page::screencast::Pointer;

/// A button.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MouseButton {
    /// The usual one.
    #[default]
    Left,
    /// The wheel.
    Middle,
    /// Opens context menus.
    Right,
}

/// What the mouse does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MouseEventKind {
    /// Moves, with these buttons held (bits 1 left, 2 right, 4 middle).
    Move {
        /// Held buttons.
        held: u8,
    },
    /// Presses a button; `count` is 2 for the second press of a double click.
    Press {
        /// Which one.
        button: MouseButton,
        /// Which click of a series.
        count: u32,
    },
    /// Lets a button go.
    Release {
        /// Which one.
        button: MouseButton,
        /// Which click of a series.
        count: u32,
    },
    /// Turns the wheel by CSS pixels.
    Wheel {
        /// To the right.
        dx: f64,
        /// Down.
        dy: f64,
    },
}

/// One event at a point of the main frame's viewport, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MouseEvent {
    /// What happens.
    pub kind: MouseEventKind,
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// Bits: 1 Alt, 2 Control, 4 Meta, 8 Shift.
    pub modifiers: u8,
}

impl MouseButton {
    fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Middle => "middle",
            Self::Right => "right",
        }
    }

    fn bit(self) -> u8 {
        match self {
            Self::Left => 1,
            Self::Right => 2,
            Self::Middle => 4,
        }
    }
}

impl Page {
    /// Writes a mouse event now; the answer comes when the page has handled
    /// it. A release that opens a dialog is answered after the dialog.
    pub fn mouse(&self, event: MouseEvent) -> Call<IgnoredAny> {
        let mut params = json!({
            "x": event.x,
            "y": event.y,
            "modifiers": event.modifiers,
        });
        let kind = match event.kind {
            MouseEventKind::Move { held } => {
                params["buttons"] = json!(held);
                "mouseMoved"
            }
            MouseEventKind::Press { button, count } => {
                params["button"] = json!(button.name());
                params["buttons"] = json!(button.bit());
                params["clickCount"] = json!(count);
                "mousePressed"
            }
            MouseEventKind::Release { button, count } => {
                params["button"] = json!(button.name());
                params["buttons"] = json!(0);
                params["clickCount"] = json!(count);
                "mouseReleased"
            }
            MouseEventKind::Wheel { dx, dy } => {
                params["deltaX"] = json!(dx);
                params["deltaY"] = json!(dy);
                "mouseWheel"
            }
        };
        params["type"] = json!(kind);
        let pressed = match event.kind {
            MouseEventKind::Move { held } => held != 0,
            MouseEventKind::Press { .. } => true,
            MouseEventKind::Release { .. } | MouseEventKind::Wheel { .. } => false,
        };
        self.pointer.send_replace(Some(Pointer { x: event.x, y: event.y, pressed }));
        self.session().call_method("Input.dispatchMouseEvent", &params)
    }
}
