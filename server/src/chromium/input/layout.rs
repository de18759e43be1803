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

const fn named(code: &'static str, key: &'static str, key_code: u32) -> LayoutKey {
    at(code, key, key_code, 0)
}

const fn at(code: &'static str, key: &'static str, key_code: u32, location: u32) -> LayoutKey {
    LayoutKey { code, key, shifted: key, key_code, location }
}

const fn typing(
    code: &'static str,
    key: &'static str,
    shifted: &'static str,
    key_code: u32,
) -> LayoutKey {
    LayoutKey { code, key, shifted, key_code, location: 0 }
}

/// All keys. Where a name stands for several, the first is meant.
pub(crate) const LAYOUT: &[LayoutKey] = &[
    typing("KeyA", "a", "A", 65),
    typing("KeyB", "b", "B", 66),
    typing("KeyC", "c", "C", 67),
    typing("KeyD", "d", "D", 68),
    typing("KeyE", "e", "E", 69),
    typing("KeyF", "f", "F", 70),
    typing("KeyG", "g", "G", 71),
    typing("KeyH", "h", "H", 72),
    typing("KeyI", "i", "I", 73),
    typing("KeyJ", "j", "J", 74),
    typing("KeyK", "k", "K", 75),
    typing("KeyL", "l", "L", 76),
    typing("KeyM", "m", "M", 77),
    typing("KeyN", "n", "N", 78),
    typing("KeyO", "o", "O", 79),
    typing("KeyP", "p", "P", 80),
    typing("KeyQ", "q", "Q", 81),
    typing("KeyR", "r", "R", 82),
    typing("KeyS", "s", "S", 83),
    typing("KeyT", "t", "T", 84),
    typing("KeyU", "u", "U", 85),
    typing("KeyV", "v", "V", 86),
    typing("KeyW", "w", "W", 87),
    typing("KeyX", "x", "X", 88),
    typing("KeyY", "y", "Y", 89),
    typing("KeyZ", "z", "Z", 90),
    typing("Digit0", "0", ")", 48),
    typing("Digit1", "1", "!", 49),
    typing("Digit2", "2", "@", 50),
    typing("Digit3", "3", "#", 51),
    typing("Digit4", "4", "$", 52),
    typing("Digit5", "5", "%", 53),
    typing("Digit6", "6", "^", 54),
    typing("Digit7", "7", "&", 55),
    typing("Digit8", "8", "*", 56),
    typing("Digit9", "9", "(", 57),
    typing("Space", " ", " ", 32),
    typing("Backquote", "`", "~", 192),
    typing("Minus", "-", "_", 189),
    typing("Equal", "=", "+", 187),
    typing("BracketLeft", "[", "{", 219),
    typing("BracketRight", "]", "}", 221),
    typing("Backslash", "\\", "|", 220),
    typing("Semicolon", ";", ":", 186),
    typing("Quote", "'", "\"", 222),
    typing("Comma", ",", "<", 188),
    typing("Period", ".", ">", 190),
    typing("Slash", "/", "?", 191),
    named("Enter", "Enter", 13),
    named("Tab", "Tab", 9),
    named("Backspace", "Backspace", 8),
    named("Delete", "Delete", 46),
    named("Escape", "Escape", 27),
    named("ArrowLeft", "ArrowLeft", 37),
    named("ArrowUp", "ArrowUp", 38),
    named("ArrowRight", "ArrowRight", 39),
    named("ArrowDown", "ArrowDown", 40),
    named("Home", "Home", 36),
    named("End", "End", 35),
    named("PageUp", "PageUp", 33),
    named("PageDown", "PageDown", 34),
    named("Insert", "Insert", 45),
    named("F1", "F1", 112),
    named("F2", "F2", 113),
    named("F3", "F3", 114),
    named("F4", "F4", 115),
    named("F5", "F5", 116),
    named("F6", "F6", 117),
    named("F7", "F7", 118),
    named("F8", "F8", 119),
    named("F9", "F9", 120),
    named("F10", "F10", 121),
    named("F11", "F11", 122),
    named("F12", "F12", 123),
    at("ShiftLeft", "Shift", 16, 1),
    at("ControlLeft", "Control", 17, 1),
    at("AltLeft", "Alt", 18, 1),
    at("MetaLeft", "Meta", 91, 1),
    at("ShiftRight", "Shift", 16, 2),
    at("ControlRight", "Control", 17, 2),
    at("AltRight", "Alt", 18, 2),
    at("MetaRight", "Meta", 92, 2),
    named("CapsLock", "CapsLock", 20),
    named("NumLock", "NumLock", 144),
    named("ScrollLock", "ScrollLock", 145),
    named("Pause", "Pause", 19),
    named("PrintScreen", "PrintScreen", 44),
    named("ContextMenu", "ContextMenu", 93),
    at("NumpadEnter", "Enter", 13, 3),
    at("Numpad0", "0", 96, 3),
    at("Numpad1", "1", 97, 3),
    at("Numpad2", "2", 98, 3),
    at("Numpad3", "3", 99, 3),
    at("Numpad4", "4", 100, 3),
    at("Numpad5", "5", 101, 3),
    at("Numpad6", "6", 102, 3),
    at("Numpad7", "7", 103, 3),
    at("Numpad8", "8", 104, 3),
    at("Numpad9", "9", 105, 3),
    at("NumpadMultiply", "*", 106, 3),
    at("NumpadAdd", "+", 107, 3),
    at("NumpadSubtract", "-", 109, 3),
    at("NumpadDecimal", ".", 110, 3),
    at("NumpadDivide", "/", 111, 3),
];
