//! Takes the values of hidden fields out of answers: a trace keeps none of them.

use std::sync::LazyLock;

use browse_secrets::REDACTED;
use regex::{Captures, Regex};
use serde_json::Value;

/// An input in markup, whose attributes are in double quotes.
static INPUT_TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)<input\b(?:"[^"]*"|[^">])*>"#).expect("it is a regular expression")
});

/// The type that hides a field.
static HIDDEN_TYPE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)\stype\s*=\s*"?hidden\b"#).expect("it is a regular expression")
});

/// The value of a field.
static FIELD_VALUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)(\svalue\s*=\s*)(?:"[^"]*"|[^\s">]+)"#).expect("it is a regular expression")
});

/// Masks the values in `answer`, which is markup or lists of fields.
pub fn mask_hidden_fields(answer: &mut Value) {
    match answer {
        Value::String(text) => *text = masked_markup(text),
        Value::Array(items) => items.iter_mut().for_each(mask_hidden_fields),
        Value::Object(fields) => {
            let is_hidden = fields.get("type").is_some_and(|kind| kind == "hidden");
            if let Some(value) = fields.get_mut("value").filter(|_| is_hidden) {
                *value = Value::from(REDACTED);
            }
            fields.values_mut().for_each(mask_hidden_fields);
        }
        _ => {}
    }
}

fn masked_markup(text: &str) -> String {
    let masked = INPUT_TAG.replace_all(text, |tag: &Captures<'_>| {
        let tag = &tag[0];
        match HIDDEN_TYPE.is_match(tag) {
            true => FIELD_VALUE.replace_all(tag, format!("${{1}}\"{REDACTED}\"")).into_owned(),
            false => tag.to_owned(),
        }
    });
    masked.into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::mask_hidden_fields;

    fn masked(mut answer: Value) -> Value {
        mask_hidden_fields(&mut answer);
        answer
    }

    #[test]
    fn values_of_hidden_fields_are_taken_out_of_markup() {
        for (markup, expected) in [
            (
                r#"<p>a</p><input type="hidden" value="t>1"><input value="b">"#,
                r#"<p>a</p><input type="hidden" value="[redacted]"><input value="b">"#,
            ),
            ("<INPUT value=t1 type=hidden>", r#"<INPUT value="[redacted]" type=hidden>"#),
            (r#"<input data-type="hidden" value="b">"#, r#"<input data-type="hidden" value="b">"#),
            ("type=hidden value=4", "type=hidden value=4"),
        ] {
            assert_eq!(masked(json!(markup)), json!(expected));
        }
    }

    #[test]
    fn values_of_hidden_fields_are_taken_out_of_lists() {
        let fields = json!([{ "type": "hidden", "value": "t1" }, { "type": "text", "value": "b" }]);
        let found = masked(json!({ "fields": fields }));
        assert_eq!(found["fields"][0]["value"], "[redacted]");
        assert_eq!(found["fields"][1], fields[1]);
    }
}
