//! Random bytes, and the values that are made of them.

use std::fmt::Write as _;

use rand::TryRngCore as _;

use crate::error::{Error, Result};

/// Bytes of the system's random number generator.
pub fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    rand::rngs::OsRng.try_fill_bytes(&mut bytes).map_err(|error| {
        Error::new(browse_proto::Reason::Bug, format!("the system has no random numbers: {error}"))
    })?;
    Ok(bytes)
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Random, so that no page can write the end of an envelope.
pub fn nonce() -> String {
    format!("{:06x}", rand::random::<u32>() & 0x00ff_ffff)
}
