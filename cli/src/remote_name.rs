//! The names of remote browsers: each is the name of a file.

use browse_proto::Reason;

use crate::failure::{Failure, Result};

/// Refuses what cannot name a remote, which is a file.
pub fn check_name(name: &str) -> Result<String> {
    let good = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    if begins && name.len() <= 64 && name.chars().all(good) {
        return Ok(name.to_owned());
    }
    let message = format!("`{name}` cannot name a remote");
    Err(Failure::new(Reason::ArgumentInvalid, message)
        .with_hint("Use letters, digits, dash, dot and underscore, at most 64"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_files_and_nothing_else() {
        for good in ["a", "laptop-2", "Lap_top.x"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "../a", "-a", ".a", "a b", "ü", &"x".repeat(65)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
