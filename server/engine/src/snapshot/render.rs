//! A snapshot as text.
//!
//! One element a line, two spaces a level: `@e3 button "Sign in" [disabled]`.
//! Lines without a ref begin with `-`; plain text stands in quotes, and after
//! a colon when it is all that its element holds.

use std::fmt::Write;

use super::tree::{NodeContext, SnapshotLine};

/// Names longer than this are cut in text; data has them whole.
const MAX_NAME_CHARS: usize = 160;
/// Plain text is what a page says, so it is cut later.
const MAX_TEXT_CHARS: usize = 2_000;
/// Values of fields.
const MAX_VALUE_CHARS: usize = 120;

/// Whether lines of the same name are distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContextDisplay {
    /// For whoever chooses one of them.
    Show,
    /// For a comparison: the context of a line changes with other lines.
    Omit,
}

/// A line, and the node it stands for.
pub(crate) struct TextLine {
    pub text: String,
    pub node: usize,
}

/// The lines of a tree. A text that is alone in its element shares its line.
pub(crate) fn render_lines(nodes: &[SnapshotLine], contexts: ContextDisplay) -> Vec<TextLine> {
    let mut lines = Vec::with_capacity(nodes.len());
    let mut index = 0;
    while index < nodes.len() {
        let node = &nodes[index];
        let text = only_text(nodes, index);
        let output = is_repeated_by_link(nodes, index);
        lines.push(TextLine { text: render_line(node, text, output, contexts), node: index });
        index += if text.is_some() { 2 } else { 1 };
    }
    lines
}

/// The text of a nameless element that holds nothing else.
fn only_text(nodes: &[SnapshotLine], index: usize) -> Option<&str> {
    let node = &nodes[index];
    let child = nodes.get(index + 1)?;
    let alone = nodes.get(index + 2).is_none_or(|next| next.depth <= node.depth);
    let plain = node.role != "text" && node.name.is_empty();
    (plain && child.role == "text" && child.depth == node.depth + 1 && alone)
        .then_some(child.name.as_str())
}

/// Whether the only thing in a heading is a link that has its name: then the
/// link says it.
fn is_repeated_by_link(nodes: &[SnapshotLine], index: usize) -> bool {
    let node = &nodes[index];
    let Some(child) = nodes.get(index + 1) else { return false };
    let within = node.role == "heading" && child.role == "link" && child.depth == node.depth + 1;
    within && child.name == node.name
}

fn render_line(
    node: &SnapshotLine,
    text: Option<&str>,
    output: bool,
    contexts: ContextDisplay,
) -> String {
    let mut line = String::with_capacity(node.depth as usize * 2 + node.name.len() + 24);
    for _ in 0..node.depth {
        line.push_str("  ");
    }
    match node.reference {
        Some(reference) => {
            let _ = write!(line, "{reference} ");
        }
        None => line.push_str("- "),
    }
    if node.role == "text" {
        push_quoted(&mut line, &node.name, MAX_TEXT_CHARS);
        return line;
    }
    // `@c3` says that it is clickable; a name alone is enough.
    let named = !node.name.is_empty() && !output;
    if node.role != "clickable" || !named {
        line.push_str(&node.role);
    }
    if named {
        if !line.ends_with(' ') {
            line.push(' ');
        }
        push_quoted(&mut line, &node.name, MAX_NAME_CHARS);
    }
    if !node.hint.is_empty() {
        let _ = write!(line, " ({})", node.hint);
    }
    if contexts == ContextDisplay::Show {
        line.push_str(&context_suffix(&node.context));
    }
    push_states(&mut line, node);
    if let Some(text) = text {
        line.push_str(": ");
        push_clipped(&mut line, text, MAX_TEXT_CHARS);
    }
    if let (Some(reference), false) = (node.reference, node.summary.is_empty()) {
        let _ = write!(line, ": {}, `snapshot -i -s {reference}`", node.summary);
    }
    line
}

/// ` in "Oak stool" #2`.
fn context_suffix(context: &NodeContext) -> String {
    let mut text = String::new();
    if !context.text.is_empty() && !context.is_repeated {
        text.push_str(" in ");
        push_quoted(&mut text, &context.text, MAX_NAME_CHARS);
    }
    if context.ordinal > 1 {
        let _ = write!(text, " #{}", context.ordinal);
    }
    text
}

fn push_states(line: &mut String, node: &SnapshotLine) {
    if node.states.is_empty() && node.value.is_none() {
        return;
    }
    line.push_str(" [");
    for (index, state) in node.states.iter().enumerate() {
        if index > 0 {
            line.push_str(", ");
        }
        line.push_str(state);
        if state == "invalid" && !node.message.is_empty() {
            line.push_str(": ");
            push_quoted(line, &node.message, MAX_NAME_CHARS);
        }
    }
    if let Some(value) = &node.value {
        if !node.states.is_empty() {
            line.push_str(", ");
        }
        line.push_str("value=");
        push_quoted(line, value, MAX_VALUE_CHARS);
    }
    line.push(']');
}

fn push_quoted(line: &mut String, text: &str, limit: usize) {
    line.push('"');
    let start = line.len();
    push_clipped(line, text, limit);
    if line[start..].contains(['"', '\\', '\n', '\r', '\t']) {
        let escaped = line[start..]
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\r', "")
            .replace('\n', "\\n")
            .replace('\t', "\\t");
        line.truncate(start);
        line.push_str(&escaped);
    }
    line.push('"');
}

fn push_clipped(line: &mut String, text: &str, limit: usize) {
    match text.char_indices().nth(limit) {
        Some((end, _)) if text.len() > end => {
            line.push_str(text[..end].trim_end());
            line.push('…');
        }
        _ => line.push_str(text),
    }
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;
