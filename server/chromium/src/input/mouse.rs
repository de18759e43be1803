//! The mouse.

use serde::de::IgnoredAny;
use serde_json::json;

use crate::connection::call::CdpCall;
use crate::page::mouse_state::MouseState;
use crate::page::page::Page;
use crate::page::screencast::Pointer;

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
    /// Moves, with these buttons held besides those that are down (bits 1 left,
    /// 2 right, 4 middle).
    Move {
        /// Held buttons.
        held_buttons: u8,
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

/// The button that a move is declared to be made with.
fn first_button(held: u8) -> &'static str {
    let buttons = [MouseButton::Left, MouseButton::Right, MouseButton::Middle];
    buttons.into_iter().find(|button| held & button.bit() != 0).map_or("none", MouseButton::name)
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
    pub fn send_mouse_event(&self, event: MouseEvent) -> CdpCall<IgnoredAny> {
        let mut params = json!({
            "x": event.x,
            "y": event.y,
            "modifiers": event.modifiers,
        });
        let held = self.track_mouse(event);
        let kind = match event.kind {
            MouseEventKind::Move { .. } => {
                params["buttons"] = json!(held);
                params["button"] = json!(first_button(held));
                "mouseMoved"
            }
            MouseEventKind::Press { button, count } => {
                params["button"] = json!(button.name());
                params["buttons"] = json!(held);
                params["clickCount"] = json!(count);
                "mousePressed"
            }
            MouseEventKind::Release { button, count } => {
                params["button"] = json!(button.name());
                params["buttons"] = json!(held);
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
        let is_press = matches!(event.kind, MouseEventKind::Press { .. });
        self.pointer.send_modify(|pointer| {
            let presses = pointer.map_or(0, |pointer| pointer.presses) + u32::from(is_press);
            *pointer = Some(Pointer { x: event.x, y: event.y, pressed: held != 0, presses });
        });
        self.record_user_activation();
        self.session().call_method("Input.dispatchMouseEvent", &params)
    }

    /// Where the pointer is.
    pub fn mouse_state(&self) -> MouseState {
        *self.mouse.lock()
    }

    /// Forgets a button that is down: a drag swallowed its release.
    pub fn forget_button(&self, button: MouseButton) {
        self.mouse.lock().held_buttons &= !button.bit();
    }

    /// Keeps the pointer up to date; answers the buttons that are held with
    /// the event.
    fn track_mouse(&self, event: MouseEvent) -> u8 {
        let mut pointer = self.mouse.lock();
        (pointer.x, pointer.y) = (event.x, event.y);
        match event.kind {
            MouseEventKind::Move { held_buttons: held } => return pointer.held_buttons | held,
            MouseEventKind::Press { button, .. } => pointer.held_buttons |= button.bit(),
            MouseEventKind::Release { button, .. } => pointer.held_buttons &= !button.bit(),
            MouseEventKind::Wheel { .. } => {}
        }
        pointer.held_buttons
    }
}
