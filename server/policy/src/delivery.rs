//! Whether a caller gets page content guarded.

/// How page-derived content is handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Cleaned and announced: what a model reads.
    Guarded,
    /// As the page has it: what a skill reads.
    Raw,
}
