//! The tokens of a script.

/// A token of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsTokenKind {
    Word,
    /// A number, a string, a template without expressions, or a regular expression.
    Literal,
    /// A part of a template up to an expression, or from one on.
    Template,
    Sign,
}

#[derive(Debug, Clone, Copy)]
pub struct JsToken<'a> {
    pub kind: JsTokenKind,
    pub text: &'a str,
    /// Whether a line ends before it.
    pub breaks: bool,
}

const SIGNS: &[&str] = &[
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=",
    "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
    "<<", ">>", "**",
];

/// Keywords after which a value begins.
const BEFORE_VALUE: &[&str] = &[
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "instanceof",
    "new",
    "delete",
    "void",
    "throw",
    "await",
    "yield",
    "else",
    "do",
];

/// Takes a script apart.
///
/// # Errors
/// What is not a token of a script.
pub fn tokens(source: &str) -> Result<Vec<JsToken<'_>>, String> {
    let bytes = source.as_bytes();
    let (mut found, mut at, mut breaks): (Vec<JsToken<'_>>, _, _) = (Vec::new(), 0, false);
    // Braces that are open, by whether they are those of an expression in a template.
    let mut braces = Vec::new();
    while at < bytes.len() {
        let rest = &source[at..];
        let first = rest.chars().next().unwrap_or(' ');
        if first.is_whitespace() {
            breaks |= first == '\n';
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            at += rest.find("*/").ok_or("a comment does not end")? + 2;
            continue;
        }
        let is_template_rest = first == '}' && braces.last() == Some(&true);
        let (kind, length) = if is_template_rest || first == '`' {
            if is_template_rest {
                braces.pop();
            }
            let (length, goes_on) = template_length(rest)?;
            if goes_on {
                braces.push(true);
            }
            let whole = first == '`' && !goes_on;
            (if whole { JsTokenKind::Literal } else { JsTokenKind::Template }, length)
        } else if first == '"' || first == '\'' {
            (JsTokenKind::Literal, quoted_length(rest, first)?)
        } else if first == '/' && begins_value(found.last()) {
            (JsTokenKind::Literal, expression_length(rest)?)
        } else if first.is_ascii_digit() {
            let is_part = |c: char| is_word(c) || c == '.';
            (JsTokenKind::Literal, rest.find(|c| !is_part(c)).unwrap_or(rest.len()))
        } else if is_word(first) {
            (JsTokenKind::Word, rest.find(|c| !is_word(c)).unwrap_or(rest.len()))
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            // `?.5` is not an optional property.
            let sign = sign.filter(|sign| {
                **sign != "?." || !rest[2..].starts_with(|c: char| c.is_ascii_digit())
            });
            match first {
                '{' => braces.push(false),
                '}' => drop(braces.pop()),
                _ => {}
            }
            (JsTokenKind::Sign, sign.map_or(first.len_utf8(), |sign| sign.len()))
        };
        found.push(JsToken { kind, text: &rest[..length], breaks });
        breaks = false;
        at += length;
    }
    Ok(found)
}

/// Whether a slash after a token begins a regular expression.
fn begins_value(before: Option<&JsToken<'_>>) -> bool {
    let Some(before) = before else { return true };
    match before.kind {
        JsTokenKind::Word => BEFORE_VALUE.contains(&before.text),
        JsTokenKind::Literal => false,
        JsTokenKind::Template => before.text.ends_with("${"),
        JsTokenKind::Sign => !matches!(before.text, ")" | "]" | "}" | "++" | "--"),
    }
}

fn quoted_length(rest: &str, quote: char) -> Result<usize, String> {
    let mut escaped = false;
    for (index, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => break,
            _ if letter == quote => return Ok(index + 1),
            _ => {}
        }
    }
    Err(format!("a string does not end: {}", &rest[..rest.len().min(40)]))
}

/// Up to the end of a template, or to its next expression.
fn template_length(rest: &str) -> Result<(usize, bool), String> {
    let mut escaped = false;
    for (index, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '`' => return Ok((index + 1, false)),
            '$' if rest[index..].starts_with("${") => return Ok((index + 2, true)),
            _ => {}
        }
    }
    Err("a template does not end".to_owned())
}

fn expression_length(rest: &str) -> Result<usize, String> {
    let (mut escaped, mut in_class) = (false, false);
    for (index, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '\n' => break,
            '/' if !in_class => {
                let flags = rest[index + 1..].find(|c: char| !c.is_ascii_lowercase());
                return Ok(index + 1 + flags.unwrap_or(rest.len() - index - 1));
            }
            _ => {}
        }
    }
    Err(format!("a regular expression does not end: {}", &rest[..rest.len().min(40)]))
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}
