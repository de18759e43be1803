//! What nobody is shown, for answers that the engine does not write itself.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine::error::Result;
use crate::engine::page::engine::Engine;
use crate::engine::page::gather::{Question, Survey};
use crate::secrets::Known;

/// The secrets that the fields of a page hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Secrets(Vec<Known>);

#[derive(Deserialize)]
struct Held {
    secrets: Vec<String>,
    suspects: u32,
}

impl Survey for Held {
    fn suspects(&self) -> u32 {
        self.suspects
    }
}

impl Engine {
    /// What the secret fields of all frames hold: passwords, one-time codes
    /// and card numbers.
    pub async fn secrets(&self) -> Result<Secrets> {
        let question =
            Question { command: "secrets", argument: json!({}), target: None, listeners: false };
        let root = self.page().main_frame().id;
        let gathered = self.gather::<Held>(&question, root).await?;
        let mut all: Vec<_> =
            gathered.answers.into_values().flat_map(|(_, held)| held.secrets).collect();
        // One may be the beginning of another.
        all.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Ok(Secrets(all.into_iter().map(Known::new).collect()))
    }
}

impl Secrets {
    /// Takes the secrets out of every text of `value`.
    pub fn mask(&self, value: &mut Value) {
        if self.0.is_empty() {
            return;
        }
        match value {
            Value::String(text) => *text = self.out_of(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.mask(field)),
            _ => {}
        }
    }

    /// Each of them.
    pub fn all(&self) -> &[Known] {
        &self.0
    }

    /// `text` without the secrets, however it writes them.
    pub fn out_of(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| secret.out_of(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_and_numbers_stay() {
        let secrets = ["hunt\"er", "12"].map(|secret| Known::new(secret.to_owned()));
        let secrets = Secrets(secrets.to_vec());
        let mut value = json!({
            "nodeId": 12,
            "attributes": ["value", "12", "id", "n12"],
            "html": "<input value=\"hunt&quot;er\"><p>12 of them</p><input value=\"12\">",
            "text": "say hunt\"er now",
            "url": "https://a.example/?p=hunt%22er",
        });
        secrets.mask(&mut value);
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
