//! What is kept of the pages: the HTML of the last one, and beside it what the
//! result was and which selectors were used where.

use std::collections::BTreeMap;

use browse_proto::{Field, FieldType, MessageType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use crate::skills::program::{PlannedCall, ProgramPlan, ProgramWriter, camel};

/// The JSON beside the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixtureNotes {
    /// The result, as the program returns it.
    pub result: Value,
    /// The pages that the skill visits; the last is that of the fixture.
    pub pages: Vec<RecordedPage>,
}

/// A page of the skill.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedPage {
    /// Its address.
    pub url: String,
    /// Whether it shows what the skill needs when it is simply opened.
    pub reachable: bool,
    /// Selectors that the skill uses there.
    pub targets: Vec<UsedTarget>,
    /// What it reads there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<RecordedRead>,
}

/// A selector, and what it found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UsedTarget {
    /// The command that used it.
    pub command: String,
    /// The selector.
    pub target: String,
    /// Options that were chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// ARIA role of its element.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// Type of an input.
    #[serde(default, rename = "type", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Fields that the form around it wanted filled, when that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demands: Option<Vec<String>>,
}

/// A read of the result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedRead {
    /// The command.
    pub command: String,
    /// Its arguments, by the names of the contract.
    pub arguments: BTreeMap<String, Value>,
    /// What it answered.
    pub answer: Value,
}

/// The name of the files, without extension.
pub fn file_stem(plan: &ProgramPlan, date: &str) -> String {
    let url = plan.outputs().last().map(|(call, _)| call.url.as_str()).unwrap_or_default();
    let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let host = host.unwrap_or_else(|| "page".to_owned());
    let word = |letter: char| letter.is_ascii_alphanumeric() || ".-".contains(letter);
    let host: String = host.chars().map(|letter| if word(letter) { letter } else { '_' }).collect();
    format!("fixtures/{host}-{date}")
}

/// A text without secrets.
pub fn scrubbed(text: &str, known: &[String]) -> String {
    let text = known
        .iter()
        .fold(text.to_owned(), |text, secret| browse_secrets::redact_secret(&text, secret));
    browse_secrets::redact(&text).into_owned()
}

/// The same of data.
fn scrubbed_value(value: &Value, known: &[String]) -> Value {
    match value {
        Value::String(text) => Value::from(scrubbed(text, known)),
        Value::Array(items) => items.iter().map(|item| scrubbed_value(item, known)).collect(),
        Value::Object(fields) => {
            let fields =
                fields.iter().map(|(key, value)| (key.clone(), scrubbed_value(value, known)));
            Value::Object(fields.collect())
        }
        value => value.clone(),
    }
}

/// The page with its address, which browsers read as well.
pub fn page_html(html: &str, url: &str, known: &[String]) -> String {
    let url = scrubbed(&without_fragment(url), known).replace("--", "%2D%2D").replace('>', "%3E");
    let html = scrubbed(html, known);
    let mark = format!("<!DOCTYPE html>\n<!-- saved from url=({:04}){url} -->\n", url.len());
    html.replacen("<!DOCTYPE html>\n", &mark, 1)
}

/// The notes, in the naming of the language of `writer`.
pub fn fixture_notes(plan: &ProgramPlan, writer: &dyn ProgramWriter) -> FixtureNotes {
    let known = plan.inputs.secrets();
    let mut pages: Vec<RecordedPage> = Vec::new();
    for call in plan.calls.iter().filter(|call| call.url.starts_with("http")) {
        let url = scrubbed(&without_fragment(&call.url), &known);
        if pages.last().is_none_or(|page| page.url != url) {
            pages.push(RecordedPage { url, ..RecordedPage::default() });
        }
        let Some(page) = pages.last_mut() else { continue };
        page.targets.extend(used(call).filter(|used| !page.targets.contains(used)));
        page.reads.extend(reading(call, &known));
    }
    let last = pages.len().saturating_sub(1);
    let mut at = 0..;
    pages.retain(|page| at.next() == Some(last) || !page.targets.is_empty());
    let result = result(plan, writer);
    FixtureNotes { result: scrubbed_value(&result, &known), pages }
}

