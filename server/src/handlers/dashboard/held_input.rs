//! Lets go what a person held down when the session is given back.

use browse_chromium::{KeyboardKey, MouseButton, MouseEvent, MouseEventKind};
use browse_sessions::Session;

/// Buttons, with their bits.
const BUTTONS: [(MouseButton, u8); 3] =
    [(MouseButton::Left, 1), (MouseButton::Right, 2), (MouseButton::Middle, 4)];

/// Lets go of the keys and buttons that are down in the tabs of `session`.
pub(super) fn release_held_input(session: &Session) {
    for tab in session.tabs() {
        let page = tab.page();
        for name in page.take_held_keys() {
            if let Ok(key) = KeyboardKey::named(&name) {
                page.key_up(key, 0).ignore();
            }
        }
        let mouse = page.mouse_state();
        for (button, bit) in BUTTONS {
            if mouse.held_buttons & bit != 0 {
                let kind = MouseEventKind::Release { button, count: 1 };
                let event = MouseEvent { kind, x: mouse.x, y: mouse.y, modifiers: 0 };
                page.send_mouse_event(event).ignore();
            }
        }
    }
}
