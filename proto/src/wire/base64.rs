//! Base64 with padding (RFC 4648, section 4).

use ::base64::{Engine as _, engine::general_purpose::STANDARD};

/// `bytes` as text.
pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// What [`encode`] was given.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}
