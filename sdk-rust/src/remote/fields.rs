//! Messages of texts, as [`super::redeem`] sends and gets them.

use crate::wire::{Raw, entries, put_bytes};

/// A message of texts, numbered from 1.
pub fn encode_texts(texts: &[&str]) -> Vec<u8> {
    let mut message = Vec::new();
    for (number, text) in (1..).zip(texts) {
        put_bytes(number, text.as_bytes(), &mut message);
    }
    message
}

/// The text of field `wanted` of a message; those of a list with commas between.
pub fn text_field(message: &[u8], wanted: u32) -> String {
    let found = entries(message).filter_map(|entry| match entry {
        Ok((number, Raw::Bytes(bytes))) if number == wanted => Some(String::from_utf8_lossy(bytes)),
        _ => None,
    });
    found.collect::<Vec<_>>().join(",")
}
