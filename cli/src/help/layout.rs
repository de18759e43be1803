//! Lays help out in 80 columns.

const MAX_COLUMNS: usize = 80;

/// The text of a term starts here, or on the next line when the term is longer.
const TEXT_COLUMN: usize = 30;

/// `text` in lines of at most 80 columns, each after `indent` blanks.
pub fn wrap(text: &str, indent: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let width = indent + line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && width > MAX_COLUMNS {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    let margin = " ".repeat(indent);
    lines.iter().map(|line| format!("{margin}{line}\n")).collect()
}

/// A list of terms and what they mean, with the meanings in one column.
pub fn terms(rows: &[(String, String)]) -> String {
    let widths = rows.iter().map(|(term, _)| term.chars().count() + 4);
    let column = widths.filter(|width| *width <= TEXT_COLUMN).max().unwrap_or(TEXT_COLUMN);
    rows.iter().map(|(term, meaning)| row(term, meaning, column)).collect()
}

fn row(term: &str, meaning: &str, column: usize) -> String {
    if meaning.is_empty() {
        return format!("  {term}\n");
    }
    let meaning = wrap(meaning, column);
    let width = term.chars().count();
    if width + 4 > column {
        return format!("  {term}\n{meaning}");
    }
    format!("  {term}{}{}", " ".repeat(column - width - 2), meaning.trim_start())
}
