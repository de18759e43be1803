//! What a program has reported last, without secrets: the case that it dies.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use super::display_line::to_display_line;

/// Lines that are remembered.
const MAX_LINES: usize = 8;
/// Bytes of a line that are kept.
const MAX_LINE_BYTES: usize = 2_000;
/// Bytes from which a variable with the name of a secret may be one.
const MIN_SECRET_BYTES: usize = 6;

/// The last lines that a program has printed.
#[derive(Clone, Debug, Default)]
pub struct OutputTail {
    lines: Arc<Mutex<VecDeque<String>>>,
    /// Secrets of its environment, which it may print.
    secrets: Arc<Vec<String>>,
}

impl OutputTail {
    /// Nothing yet, by a program that has these variables.
    pub fn redacting(environment: &BTreeMap<String, String>) -> Self {
        let named = environment.iter().filter(|(name, _)| browse_secrets::is_secret_name(name));
        // One of several lines, such as a key, is printed line by line.
        let lines = named.flat_map(|(_, value)| value.lines().map(str::trim));
        let mut found: Vec<_> =
            lines.filter(|line| line.len() >= MIN_SECRET_BYTES).map(str::to_owned).collect();
        // One may be a part of another.
        found.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self { lines: Arc::default(), secrets: Arc::new(found) }
    }

    /// Remembers a line. What is secret goes before it is cut: half of it would
    /// be known by nothing. Of the word at the cut nothing is kept either.
    pub fn push_line(&self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        let mut line = self.redact(line);
        if line.len() > MAX_LINE_BYTES {
            let cut = &line[..line.floor_char_boundary(MAX_LINE_BYTES)];
            let whole = cut.rfind(char::is_whitespace).unwrap_or_default();
            line = format!("{}…", &cut[..whole]);
        }
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= MAX_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// A line as it may be shown.
    pub fn redact_for_display(&self, line: &str) -> String {
        to_display_line(&self.redact(line))
    }

    fn redact(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for secret in self.secrets.iter() {
            if line.contains(secret) {
                line = line.replace(secret, browse_secrets::REDACTED);
            }
        }
        line
    }

    /// The lines as they may be shown.
    pub fn text(&self) -> String {
        let lines: Vec<_> = {
            let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
            lines.iter().cloned().collect()
        };
        let bare = lines.iter().map(|line| to_display_line(line)).filter(|line| !line.is_empty());
        bare.collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_before_a_line_is_cut() {
        let pem = "-----BEGIN-----\nMIIEvQIBADANBg\n-----END-----";
        let output = OutputTail::redacting(
            &[
                ("NGROK_AUTHTOKEN".to_owned(), "2abc_defghijkl".to_owned()),
                ("SSH_PRIVATE_KEY".to_owned(), pem.to_owned()),
                ("EDITOR".to_owned(), "visible".to_owned()),
            ]
            .into(),
        );
        // White space is not shown, so that what stands at the cut would be.
        for before in MAX_LINE_BYTES - 20..MAX_LINE_BYTES + 2 {
            let line = format!("{}2abc_defghijkl MIIEvQIBADANBg visible", " ".repeat(before));
            output.push_line(&line);
            let text = output.text();
            assert!(!text.contains("2abc") && !text.contains("MIIE"), "{before}: {text}");
            let token = format!("ghp_{}", "a1B2".repeat(9));
            output.push_line(&format!("{}{token}", " ".repeat(before)));
            assert!(!output.text().contains("ghp_"), "{before}: {}", output.text());
        }
        output.push_line("it was 2abc_defghijkl, visible");
        assert!(output.text().ends_with("it was [redacted], visible"), "{}", output.text());
        assert_eq!(output.text().matches("; ").count(), 7, "{}", output.text());
    }
}
