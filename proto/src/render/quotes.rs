//! What an error quotes of a page: pairs of what it is and what it says.

use serde_json::{Value, json};

use super::Untrusted;

/// The quotes, a line each, in an envelope; empty without any. It ends its last line.
pub fn quotes_text(quotes: &[(String, String)], untrusted: Option<&Untrusted>) -> String {
    if quotes.is_empty() {
        return String::new();
    }
    let lines: Vec<_> = quotes.iter().map(|(about, text)| format!("{about}: {text}")).collect();
    let lines = lines.join("\n");
    match untrusted {
        Some(untrusted) => untrusted.wrap(&lines) + "\n",
        None => lines + "\n",
    }
}

/// The quotes as JSON: `[{"about": "cover", "text": "dialog"}]`.
pub fn quotes_json(quotes: &[(String, String)]) -> Value {
    quotes.iter().map(|(about, text)| json!({ "about": about, "text": text })).collect()
}

/// The quotes of the error of a step, `StepError.page`.
pub fn quotes_of(error: &Value) -> Vec<(String, String)> {
    let quotes = error.get("page").and_then(Value::as_array).into_iter().flatten();
    let text = |quote: &Value, name: &str| {
        quote.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    quotes.map(|quote| (text(quote, "about"), text(quote, "text"))).collect()
}
