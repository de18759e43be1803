//! The reasons of errors: code, hint and exit code of each.

include!(concat!(env!("OUT_DIR"), "/reasons.rs"));

/// A gRPC status code; the numbers are those of `google.rpc.Code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Code {
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    AlreadyExists = 6,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Aborted = 10,
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
    Unauthenticated = 16,
}

/// How a reason travels and reads.
#[derive(Debug)]
pub struct ReasonRule {
    /// The reason.
    pub reason: Reason,
    /// Its name on the wire: `REF_STALE`.
    pub name: &'static str,
    /// What is wrong.
    pub problem: &'static str,
    /// Why it happens.
    pub cause: &'static str,
    /// gRPC status code.
    pub code: Code,
    /// What to do next; `{key}` stands for an entry of the metadata.
    pub hint: &'static str,
    /// Exit code of the CLI.
    pub exit: u8,
    /// Values that a page chose: they travel as quotes, and not in the metadata.
    pub page: &'static [&'static str],
}

impl Reason {
    /// Every rule, in the order of the contract.
    pub fn all() -> &'static [ReasonRule] {
        RULES
    }

    /// The rule of this reason.
    pub fn rule(self) -> &'static ReasonRule {
        let found = RULES.iter().find(|rule| rule.reason == self);
        found.expect("the table has a rule for each reason")
    }

    /// The reason with this name on the wire.
    pub fn by_name(name: &str) -> Option<Self> {
        RULES.iter().find(|rule| rule.name == name).map(|rule| rule.reason)
    }

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        self.rule().name
    }
}

impl ReasonRule {
    /// The hint with each `{key}` replaced by `value(key)`; a key without a
    /// value is left out together with its text.
    pub fn hint_with(&self, value: impl Fn(&str) -> Option<String>) -> String {
        let mut hint = String::new();
        let mut rest = self.hint;
        while let Some((before, after)) = rest.split_once('{') {
            let (key, tail) = after.split_once('}').unwrap_or((after, ""));
            hint.push_str(before);
            let value = value(key).unwrap_or_default();
            // Inside of a command nothing is left of the blank before it.
            if value.is_empty() && hint.matches('`').count() % 2 == 1 && !hint.ends_with('`') {
                hint.truncate(hint.trim_end().len());
            }
            hint.push_str(&value);
            rest = tail;
        }
        hint.push_str(rest);
        hint.replace(" ``", "").replace("  ", " ").replace(" `.`", "").trim_end().to_owned()
    }
}
