//! Hexadecimal digits.

/// Bytes as digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Digits as bytes.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes = text.as_bytes().chunks_exact(2).map(byte).collect::<Option<Vec<u8>>>()?;
    (digits && text.len().is_multiple_of(2)).then_some(bytes)
}
