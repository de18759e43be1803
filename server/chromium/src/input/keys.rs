//! Names of keys, as Playwright writes them: `Enter`, `a`, `KeyA`,
//! `Control+A`, `Shift+Tab`, `Control++`.

use super::layout::{LAYOUT, LayoutKey};
use crate::error::{Error, Result};

/// Bits of the modifiers, in the order in which they are held down.
const MODIFIER_BITS: [(&str, u8); 4] = [("Alt", 1), ("Control", 2), ("Meta", 4), ("Shift", 8)];

/// Shift's bit.
pub(crate) const SHIFT_BIT: u8 = 8;

/// One key by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyboardKey {
    pub(crate) layout: LayoutKey,
    /// The name is of what the key types with Shift, such as `A` or `!`.
    pub(crate) shifted: bool,
}

/// A key with the modifiers held around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCombination {
    /// Keys held, in order.
    pub(crate) held_keys: Vec<KeyboardKey>,
    /// The key itself.
    pub(crate) key: KeyboardKey,
}

/// Other names of keys, in lower case.
const ALIASES: &[(&str, &str)] = &[
    ("bksp", "Backspace"),
    ("caps", "CapsLock"),
    ("cmd", "Meta"),
    ("command", "Meta"),
    ("ctrl", "Control"),
    ("del", "Delete"),
    ("down", "ArrowDown"),
    ("esc", "Escape"),
    ("ins", "Insert"),
    ("left", "ArrowLeft"),
    ("menu", "ContextMenu"),
    ("minus", "-"),
    ("opt", "Alt"),
    ("option", "Alt"),
    ("pagedn", "PageDown"),
    ("pgdn", "PageDown"),
    ("pgdown", "PageDown"),
    ("pgup", "PageUp"),
    ("plus", "+"),
    ("return", "Enter"),
    ("right", "ArrowRight"),
    ("spacebar", " "),
    ("super", "Meta"),
    ("up", "ArrowUp"),
    ("win", "Meta"),
    ("windows", "Meta"),
];

impl KeyboardKey {
    /// Looks a key up by `code`, by name, or by the character it types. Case
    /// matters only for characters: `a` and `A` are two, `enter` and `Enter`
    /// are one.
    pub fn named(name: &str) -> Result<Self> {
        let known = match name {
            "\n" | "\r" => Self::by_exact_name("Enter"),
            "\t" => Self::by_exact_name("Tab"),
            name => Self::by_exact_name(name),
        };
        let folded = || match name.chars().nth(1) {
            Some(_) => Self::by_lower_case_name(&name.to_ascii_lowercase()),
            None => None,
        };
        known.or_else(folded).ok_or_else(|| Error::UnknownKey { key: name.to_owned() })
    }

    fn by_exact_name(name: &str) -> Option<Self> {
        let find = |matches: &dyn Fn(&LayoutKey) -> bool| LAYOUT.iter().find(|key| matches(key));
        // The keypad repeats characters of the main block, which comes first.
        let main = |key: &LayoutKey| key.key == name && key.location != 3;
        let plain = find(&main).or_else(|| find(&|key| key.code == name));
        if let Some(layout) = plain {
            return Some(Self { layout: *layout, shifted: false });
        }
        let layout = find(&|key| key.shifted == name)?;
        Some(Self { layout: *layout, shifted: true })
    }

    /// By a name in lower case.
    fn by_lower_case_name(name: &str) -> Option<Self> {
        if name == "controlormeta" {
            return Self::by_exact_name(if cfg!(target_os = "macos") { "Meta" } else { "Control" });
        }
        if let Some((_, known)) = ALIASES.iter().find(|(alias, _)| *alias == name) {
            return Self::by_exact_name(known);
        }
        let known = |key: &&LayoutKey| {
            key.key.eq_ignore_ascii_case(name) || key.code.eq_ignore_ascii_case(name)
        };
        let layout = LAYOUT.iter().find(known)?;
        Some(Self { layout: *layout, shifted: false })
    }

    /// The modifier bit this key holds, 0 for other keys.
    pub(crate) fn modifier_bit(self) -> u8 {
        MODIFIER_BITS.iter().find(|(name, _)| *name == self.layout.key).map_or(0, |(_, bit)| *bit)
    }
}

