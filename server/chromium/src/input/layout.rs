//! The US keyboard: what each physical key is called and types.

/// One physical key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LayoutKey {
    /// `KeyboardEvent.code`.
    pub code: &'static str,
    /// `KeyboardEvent.key` without Shift.
    pub key: &'static str,
    /// `KeyboardEvent.key` with Shift.
    pub shifted: &'static str,
    /// `KeyboardEvent.keyCode`.
    pub key_code: u32,
    /// `KeyboardEvent.location`.
    pub location: u32,
}

impl LayoutKey {
    /// What the key types, if anything.
    pub(crate) fn text(self, shift: bool) -> Option<&'static str> {
        let key = if shift { self.shifted } else { self.key };
        match key {
            "Enter" => Some("\r"),
            _ if key.chars().count() == 1 => Some(key),
            _ => None,
        }
    }
}

const fn named_key(code: &'static str, key: &'static str, key_code: u32) -> LayoutKey {
    located_key(code, key, key_code, 0)
}

const fn located_key(
    code: &'static str,
    key: &'static str,
    key_code: u32,
    location: u32,
) -> LayoutKey {
    LayoutKey { code, key, shifted: key, key_code, location }
}

const fn typing_key(
    code: &'static str,
    key: &'static str,
    shifted: &'static str,
    key_code: u32,
) -> LayoutKey {
    LayoutKey { code, key, shifted, key_code, location: 0 }
}

/// All keys. Where a name stands for several, the first is meant.
pub(crate) const LAYOUT: &[LayoutKey] = &[
    typing_key("KeyA", "a", "A", 65),
    typing_key("KeyB", "b", "B", 66),
    typing_key("KeyC", "c", "C", 67),
    typing_key("KeyD", "d", "D", 68),
    typing_key("KeyE", "e", "E", 69),
    typing_key("KeyF", "f", "F", 70),
    typing_key("KeyG", "g", "G", 71),
    typing_key("KeyH", "h", "H", 72),
    typing_key("KeyI", "i", "I", 73),
    typing_key("KeyJ", "j", "J", 74),
    typing_key("KeyK", "k", "K", 75),
    typing_key("KeyL", "l", "L", 76),
    typing_key("KeyM", "m", "M", 77),
    typing_key("KeyN", "n", "N", 78),
    typing_key("KeyO", "o", "O", 79),
    typing_key("KeyP", "p", "P", 80),
    typing_key("KeyQ", "q", "Q", 81),
    typing_key("KeyR", "r", "R", 82),
    typing_key("KeyS", "s", "S", 83),
    typing_key("KeyT", "t", "T", 84),
    typing_key("KeyU", "u", "U", 85),
    typing_key("KeyV", "v", "V", 86),
    typing_key("KeyW", "w", "W", 87),
    typing_key("KeyX", "x", "X", 88),
    typing_key("KeyY", "y", "Y", 89),
    typing_key("KeyZ", "z", "Z", 90),
    typing_key("Digit0", "0", ")", 48),
    typing_key("Digit1", "1", "!", 49),
    typing_key("Digit2", "2", "@", 50),
    typing_key("Digit3", "3", "#", 51),
    typing_key("Digit4", "4", "$", 52),
    typing_key("Digit5", "5", "%", 53),
    typing_key("Digit6", "6", "^", 54),
    typing_key("Digit7", "7", "&", 55),
    typing_key("Digit8", "8", "*", 56),
    typing_key("Digit9", "9", "(", 57),
    typing_key("Space", " ", " ", 32),
    typing_key("Backquote", "`", "~", 192),
    typing_key("Minus", "-", "_", 189),
    typing_key("Equal", "=", "+", 187),
    typing_key("BracketLeft", "[", "{", 219),
    typing_key("BracketRight", "]", "}", 221),
    typing_key("Backslash", "\\", "|", 220),
    typing_key("Semicolon", ";", ":", 186),
    typing_key("Quote", "'", "\"", 222),
    typing_key("Comma", ",", "<", 188),
    typing_key("Period", ".", ">", 190),
    typing_key("Slash", "/", "?", 191),
    named_key("Enter", "Enter", 13),
    named_key("Tab", "Tab", 9),
    named_key("Backspace", "Backspace", 8),
    named_key("Delete", "Delete", 46),
    named_key("Escape", "Escape", 27),
    named_key("ArrowLeft", "ArrowLeft", 37),
    named_key("ArrowUp", "ArrowUp", 38),
    named_key("ArrowRight", "ArrowRight", 39),
    named_key("ArrowDown", "ArrowDown", 40),
    named_key("Home", "Home", 36),
    named_key("End", "End", 35),
    named_key("PageUp", "PageUp", 33),
    named_key("PageDown", "PageDown", 34),
    named_key("Insert", "Insert", 45),
    named_key("F1", "F1", 112),
    named_key("F2", "F2", 113),
    named_key("F3", "F3", 114),
    named_key("F4", "F4", 115),
    named_key("F5", "F5", 116),
    named_key("F6", "F6", 117),
    named_key("F7", "F7", 118),
    named_key("F8", "F8", 119),
    named_key("F9", "F9", 120),
    named_key("F10", "F10", 121),
    named_key("F11", "F11", 122),
    named_key("F12", "F12", 123),
    located_key("ShiftLeft", "Shift", 16, 1),
    located_key("ControlLeft", "Control", 17, 1),
    located_key("AltLeft", "Alt", 18, 1),
    located_key("MetaLeft", "Meta", 91, 1),
    located_key("ShiftRight", "Shift", 16, 2),
    located_key("ControlRight", "Control", 17, 2),
    located_key("AltRight", "Alt", 18, 2),
    located_key("MetaRight", "Meta", 92, 2),
    named_key("CapsLock", "CapsLock", 20),
    named_key("NumLock", "NumLock", 144),
    named_key("ScrollLock", "ScrollLock", 145),
    named_key("Pause", "Pause", 19),
    named_key("PrintScreen", "PrintScreen", 44),
    named_key("ContextMenu", "ContextMenu", 93),
    located_key("NumpadEnter", "Enter", 13, 3),
    located_key("Numpad0", "0", 96, 3),
    located_key("Numpad1", "1", 97, 3),
    located_key("Numpad2", "2", 98, 3),
    located_key("Numpad3", "3", 99, 3),
    located_key("Numpad4", "4", 100, 3),
    located_key("Numpad5", "5", 101, 3),
    located_key("Numpad6", "6", 102, 3),
    located_key("Numpad7", "7", 103, 3),
    located_key("Numpad8", "8", 104, 3),
    located_key("Numpad9", "9", 105, 3),
    located_key("NumpadMultiply", "*", 106, 3),
    located_key("NumpadAdd", "+", 107, 3),
    located_key("NumpadSubtract", "-", 109, 3),
    located_key("NumpadDecimal", ".", 110, 3),
    located_key("NumpadDivide", "/", 111, 3),
];
