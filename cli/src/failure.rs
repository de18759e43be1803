//! Why a command failed: what stderr, `--json` and the exit code are made of.

use std::{
    collections::BTreeMap,
    ops::{Deref, DerefMut},
};

use browse_proto::{
    Reason,
    render::{Untrusted, quotes_json, quotes_text},
};
use serde_json::{Value, json};

/// The result of everything that can fail here.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// A failure of a command. It is behind a pointer, so that results stay small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(Box<FailureDetails>);

/// What a failure says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureDetails {
    /// Name of the reason; a newer daemon may send one that we do not know.
    pub reason: String,
    /// What is wrong, without a full stop.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// How the command is called, when it was called wrongly.
    pub usage: Option<String>,
    /// The values that message and hint are made of.
    pub metadata: BTreeMap<String, String>,
    /// What a page chose: pairs of what it is and what it says.
    pub page: Vec<(String, String)>,
    /// The envelope around that.
    pub untrusted: Option<Untrusted>,
    /// Exit code.
    pub exit: u8,
}

impl Failure {
    /// A failure with the hint of its reason.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self::with_values(reason, message, [])
    }

    /// A failure with values, which also fill the hint.
    pub fn with_values<const N: usize>(
        reason: Reason,
        message: impl Into<String>,
        values: [(&str, String); N],
    ) -> Self {
        let metadata: BTreeMap<_, _> =
            values.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let rule = reason.rule();
        Self(Box::new(FailureDetails {
            reason: rule.name.to_owned(),
            message: message.into(),
            hint: rule.hint_with(|key| metadata.get(key).cloned()),
            usage: None,
            metadata,
            page: Vec::new(),
            untrusted: None,
            exit: rule.exit,
        }))
    }

    /// The same failure with another hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// The same failure with the way the command is called.
    #[must_use]
    pub fn with_usage(mut self, usage: impl Into<String>) -> Self {
        self.usage = Some(usage.into());
        self
    }

    /// The same failure with another value.
    #[must_use]
    pub fn with_value(mut self, key: &str, value: impl ToString) -> Self {
        self.metadata.insert(key.to_owned(), value.to_string());
        self
    }

    /// A failure as a daemon describes it; `metadata["hint"]` wins over the
    /// hint of our table, which may be older.
    pub fn from_daemon(
        reason: &str,
        message: String,
        mut metadata: BTreeMap<String, String>,
    ) -> Self {
        let rule = Reason::by_name(reason).unwrap_or(Reason::Bug).rule();
        let sent = metadata.remove("hint");
        let hint = sent.unwrap_or_else(|| rule.hint_with(|key| metadata.get(key).cloned()));
        let (reason, exit) = (reason.to_owned(), rule.exit);
        Self(Box::new(FailureDetails {
            reason,
            message,
            hint,
            usage: None,
            metadata,
            page: Vec::new(),
            untrusted: None,
            exit,
        }))
    }

    /// The same failure with what a page chose, and the envelope around that.
    #[must_use]
    pub fn with_page_quotes(
        mut self,
        page: Vec<(String, String)>,
        untrusted: Option<Untrusted>,
    ) -> Self {
        self.page = page;
        self.untrusted = untrusted;
        self
    }

    /// Whether the failure has this reason.
    pub fn has_reason(&self, reason: Reason) -> bool {
        self.reason == reason.name()
    }

    /// `error: …`, `usage: …` and `hint: …`, a line each; then what a page chose, in an
    /// envelope.
    pub fn text(&self) -> String {
        let mut text = format!("error: {}\n", printable(&self.message));
        if let Some(usage) = &self.usage {
            text.push_str(&format!("usage: {usage}\n"));
        }
        if !self.hint.is_empty() {
            text.push_str(&format!("hint: {}\n", printable(&self.hint)));
        }
        text.push_str(&printable(&quotes_text(&self.page, self.untrusted.as_ref())));
        text
    }

    /// What `--json` says of it.
    pub fn json(&self) -> Value {
        let FailureDetails { reason, message, hint, metadata, page, untrusted, .. } = &**self;
        let mut error =
            json!({"reason": reason, "message": message, "hint": hint, "metadata": metadata});
        if !page.is_empty() {
            error["page"] = quotes_json(page);
            if let Some(untrusted) = untrusted {
                error["untrusted"] = untrusted.json();
            }
        }
        error
    }
}

impl Deref for Failure {
    type Target = FailureDetails;

    fn deref(&self) -> &FailureDetails {
        &self.0
    }
}

impl DerefMut for Failure {
    fn deref_mut(&mut self) -> &mut FailureDetails {
        &mut self.0
    }
}

/// `text` without what could drive a terminal, or turn the order of what it
/// shows: control characters, and those that set directions.
pub fn printable(text: &str) -> String {
    let drives = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    let turns = |letter: char| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if drives(c) || turns(c) { ' ' } else { c }).collect()
}
