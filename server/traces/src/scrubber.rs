//! Takes secrets out of what is kept.

use std::sync::Arc;

use browse_secrets::{REDACTED, SecretMatcher, redact};
use serde_json::Value;

use super::step::TracedStep;

/// What was typed into secret fields so far.
#[derive(Clone)]
pub struct Scrubber(pub(crate) Arc<Vec<SecretMatcher>>);

impl Scrubber {
    /// A text without secrets, and without the names and passwords of addresses.
    pub fn scrub(&self, text: &str) -> String {
        let bare = without_user_info(&redact(text));
        self.0.iter().fold(bare, |text, secret| secret.redact_in(&text))
    }

    /// Names of files have the form of secrets, so each text is scrubbed by itself.
    pub(crate) fn scrub_step(&self, step: &mut TracedStep) {
        step.arguments.values_mut().for_each(|value| self.scrub_value(value));
        let states = [&mut step.before, &mut step.after].into_iter().flatten();
        let frames = states.flat_map(|state| &mut state.frames).flat_map(|frame| {
            let files = frame.resources.iter_mut().map(|file| &mut file.url);
            files.chain([&mut frame.url])
        });
        let console = step.console.iter_mut().flat_map(|line| [&mut line.text, &mut line.location]);
        let requests = step.requests.iter_mut().map(|request| &mut request.url);
        let own = [&mut step.element, &mut step.url, &mut step.error];
        for text in frames.chain(console).chain(requests).chain(own) {
            *text = self.scrub(text);
        }
    }

    /// The same of data: keys stay as they are.
    pub fn scrub_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.scrub(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.scrub_value(item)),
            Value::Object(fields) => fields.values_mut().for_each(|item| self.scrub_value(item)),
            _ => {}
        }
    }
}

/// The text, with `https://[redacted]@host` in the place of `https://user:password@host`.
fn without_user_info(text: &str) -> String {
    let mut parts = text.split("://");
    let mut bare = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        bare.push_str("://");
        let end = part.find(|end: char| "/?#\"'<>".contains(end) || end.is_whitespace());
        let authority = &part[..end.unwrap_or(part.len())];
        match authority.rfind('@') {
            Some(at) => {
                bare.push_str(REDACTED);
                bare.push_str(&part[at..]);
            }
            None => bare.push_str(part),
        }
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_of_addresses_are_taken_out() {
        for (text, bare) in [
            ("http://ada:s3cret@host/x", "http://[redacted]@host/x"),
            (
                "see https://a:b@c:1?q=d@e and ws://f@g",
                "see https://[redacted]@c:1?q=d@e and ws://[redacted]@g",
            ),
            ("https://host/a@b", "https://host/a@b"),
            ("mail ada@example.com", "mail ada@example.com"),
        ] {
            assert_eq!(without_user_info(text), bare);
        }
    }
}
