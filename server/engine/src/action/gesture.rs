//! What the mouse is to do with an element.

use std::str::FromStr;

use crate::error::{Error, RefusalKind, Result};
use browse_chromium::MouseButton;

/// A button of the mouse.
pub type Button = MouseButton;

/// Keys held down during a click.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Modifiers(pub u8);

/// How to click.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Click {
    /// With which button.
    pub button: Button,
    /// How often in a row; 2 is a double click.
    pub count: u32,
    /// With which keys held.
    pub modifiers: Modifiers,
    /// Where: a point from the top left corner of the element, in CSS pixels; its
    /// middle when none is given.
    pub offset: Option<(f64, f64)>,
}

impl Default for Click {
    fn default() -> Self {
        Self { button: Button::Left, count: 1, modifiers: Modifiers::default(), offset: None }
    }
}

impl FromStr for Modifiers {
    type Err = Error;

    /// `Control+Shift`; nothing for none.
    fn from_str(text: &str) -> Result<Self> {
        let mut bits = 0;
        for name in text.split(['+', ',']).map(str::trim).filter(|name| !name.is_empty()) {
            bits |= match name.to_ascii_lowercase().as_str() {
                "alt" | "option" => 1,
                "control" | "ctrl" => 2,
                "meta" | "command" | "cmd" => 4,
                "shift" => 8,
                "controlormeta" if cfg!(target_os = "macos") => 4,
                "controlormeta" => 2,
                _ => {
                    let message =
                        format!("`{name}` is not a modifier; there are Alt, Control, Meta, Shift");
                    return Err(Error::refused(RefusalKind::KeyUnknown, message).with("key", name));
                }
            };
        }
        Ok(Self(bits))
    }
}

/// What the mouse does at the point.
pub(super) enum Gesture {
    Click(Click),
    Hover,
}
