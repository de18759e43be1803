//! Refs: `@e3` for what the ARIA tree holds, `@c3` for what only looks clickable.

use std::fmt;
use std::str::FromStr;

/// Why an element has a ref. The number alone identifies it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefKind {
    /// It has a role.
    Element,
    /// It takes clicks without having one.
    Clickable,
}

/// A ref as a snapshot prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reference {
    /// The letter.
    pub kind: RefKind,
    /// The number, unique in its tab for the life of the tab.
    pub number: u32,
}

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.kind {
            RefKind::Element => 'e',
            RefKind::Clickable => 'c',
        };
        write!(formatter, "@{letter}{}", self.number)
    }
}

/// The text is not a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a ref is written `@e3` or `@c3`")]
pub struct ParseRefError;

impl Reference {
    /// The ref that a target is: `@e3`, or `e3`, as no element is called.
    pub fn from_target(target: &str) -> Option<Self> {
        format!("@{}", target.strip_prefix('@').unwrap_or(target)).parse().ok()
    }
}

impl FromStr for Reference {
    type Err = ParseRefError;

    fn from_str(text: &str) -> Result<Self, ParseRefError> {
        let rest = text.strip_prefix('@').ok_or(ParseRefError)?;
        let kind = match rest.chars().next() {
            Some('e') => RefKind::Element,
            Some('c') => RefKind::Clickable,
            _ => return Err(ParseRefError),
        };
        let digits = &rest[1..];
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ParseRefError);
        }
        let number = digits.parse().map_err(|_| ParseRefError)?;
        Ok(Self { kind, number })
    }
}