fn without_fragment(url: &str) -> String {
    url.split('#').next().unwrap_or_default().to_owned()
}

fn used(call: &PlannedCall) -> Option<UsedTarget> {
    let target = call.selector().filter(|_| !call.in_frame && call.element.is_some())?;
    let [_, role, kind] = call.element.clone()?;
    let options = match call.command.name {
        "select" => literals(call, "value"),
        _ => Vec::new(),
    };
    Some(UsedTarget {
        command: call.command.name.to_owned(),
        target: target.to_owned(),
        options,
        role,
        kind,
        demands: None,
    })
}

/// The texts of a field that are the same in each run.
fn literals(call: &PlannedCall, name: &str) -> Vec<String> {
    use crate::skills::program::ArgValue;
    use crate::skills::program::TextPiece;
    let given = call.fields.iter().find(|(field, _)| field.name == name).map(|(_, given)| given);
    let Some(ArgValue::Texts(texts)) = given else { return Vec::new() };
    let literal = |pieces: &Vec<TextPiece>| match pieces.as_slice() {
        [TextPiece::Literal(text)] => Some(text.clone()),
        _ => None,
    };
    texts.iter().filter_map(literal).collect()
}

fn reading(call: &PlannedCall, known: &[String]) -> Option<RecordedRead> {
    use crate::skills::program::ArgValue;
    use crate::skills::program::TextPiece;
    let output = call.result.as_ref()?;
    let mut arguments = BTreeMap::new();
    for (field, given) in &call.fields {
        let value = match given {
            ArgValue::Text(pieces) => match pieces.as_slice() {
                [TextPiece::Literal(text)] => Value::from(text.as_str()),
                // It reads what only an argument names: the page alone cannot tell.
                _ => return None,
            },
            ArgValue::Scalar(value) => value.clone(),
            ArgValue::Texts(_) => return None,
        };
        arguments.insert(field.name.to_owned(), value);
    }
    let answer = scrubbed_value(&output.answer, known);
    Some(RecordedRead { command: call.command.name.to_owned(), arguments, answer })
}

/// The result as the program returns it.
fn result(plan: &ProgramPlan, writer: &dyn ProgramWriter) -> Value {
    let value = |call: &PlannedCall, answer: &Value| {
        let response = call.command.response;
        match call.command.result.map(|index| &response.fields[index]) {
            _ if !writer.camel_case() => answer.clone(),
            Some(field) => renamed_field(answer, field),
            None => renamed(answer, response),
        }
    };
    let mut outputs = plan.outputs().map(|(call, output)| (output, value(call, &output.answer)));
    let several = plan.outputs().count() > 1;
    match (outputs.next(), several) {
        (Some((_, one)), false) => one,
        (first, _) => {
            let name = |name: &str| match name {
                "is" => "state".to_owned(),
                name if writer.camel_case() => camel(name),
                name => name.to_owned(),
            };
            let all = first.into_iter().chain(outputs);
            Value::Object(all.map(|(output, value)| (name(&output.name), value)).collect())
        }
    }
}

fn renamed_field(value: &Value, field: &Field) -> Value {
    match (value, &field.kind) {
        (Value::Array(items), _) => items.iter().map(|item| renamed_field(item, field)).collect(),
        (value, FieldType::Message(of)) => renamed(value, of),
        (value, _) => value.clone(),
    }
}

/// The fields of a message under their names in camel case.
fn renamed(value: &Value, message: &MessageType) -> Value {
    let Value::Object(fields) = value else { return value.clone() };
    let rename = |(key, value): (&String, &Value)| match message.field(key) {
        Some(field) => (camel(key), renamed_field(value, field)),
        None => (key.clone(), value.clone()),
    };
    Value::Object(fields.iter().map(rename).collect::<Map<_, _>>())
}
