//! Base64 with padding (RFC 4648, section 4).

use ::base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD},
};

/// `bytes` as text.
pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// What [`encode`] was given.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// Bytes of `text` in either alphabet of RFC 4648, with padding or without.
pub fn decode_lenient(text: &str) -> Option<Vec<u8>> {
    const CONFIG: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let alphabet = match text.contains(['-', '_']) {
        true => &alphabet::URL_SAFE,
        false => &alphabet::STANDARD,
    };
    GeneralPurpose::new(alphabet, CONFIG).decode(text).ok()
}
