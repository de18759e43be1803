//! The frontmatter of SKILL.md: the only metadata that a skill has.

mod argument;
mod frontmatter;
mod keys;
mod naming;

use std::time::Duration;

use crate::policy::Hosts;

pub use argument::ArgumentSpec;
pub use frontmatter::split;
pub use keys::one_line;
pub use naming::{name, rename};

/// What a skill says about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Name, which is that of its folder.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Hosts that it may visit, as written.
    pub host_patterns: Vec<String>,
    /// The same, ready to match.
    pub hosts: Hosts,
    /// Phrases that should make an agent think of it.
    pub triggers: Vec<String>,
    /// Arguments that it takes.
    pub args: Vec<ArgumentSpec>,
    /// Its version; may be empty.
    pub version: String,
    /// Who wrote it.
    pub source: Author,
    /// Whether it asks for the caller's environment.
    pub asks_trust: bool,
    /// Which session it asks for.
    pub session: SessionWish,
    /// Time that a run gets.
    pub timeout: Duration,
}

/// Who wrote a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Author {
    #[default]
    Human,
    Agent,
}

/// The session that a skill asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionWish {
    /// One of its own, made for the run.
    #[default]
    Own,
    /// That of the user; needs trust.
    User,
}

impl Author {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Agent => "agent",
        }
    }
}

impl SessionWish {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::User => "user",
        }
    }
}

impl Manifest {
    /// Whether it asks for more than an untrusted skill gets.
    pub fn asks(&self) -> bool {
        self.asks_trust || self.session == SessionWish::User || self.hosts.is_any()
    }
}

#[cfg(test)]
mod tests;
