//! How much a session holds, in words.

use std::fmt;

/// How much a session holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateCounts {
    /// Cookies.
    pub cookies: u32,
    /// Origins with local storage.
    pub origins: u32,
    /// Open pages of the web.
    pub tabs: u32,
}

impl StateCounts {
    /// Whether there is nothing at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for StateCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, storage of {}, {}",
            count_noun(self.cookies, "cookie"),
            count_noun(self.origins, "origin"),
            count_noun(self.tabs, "tab"),
        )
    }
}

/// `1 cookie`, `2 cookies`.
pub fn count_noun(count: u32, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_a_kind_has_a_word_of_its_own() {
        let counts = StateCounts { cookies: 5, origins: 1, tabs: 0 };
        assert_eq!(counts.to_string(), "5 cookies, storage of 1 origin, 0 tabs");
        assert!(!counts.is_empty() && StateCounts::default().is_empty());
    }
}
