//! How a JSON file is formatted, so that what is added looks like the rest.

use serde_json::Value;

use super::scan::{Item, JsonNode, NodeKind};

/// The format of a file.
pub struct Style {
    /// Indentation of one level; none in a file of one line.
    indent: Option<String>,
    /// Whether a blank follows colons and commas.
    has_blanks: bool,
    /// The end of a line.
    pub line_end: &'static str,
}

impl Style {
    /// That of `text`, whose value is `root`.
    pub fn of(text: &str, root: &JsonNode) -> Self {
        let is_one_line = !text.trim().contains('\n');
        let indent = (!is_one_line).then(|| first_indent(text, root).unwrap_or("  ".to_owned()));
        let has_blanks = !is_one_line || text.contains("\": ") || !text.contains("\":");
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Self { indent, has_blanks, line_end }
    }

    /// A member or an element, on its own lines after `margin` when there is one.
    pub fn item(&self, key: &str, value: &Value, margin: Option<&str>) -> String {
        let colon = if self.has_blanks { ": " } else { ":" };
        let key = match key {
            "" => String::new(),
            key => format!("{}{colon}", Value::from(key)),
        };
        match (margin, &self.indent) {
            (Some(margin), Some(indent)) => {
                let lines = pretty(value, indent);
                let joint = format!("{}{margin}", self.line_end);
                format!("{key}{}", lines.lines().collect::<Vec<_>>().join(&joint))
            }
            _ if self.has_blanks => format!("{key}{}", spaced(value)),
            _ => format!("{key}{value}"),
        }
    }

    /// The end of a comma within a line.
    pub fn blank(&self) -> &'static str {
        if self.has_blanks { " " } else { "" }
    }

    /// The margin of items in `container`; none when they share its line.
    pub fn margin(&self, text: &str, container: &JsonNode) -> Option<String> {
        let indent = self.indent.as_ref()?;
        match container.items().first() {
            Some(first) => own_margin(text, first),
            None => Some(format!("{}{indent}", line_margin(text, container.start))),
        }
    }
}

/// The blanks before an item that begins its line.
fn own_margin(text: &str, item: &Item) -> Option<String> {
    let line = text[..item.start].rfind('\n').map(|at| &text[at + 1..item.start])?;
    line.chars().all(|sign| matches!(sign, ' ' | '\t')).then(|| line.to_owned())
}

/// The blanks that the line of `at` begins with.
pub fn line_margin(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(text, |end| &text[end + 1..]);
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The indentation of the first level that has one.
fn first_indent(text: &str, root: &JsonNode) -> Option<String> {
    let NodeKind::Object(items) = &root.kind else { return None };
    items.iter().find_map(|item| own_margin(text, item)).filter(|margin| !margin.is_empty())
}

/// A value on lines, each level deeper by `indent`.
pub fn pretty(value: &Value, indent: &str) -> String {
    let block = |lines: Vec<String>, open: char, close: char| {
        let lines = lines.join(",\n").replace('\n', &format!("\n{indent}"));
        format!("{open}\n{indent}{lines}\n{close}")
    };
    match value {
        Value::Object(members) if !members.is_empty() => {
            let member = |(key, value): (&String, &Value)| {
                format!("{}: {}", Value::from(key.as_str()), pretty(value, indent))
            };
            block(members.iter().map(member).collect(), '{', '}')
        }
        Value::Array(items) if !items.is_empty() => {
            block(items.iter().map(|item| pretty(item, indent)).collect(), '[', ']')
        }
        value => value.to_string(),
    }
}

/// A value on one line, with blanks.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), spaced(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(spaced).collect::<Vec<_>>().join(", "))
        }
        value => value.to_string(),
    }
}
