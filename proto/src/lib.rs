//! The contract of browse: the command registry, the error reasons, a codec
//! that works from static tables, the text renderer, and the generated types.
//!
//! The registry is static data written by the build script from the proto
//! files, so that the command line pays nothing for reflection. The prost
//! types and the tonic glue are behind features: the CLI needs neither.

mod build;
mod command;
pub mod file_name;
pub mod guide;
pub mod output;
pub mod output_names;
pub mod output_place;
pub mod output_rule;
pub mod project;
mod reason;
pub mod redeem;
pub mod render;
pub mod sensitive_paths;
mod usage;
pub mod wire;

pub use build::build_id;
pub use command::{
    Argument, Command, Enum, EnumValue, Field, FieldType, MessageType, Requires, Scope, Sends,
    Source, StepRole,
};
pub use reason::{Code, Reason, ReasonRule};
pub use usage::Positional;

/// The encoded `FileDescriptorSet` of the contract, for server reflection.
pub static DESCRIPTOR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptor.bin"));

/// Path at which the gateway of a fleet says, to everybody, how callers sign in.
pub const FLEET_DOCUMENT_PATH: &str = "/.well-known/browse-fleet";

/// The names of the metadata entries that carry a call's context.
pub mod metadata {
    /// `Bearer <token>`.
    pub const AUTHORIZATION: &str = "authorization";
    /// The tab that the call acts on, in decimal.
    pub const TAB: &str = "browse-tab";
    /// The session that the call acts in.
    pub const SESSION: &str = "browse-session";
    /// Scopes with commas between, such as `read,meta`: the gateway of a fleet holds the call to
    /// those of them that its token has, and to the session that it acts in.
    pub const SCOPES: &str = "browse-scopes";
    /// The hosts of the skill that makes the call, with commas between, or `*`: the gateway of a
    /// fleet holds the call to them, to reading and writing, and to the session that it acts in.
    pub const SKILL_HOSTS: &str = "browse-skill-hosts";
    /// The name of the remote, a fleet, whose browser a skill drives that the daemon runs; root
    /// only.
    pub const REMOTE: &str = "browse-remote";
    /// At the gateway of a fleet: the call is that of a person at a dashboard. It counts for
    /// tokens with the scope `control` alone.
    pub const DASHBOARD: &str = "browse-dashboard";
    /// The working directory of the caller, percent-encoded; root only.
    pub const CWD: &str = "browse-cwd";
    /// The program that the call comes from, as `<pid>:<start time>`; a hint of the command
    /// line that grants nothing.
    pub const CALLER: &str = "browse-caller";
    /// The trace that the call is part of. Source: W3C Trace Context.
    pub const TRACEPARENT: &str = "traceparent";
    /// `raw` asks for page-derived fields as they are; anything else is guarded.
    pub const CONTENT: &str = "browse-content";
    /// In a response: nonce and source of page-derived content, blank between.
    pub const UNTRUSTED: &str = "browse-untrusted";
    /// In a response: a notice for the caller, percent-encoded.
    pub const NOTICE: &str = "browse-notice";
    /// In a response: what the reader of page-derived content is warned of,
    /// percent-encoded, one a line.
    pub const WARNINGS: &str = "browse-warnings";
    /// In a response: what was left out because no person sees it, as
    /// `means=count,…`.
    pub const UNSEEN: &str = "browse-unseen";
}

#[cfg(feature = "messages")]
mod page;
#[cfg(feature = "messages")]
pub use page::{PageDerived, PageValue};

#[cfg(feature = "messages")]
mod sent;
#[cfg(feature = "messages")]
pub use sent::{SentData, SentValue};

/// The generated messages, clients and servers.
#[cfg(feature = "messages")]
#[allow(missing_docs, clippy::all, clippy::unwrap_used)]
pub mod v1 {
    include!(concat!(env!("OUT_DIR"), "/browse.v1.rs"));
}

mod glue {
    include!(concat!(env!("OUT_DIR"), "/glue.rs"));
}
