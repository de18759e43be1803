//! The keyboard.

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::keys::{KeyCombination, KeyboardKey, SHIFT_BIT};
use crate::connection::call::CdpCall;
use crate::connection::session::CdpSession;
use crate::error::Result;
use crate::page::page::Page;
use crate::world::world::World;

/// macOS applies shortcuts in its text system, which a headless browser has
/// not; there the editing commands are named.
const MAC_COMMANDS: [(&str, &str); 6] = [
    ("KeyA", "selectAll"),
    ("KeyC", "copy"),
    ("KeyV", "paste"),
    ("KeyX", "cut"),
    ("KeyZ", "undo"),
    ("KeyY", "redo"),
];

/// The modifier that text shortcuts have on macOS.
const META_BIT: u8 = 4;

impl Page {
    /// Presses and releases a key with its modifiers. All events are written
    /// before this returns; the calls answer when the page has handled them.
    pub fn press(&self, combination: &KeyCombination) -> Vec<CdpCall<IgnoredAny>> {
        self.record_user_activation();
        press(self.session(), combination)
    }

    /// Types text as a person would: a key for each character that has one;
    /// what no key types arrives as from an input method.
    pub fn type_text(&self, text: &str) -> Vec<CdpCall<IgnoredAny>> {
        self.record_user_activation();
        type_text(self.session(), text)
    }

    /// Puts text into the focused element in one step, as an input method does.
    pub fn insert_text(&self, text: &str) -> CdpCall<IgnoredAny> {
        self.record_user_activation();
        insert_text(self.session(), text)
    }

    /// Presses a key and keeps it down.
    pub fn key_down(&self, key: KeyboardKey, modifiers: u8) -> CdpCall<IgnoredAny> {
        self.record_user_activation();
        key_down(self.session(), key, modifiers)
    }

    /// Shows text that an input method is still composing, with the caret after so many
    /// UTF-16 units; empty text ends the composition.
    pub fn set_composition(&self, text: &str, caret: u32) -> CdpCall<IgnoredAny> {
        self.record_user_activation();
        let params = json!({ "text": text, "selectionStart": caret, "selectionEnd": caret });
        self.session().call_method("Input.imeSetComposition", &params)
    }

    /// Notes that a person holds a key down, or let it go.
    pub fn note_key(&self, name: &str, is_down: bool) {
        let mut held = self.held_keys.lock();
        held.retain(|key| key != name);
        if is_down {
            held.push(name.to_owned());
        }
    }

    /// The keys that a person holds down, and forgets them.
    pub fn take_held_keys(&self) -> Vec<String> {
        std::mem::take(&mut *self.held_keys.lock())
    }

    /// Lets a key go.
    pub fn key_up(&self, key: KeyboardKey, modifiers: u8) -> CdpCall<IgnoredAny> {
        key_up(self.session(), key, modifiers)
    }
}

/// Input for the process of one frame: it never reaches a frame of another process,
/// wherever the focus goes.
impl World {
    /// As [`Page::press`].
    pub fn press(&self, combination: &KeyCombination) -> Vec<CdpCall<IgnoredAny>> {
        press(self.session(), combination)
    }

    /// As [`Page::type_text`].
    pub fn type_text(&self, text: &str) -> Vec<CdpCall<IgnoredAny>> {
        type_text(self.session(), text)
    }

    /// As [`Page::insert_text`].
    pub fn insert_text(&self, text: &str) -> CdpCall<IgnoredAny> {
        insert_text(self.session(), text)
    }
}

fn press(session: &CdpSession, combination: &KeyCombination) -> Vec<CdpCall<IgnoredAny>> {
    let mut calls = Vec::new();
    let mut modifiers = 0;
    for key in &combination.held_keys {
        modifiers |= key.modifier_bit();
        calls.push(key_down(session, *key, modifiers));
    }
    calls.push(key_down(session, combination.key, modifiers | combination.key.modifier_bit()));
    calls.push(key_up(session, combination.key, modifiers));
    for key in combination.held_keys.iter().rev() {
        modifiers &= !key.modifier_bit();
        calls.push(key_up(session, *key, modifiers));
    }
    calls
}

fn type_text(session: &CdpSession, text: &str) -> Vec<CdpCall<IgnoredAny>> {
    let mut calls = Vec::new();
    let normalised = text.replace("\r\n", "\n");
    let mut buffer = [0; 4];
    for character in normalised.chars() {
        let name: &str = character.encode_utf8(&mut buffer);
        match KeyboardKey::named(name) {
            Ok(key) => {
                let modifiers = if key.shifted { SHIFT_BIT } else { 0 };
                calls.push(key_down(session, key, modifiers));
                calls.push(key_up(session, key, modifiers));
            }
            Err(_) => calls.push(insert_text(session, name)),
        }
    }
    calls
}

fn insert_text(session: &CdpSession, text: &str) -> CdpCall<IgnoredAny> {
    session.call_method("Input.insertText", &json!({ "text": text }))
}

fn key_down(session: &CdpSession, key: KeyboardKey, modifiers: u8) -> CdpCall<IgnoredAny> {
    let shifted = key.shifted || modifiers & SHIFT_BIT != 0;
    // With Control, Alt or Meta held a key does something, it types nothing.
    let plain = modifiers & !SHIFT_BIT == 0;
    let text = key.layout.text(shifted).filter(|_| plain);
    let mut params = key_params(key, modifiers);
    params["type"] = json!(if text.is_some() { "keyDown" } else { "rawKeyDown" });
    if let Some(text) = text {
        params["text"] = json!(text);
        params["unmodifiedText"] = json!(text);
    }
    if cfg!(target_os = "macos")
        && modifiers & META_BIT != 0
        && let Some((_, command)) = MAC_COMMANDS.iter().find(|(code, _)| *code == key.layout.code)
    {
        params["commands"] = json!([command]);
    }
    session.call_method("Input.dispatchKeyEvent", &params)
}

fn key_up(session: &CdpSession, key: KeyboardKey, modifiers: u8) -> CdpCall<IgnoredAny> {
    let mut params = key_params(key, modifiers);
    params["type"] = json!("keyUp");
    session.call_method("Input.dispatchKeyEvent", &params)
}

/// Waits for all of them and answers the first error.
pub async fn await_all(calls: Vec<CdpCall<IgnoredAny>>) -> Result<()> {
    for call in calls {
        call.await?;
    }
    Ok(())
}

fn key_params(key: KeyboardKey, modifiers: u8) -> Value {
    let layout = key.layout;
    let shifted = key.shifted || modifiers & SHIFT_BIT != 0;
    json!({
        "modifiers": modifiers,
        "code": layout.code,
        "key": if shifted { layout.shifted } else { layout.key },
        "windowsVirtualKeyCode": layout.key_code,
        "nativeVirtualKeyCode": layout.key_code,
        "location": layout.location,
        "isKeypad": layout.location == 3,
    })
}
