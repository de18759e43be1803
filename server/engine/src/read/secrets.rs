//! What nobody is shown, for answers that the engine does not write itself.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::Result;
use crate::page::engine::Engine;
use crate::page::fan_out::{FrameAnswer, FrameQuery};
use browse_secrets::SecretMatcher;

/// The secrets that the fields of a page hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Secrets(Vec<SecretMatcher>);

#[derive(Deserialize)]
struct SecretsAnswer {
    secrets: Vec<String>,
    suspects: u32,
}

impl FrameAnswer for SecretsAnswer {
    fn closed_root_candidates(&self) -> u32 {
        self.suspects
    }
}

impl Engine {
    /// What the secret fields of all frames hold: passwords, one-time codes
    /// and card numbers.
    pub async fn secrets(&self) -> Result<Secrets> {
        let question = FrameQuery {
            command: "secrets",
            argument: json!({}),
            target: None,
            needs_listeners: false,
        };
        let root = self.page().main_frame().id;
        let gathered = self.query_frames::<SecretsAnswer>(&question, root).await?;
        let mut all: Vec<_> =
            gathered.answers.into_values().flat_map(|(_, held)| held.secrets).collect();
        // One may be the beginning of another.
        all.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Ok(Secrets(all.into_iter().map(SecretMatcher::new).collect()))
    }
}

impl Secrets {
    /// Takes the secrets out of every text of `value`.
    pub fn redact_json(&self, value: &mut Value) {
        if self.0.is_empty() {
            return;
        }
        match value {
            Value::String(text) => *text = self.redact(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_json(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.redact_json(field)),
            _ => {}
        }
    }

    /// Each of them.
    pub fn values(&self) -> &[SecretMatcher] {
        &self.0
    }

    /// `text` without the secrets, however it writes them.
    pub fn redact(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| secret.redact_in(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_and_numbers_stay() {
        let secrets = ["hunt\"er", "12"].map(|secret| SecretMatcher::new(secret.to_owned()));
        let secrets = Secrets(secrets.to_vec());
        let mut value = json!({
            "nodeId": 12,
            "attributes": ["value", "12", "id", "n12"],
            "html": "<input value=\"hunt&quot;er\"><p>12 of them</p><input value=\"12\">",
            "text": "say hunt\"er now",
            "url": "https://a.example/?p=hunt%22er",
        });
        secrets.redact_json(&mut value);
        let expected = json!({
            "nodeId": 12,
            "attributes": ["value", "[redacted]", "id", "n12"],
            "html": "<input value=\"[redacted]\"><p>12 of them</p><input value=\"[redacted]\">",
            "text": "say [redacted] now",
            "url": "https://a.example/?p=[redacted]",
        });
        assert_eq!(value, expected);
    }
}
