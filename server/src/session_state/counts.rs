//! How much a session holds, in words.

use std::fmt;

use browse_sessions::KeptSession;

/// How much a session holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateCounts {
    /// Cookies.
    pub cookies: u32,
    /// Origins with local storage or databases.
    pub origins: u32,
    /// Databases of them.
    pub databases: u32,
    /// Open pages of the web.
    pub tabs: u32,
}

impl StateCounts {
    /// Whether there is nothing at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl From<&KeptSession> for StateCounts {
    fn from(contents: &KeptSession) -> Self {
        Self {
            cookies: contents.cookies.len() as u32,
            origins: contents.origins.len() as u32,
            databases: contents.origins.iter().map(|one| one.databases.databases).sum(),
            tabs: contents.tabs.len() as u32,
        }
    }
}

impl fmt::Display for StateCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cookies = count_noun(self.cookies, "cookie");
        write!(f, "{cookies}, storage of {}", count_noun(self.origins, "origin"))?;
        if self.databases > 0 {
            write!(f, ", {}", count_noun(self.databases, "database"))?;
        }
        write!(f, ", {}", count_noun(self.tabs, "tab"))
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
        let counts = StateCounts { cookies: 5, origins: 1, databases: 0, tabs: 0 };
        assert_eq!(counts.to_string(), "5 cookies, storage of 1 origin, 0 tabs");
        let counts = StateCounts { databases: 2, ..counts };
        assert_eq!(counts.to_string(), "5 cookies, storage of 1 origin, 2 databases, 0 tabs");
        assert!(!counts.is_empty() && StateCounts::default().is_empty());
    }
}
