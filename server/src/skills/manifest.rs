//! The frontmatter of SKILL.md: the only metadata that a skill has.

mod argument;
mod frontmatter;
mod name_field;
mod parse;
mod values;

use std::time::Duration;

use browse_net::HostPolicy;

pub use argument::ArgumentSpec;
pub use frontmatter::split_frontmatter;
pub use name_field::{read_name, replace_name};
pub use values::one_line;

/// What a skill says about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillManifest {
    /// Name, which is that of its folder.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Hosts that it may visit, as written.
    pub host_patterns: Vec<String>,
    /// The same, ready to match.
    pub hosts: HostPolicy,
    /// Phrases that should make an agent think of it.
    pub triggers: Vec<String>,
    /// Arguments that it takes.
    pub args: Vec<ArgumentSpec>,
    /// Its version; may be empty.
    pub version: String,
    /// Who wrote it.
    pub source: Author,
    /// Whether it asks for the caller's environment.
    pub requests_trust: bool,
    /// Which session it asks for.
    pub session: SessionMode,
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
pub enum SessionMode {
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

impl SessionMode {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::User => "user",
        }
    }
}

impl SkillManifest {
    /// Whether it asks for more than an untrusted skill gets.
    pub fn needs_trust(&self) -> bool {
        self.requests_trust || self.session == SessionMode::User || self.hosts.is_any()
    }
}

#[cfg(test)]
mod tests;
