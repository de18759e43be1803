//! The one chokepoint for page-derived content.
//!
//! Everything that a page chose passes here before it leaves the daemon: the
//! fields that the contract marks, and page text in errors.

mod content_monitor;
mod findings;
mod guard;
mod llm_judge;
#[cfg(test)]
mod page_field_law_test;
mod scanner;
mod sources;
mod url_words;

pub use browse_guard::{
    ContentSurface, Judgement, Scores, Verdict, VerdictRule, clean, clean_line,
};
pub use content_monitor::{ContentLayers, ContentMonitor};
pub use findings::Findings;
pub use guard::{GuardOptions, GuardReport, guard_response};
pub use llm_judge::{LlmApi, LlmApiKey, LlmJudge, LlmSettings, LlmStatus};
pub use scanner::{
    Assessment, ClassifierSwitch, INLINE_SCAN_TIMEOUT, Scanner, ScannerStatus, TextDigest, scan,
};
pub use sources::Sources;
