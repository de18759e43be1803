//! Base64: <https://www.rfc-editor.org/rfc/rfc4648#section-4>.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What no letter stands for.
const NONE: u8 = 0xff;

const VALUES: [u8; 256] = {
    let mut values = [NONE; 256];
    let mut index = 0;
    while index < 64 {
        values[LETTERS[index] as usize] = index as u8;
        index += 1;
    }
    values
};

/// Bytes as text.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(*three.get(at).unwrap_or(&0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            match at <= three.len() {
                true => out.push(char::from(LETTERS[(bits >> (18 - 6 * at) & 63) as usize])),
                false => out.push('='),
            }
        }
    }
    out
}

/// What `encode` was given; `None` for other text.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=').as_bytes();
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for four in text.chunks(4) {
        if four.len() == 1 {
            return None;
        }
        let mut bits = 0u32;
        for at in 0..4 {
            let value = four.get(at).map_or(0, |letter| VALUES[usize::from(*letter)]);
            if value == NONE {
                return None;
            }
            bits = bits << 6 | u32::from(value);
        }
        let bytes = [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8];
        out.extend(&bytes[..four.len() - 1]);
    }
    Some(out)
}