impl KeyCombination {
    /// The character that it types; none for shortcuts and for keys that type none.
    pub fn typed_text(&self) -> Option<&'static str> {
        let holds =
            |names: &[&str]| self.held_keys.iter().any(|held| names.contains(&held.layout.key));
        if holds(&["Control", "Alt", "Meta"]) {
            return None;
        }
        let is_shifted = self.key.shifted || holds(&["Shift"]);
        let layout = &self.key.layout;
        let text = if is_shifted { layout.shifted } else { layout.key };
        (text.chars().count() == 1).then_some(text)
    }

    /// Reads `Control+Shift+K` and the like. A `+` at the end is the key `+`.
    pub fn parse(text: &str) -> Result<Self> {
        let unknown = || Error::UnknownKey { key: text.to_owned() };
        let (held, key) = match text.strip_suffix('+') {
            Some("") => ("", "+"),
            Some(rest) => (rest.strip_suffix('+').ok_or_else(unknown)?, "+"),
            None => text.rsplit_once('+').unwrap_or(("", text)),
        };
        let held = held
            .split('+')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(|name| {
                let key = KeyboardKey::named(name)?;
                if key.modifier_bit() == 0 { Err(unknown()) } else { Ok(key) }
            })
            .collect::<Result<Vec<KeyboardKey>>>()?;
        // `Control + A` is what people write, and a blank alone is a key.
        let key = if held.is_empty() { key } else { key.trim_start() };
        Ok(Self { held_keys: held, key: KeyboardKey::named(key)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (Vec<&'static str>, &'static str, bool) {
        let combination = KeyCombination::parse(text).expect(text);
        let held = combination.held_keys.iter().map(|key| key.layout.key).collect();
        (held, combination.key.layout.code, combination.key.shifted)
    }

    #[test]
    fn names_are_understood_as_playwright_does() {
        assert_eq!(parsed("a"), (vec![], "KeyA", false));
        assert_eq!(parsed("A"), (vec![], "KeyA", true));
        assert_eq!(parsed("KeyA"), (vec![], "KeyA", false));
        assert_eq!(parsed("Control+A"), (vec!["Control"], "KeyA", true));
        assert_eq!(parsed("Shift+Tab"), (vec!["Shift"], "Tab", false));
        assert_eq!(parsed("+"), (vec![], "Equal", true));
        assert_eq!(parsed("Control++"), (vec!["Control"], "Equal", true));
        assert_eq!(
            parsed("Control+Shift+ArrowDown"),
            (vec!["Control", "Shift"], "ArrowDown", false)
        );
        assert_eq!(parsed("NumpadEnter"), (vec![], "NumpadEnter", false));
        assert_eq!(parsed(" "), (vec![], "Space", false));
        assert_eq!(parsed("F5"), (vec![], "F5", false));
    }

    #[test]
    fn names_are_understood_in_any_case_and_by_common_aliases() {
        assert_eq!(parsed("ctrl+a"), (vec!["Control"], "KeyA", false));
        assert_eq!(parsed("CTRL+SHIFT+k"), (vec!["Control", "Shift"], "KeyK", false));
        assert_eq!(parsed("Control + a"), (vec!["Control"], "KeyA", false));
        for (alias, code) in [
            ("esc", "Escape"),
            ("ENTER", "Enter"),
            ("return", "Enter"),
            ("del", "Delete"),
            ("pgdn", "PageDown"),
            ("up", "ArrowUp"),
            ("arrowup", "ArrowUp"),
            ("space", "Space"),
            ("f5", "F5"),
            ("keyb", "KeyB"),
            ("plus", "Equal"),
            ("numpadenter", "NumpadEnter"),
        ] {
            assert_eq!(parsed(alias).1, code, "{alias}");
        }
        assert_eq!(parsed("cmd+c").0, vec!["Meta"]);
        assert_eq!(parsed("opt+Tab").0, vec!["Alt"]);
        for (_, name) in ALIASES {
            assert!(KeyboardKey::by_exact_name(name).is_some(), "{name}");
        }
    }

    #[test]
    fn unknown_keys_are_errors() {
        for (text, typed) in [
            ("a", Some("a")),
            ("Shift+Q", Some("Q")),
            ("KeyQ", Some("q")),
            ("Digit6", Some("6")),
            ("Numpad7", Some("7")),
            ("Minus", Some("-")),
            ("Shift+Digit1", Some("!")),
            ("Control+v", None),
            ("Enter", None),
            ("F5", None),
        ] {
            let combination = KeyCombination::parse(text).expect(text);
            assert_eq!(combination.typed_text(), typed, "{text}");
        }
        for text in ["", "Foo", "Control+", "a+b", "Control+Foo", "é"] {
            assert!(matches!(KeyCombination::parse(text), Err(Error::UnknownKey { .. })), "{text}");
        }
    }
}
