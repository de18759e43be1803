//! What counts as a secret, and what stands in its place: the one table that
//! activity, logs, HAR files and `fetch` share.
//!
//! Two things give a secret away: the name of the header, field or parameter
//! that holds it, and its own shape. Both err on the side of redacting.

mod names;
mod shapes;
mod tables;
mod value;

pub use names::{is_secret, is_secret_name, redact_header};
pub use shapes::{has_shape, redact};

/// What stands in the place of a secret.
pub const REDACTED: &str = "[redacted]";
