//! What counts as a secret, and what stands in its place: the one table that
//! activity, logs, HAR files and `fetch` share.
//!
//! Two things give a secret away: the name of the header, field or parameter
//! that holds it, and its own shape. Both err on the side of redacting. One
//! that is known is found in whatever way it is written.

mod credential_value;
mod encodings;
mod sensitive_names;
mod sensitive_words;
mod token_patterns;

pub use encodings::{SecretMatcher, contains_secret, redact_secret};
pub use sensitive_names::{is_secret, is_secret_name, redact_header};
pub use token_patterns::{contains_token, redact};

/// What stands in the place of a secret.
pub const REDACTED: &str = "[redacted]";
