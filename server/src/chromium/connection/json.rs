//! Decoding JSON that pages had a hand in.
//!
//! JavaScript strings may hold lone surrogates. Chromium writes them as
//! `\udXXX` escapes, which `serde_json` rightly refuses, so one odd character
//! in a page would make its whole text unreadable. Such escapes are replaced
//! by U+FFFD, and only after a first try failed.

use serde::de::DeserializeOwned;

/// Decodes `bytes`, mending lone surrogates when that is what is wrong.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    match serde_json::from_slice(bytes) {
        Ok(value) => Ok(value),
        Err(error) => match mend_surrogates(bytes) {
            Some(mended) => serde_json::from_slice(&mended),
            None => Err(error),
        },
    }
}

/// Replaces lone surrogate escapes; `None` when there are none.
fn mend_surrogates(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut mended: Option<Vec<u8>> = None;
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        let Some(unit) = escape_at(bytes, at) else {
            // Another escape, such as `\\` or `\n`: two bytes.
            at += 2;
            continue;
        };
        let pairs = (0xD800..0xDC00).contains(&unit)
            && escape_at(bytes, at + 6).is_some_and(|low| (0xDC00..0xE000).contains(&low));
        if pairs {
            at += 12;
            continue;
        }
        if (0xD800..0xE000).contains(&unit) {
            let target = mended.get_or_insert_with(|| bytes.to_vec());
            target[at..at + 6].copy_from_slice(b"\\ufffd");
        }
        at += 6;
    }
    mended
}

/// The code unit of a `\uXXXX` escape that starts at `at`.
fn escape_at(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    if !escape.starts_with(b"\\u") {
        return None;
    }
    let digits = std::str::from_utf8(&escape[2..]).ok()?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::decode;

    fn decoded(text: &str) -> String {
        decode::<String>(text.as_bytes()).expect("decodes")
    }

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        assert_eq!(decoded(r#""a\ud83db""#), "a\u{fffd}b");
        assert_eq!(decoded(r#""\udc00""#), "\u{fffd}");
        assert_eq!(decoded(r#""\ud83d\ud83d\ude00""#), "\u{fffd}\u{1f600}");
    }

    #[test]
    fn pairs_and_escaped_backslashes_are_left_alone() {
        assert_eq!(decoded(r#""\ud83d\ude00 \ud800""#), "\u{1f600} \u{fffd}");
        assert_eq!(decoded(r#""\\ud83d \ud800""#), "\\ud83d \u{fffd}");
    }

    #[test]
    fn other_faults_stay_faults() {
        assert!(decode::<u32>(b"\"text\"").is_err());
        assert!(decode::<String>(b"\"unfinished").is_err());
    }
}
