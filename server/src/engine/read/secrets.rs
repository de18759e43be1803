//! What nobody is shown, for answers that the engine does not write itself.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine::error::Result;
use crate::engine::page::engine::Engine;
use crate::engine::page::gather::{Question, Survey};

/// Stands in the place of a secret.
const MASK: &str = "[redacted]";

/// Characters from which a secret is looked for within longer texts; shorter
/// ones stand in every other word.
const LONG: usize = 4;

/// The secrets that the fields of a page hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Secrets(Vec<String>);

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
        let question = Question { command: "secrets", argument: json!({}), target: None };
        let root = self.page().main_frame().id;
        let gathered = self.gather::<Held>(&question, root).await?;
        let mut all: Vec<_> =
            gathered.answers.into_values().flat_map(|(_, held)| held.secrets).collect();
        // One may be the beginning of another.
        all.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Ok(Secrets(all))
    }
}

impl Secrets {
    /// Takes the secrets out of every text of `value`.
    pub fn mask(&self, value: &mut Value) {
        if self.0.is_empty() {
            return;
        }
        match value {
            Value::String(text) => self.mask_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.mask(field)),
            _ => {}
        }
    }

    fn mask_text(&self, text: &mut String) {
        for secret in &self.0 {
            if text == secret {
                MASK.clone_into(text);
            } else if secret.chars().count() >= LONG && text.contains(secret.as_str()) {
                *text = text.replace(secret.as_str(), MASK);
            }
            // As markup has it, where a short one is known by its attribute.
            let marked = format!("value=\"{}\"", escaped(secret));
            if text.contains(&marked) {
                *text = text.replace(&marked, &format!("value=\"{MASK}\""));
            }
        }
    }
}

/// As it stands in an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('\u{a0}', "&nbsp;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_and_numbers_stay() {
        let secrets = Secrets(vec!["hunt\"er".to_owned(), "12".to_owned()]);
        let mut value = json!({
            "nodeId": 12,
            "attributes": ["value", "12", "id", "n12"],
            "html": "<input value=\"hunt&quot;er\"><p>12 of them</p><input value=\"12\">",
            "text": "say hunt\"er now",
        });
        secrets.mask(&mut value);
        let expected = json!({
            "nodeId": 12,
            "attributes": ["value", "[redacted]", "id", "n12"],
            "html": "<input value=\"[redacted]\"><p>12 of them</p><input value=\"[redacted]\">",
            "text": "say [redacted] now",
        });
        assert_eq!(value, expected);
    }
}
