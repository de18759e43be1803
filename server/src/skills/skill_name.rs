//! Which names a skill can get.

use browse_proto::Reason;

use browse_base::{Error, Result};

/// Begins the name of a draft, so that no skill can be taken for one.
pub const DRAFT_PREFIX: &str = "skillify-";

/// Names that some system cannot give to a folder: a team that commits its
/// skills may work on any.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];
const RESERVED_WITH_DIGIT: [&str; 2] = ["com", "lpt"];

/// Checks the name of a new skill. It is a folder, a word of a command line and
/// part of a client id.
///
/// # Errors
/// `SKILL_NAME_INVALID`.
pub fn check_name(name: &str) -> Result<()> {
    let Some(problem) = name_problem(name) else { return Ok(()) };
    let shown: String = name.chars().take(80).collect();
    let message = format!("`{}` {problem}", shown.escape_debug());
    Err(Error::new(Reason::SkillNameInvalid, message).with("name", shown.escape_debug()))
}

fn name_problem(name: &str) -> Option<&'static str> {
    let is_word = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let plain = name.chars().all(|letter| is_word(letter) || letter == '-');
    let numbered = RESERVED_WITH_DIGIT.iter().any(|word| {
        name.strip_prefix(word).is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0] != b'-')
    });
    if name.is_empty() {
        Some("is not a name for a skill")
    } else if !plain {
        Some("is not lower case letters, digits and dashes")
    } else if name.starts_with('-') || name.ends_with('-') {
        Some("begins or ends with a dash")
    } else if name.len() > 64 {
        Some("is longer than 64 letters")
    } else if name.starts_with(DRAFT_PREFIX) {
        Some("is what drafts are called")
    } else if RESERVED.contains(&name) || numbered && name.as_bytes()[3].is_ascii_digit() {
        Some("is reserved on some systems")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn names_are_plain_words() {
        for name in ["a", "shop-prices", "2048", "a-b-c", "con1", "com", "comb", "lpt10", "nul-1"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        let long = "a".repeat(65);
        for name in [
            "",
            ".",
            "..",
            "../a",
            "a/b",
            "/a",
            "A",
            "a_b",
            "a b",
            "a.b",
            "é",
            "ａ",
            "а",
            "a\0",
            "a\n",
            "-a",
            "a-",
            "-",
            "--all",
            "con",
            "nul",
            "aux",
            "prn",
            "com1",
            "lpt9",
            "skillify-1",
            &long,
            ".work-1",
            ".tombstones",
            "a\u{200b}",
            "%2e",
            "~",
        ] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }
}
