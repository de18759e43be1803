//! Tells what of a call is a secret, so that it is not kept.

use browse_engine::ElementLocator;

/// What kind of secret a text is, if it is one.
pub fn secret_kind(locator: &ElementLocator, text: &str) -> Option<&'static str> {
    let autofill = locator.autocomplete.to_ascii_lowercase();
    if text.is_empty() {
        return None;
    }
    if locator.secret {
        return Some(match autofill.as_str() {
            _ if locator.kind == "password" => "password",
            autofill if autofill.contains("one-time-code") => "code",
            autofill if autofill.contains("cc-") => "card",
            _ => "password",
        });
    }
    let named = |name: &String| browse_secrets::is_secret_name(name);
    let shaped = browse_secrets::redact(text) != text
        || [&locator.field, &locator.label].into_iter().any(named);
    shaped.then_some("secret")
}

/// Whether a selector holds nothing that looks like a secret.
pub fn is_secret_free(target: &str) -> bool {
    browse_secrets::redact(target) == target
}

#[cfg(test)]
mod tests {
    use super::{ElementLocator, secret_kind};

    #[test]
    fn a_secret_is_known_by_its_field_its_label_or_its_shape() {
        let field = |field: &str, label: &str| {
            let mut locator = ElementLocator::default();
            locator.field = field.to_owned();
            locator.label = label.to_owned();
            locator
        };
        let secret = |autocomplete: &str| {
            let mut locator = field("q", "");
            locator.secret = true;
            locator.autocomplete = autocomplete.to_owned();
            locator
        };
        let key = format!("ghp_{}", "a1B2".repeat(8));
        for (locator, text, kind) in [
            (field("q", "Search"), "lamp", None),
            (field("f9", "API token"), "open sesame", Some("secret")),
            (field("api_key", ""), "open sesame", Some("secret")),
            (field("q", "Search"), key.as_str(), Some("secret")),
            (field("f9", "API token"), "", None),
            (secret(""), "x", Some("password")),
            (secret("ONE-TIME-CODE"), "123456", Some("code")),
        ] {
            assert_eq!(secret_kind(&locator, text), kind, "{locator:?} {text}");
        }
    }
}
