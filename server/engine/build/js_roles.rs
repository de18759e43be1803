//! What the words of a script stand for: variables, or names of properties.

use super::js_tokens::{JsToken, JsTokenKind};

/// What a bracket holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Block,
    Object,
    Class,
    Other,
}

pub const KEYWORDS: &[&str] = &[
    "arguments",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "default",
    "delete",
    "do",
    "else",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "get",
    "if",
    "in",
    "instanceof",
    "let",
    "new",
    "null",
    "of",
    "return",
    "set",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "yield",
];

/// What a word stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Variable,
    /// A property and the variable of the same name.
    Shorthand,
    /// A property, a keyword, or no word at all.
    Other,
}

pub fn roles(tokens: &[JsToken<'_>]) -> Vec<Role> {
    let mut open = vec![Bracket::Block];
    let mut roles = Vec::with_capacity(tokens.len());
    let mut in_case = false;
    let mut after_case = false;
    for (index, token) in tokens.iter().enumerate() {
        let text = |offset: isize| {
            let at = index.checked_add_signed(offset).filter(|at| *at < tokens.len());
            at.map_or("", |at| tokens[at].text)
        };
        let inner = open.last().copied().unwrap_or(Bracket::Block);
        let mut role = Role::Other;
        match (token.kind, token.text) {
            (JsTokenKind::Word, word)
                if !KEYWORDS.contains(&word) || is_key(inner, text(-1), text(1)) =>
            {
                role = word_role(inner, text(-1), text(1));
            }
            (JsTokenKind::Word, "case" | "default") => in_case = true,
            (JsTokenKind::Template, part) => {
                if !part.starts_with('`') {
                    open.pop();
                }
                if part.ends_with("${") {
                    open.push(Bracket::Other);
                }
            }
            (JsTokenKind::Sign, "{") => open.push(brace(tokens, index, after_case)),
            (JsTokenKind::Sign, "(" | "[") => open.push(Bracket::Other),
            (JsTokenKind::Sign, "}" | ")" | "]") => drop(open.pop()),
            _ => {}
        }
        after_case = token.text == ":" && in_case;
        in_case &= !after_case;
        roles.push(role);
    }
    roles
}

fn is_key(inner: Bracket, before: &str, after: &str) -> bool {
    inner == Bracket::Object && matches!(before, "{" | ",") && after == ":"
}

fn word_role(inner: Bracket, before: &str, after: &str) -> Role {
    if matches!(before, "." | "?.") || is_key(inner, before, after) {
        return Role::Other;
    }
    let begins = matches!(before, "{" | "," | "async" | "get" | "set" | "static");
    match inner {
        Bracket::Object if begins && after == "(" => Role::Other,
        Bracket::Object if matches!(before, "{" | ",") && matches!(after, "," | "}" | "=") => {
            Role::Shorthand
        }
        Bracket::Class
            if (begins || matches!(before, "}" | ";")) && matches!(after, "(" | "=" | ";") =>
        {
            Role::Other
        }
        _ => Role::Variable,
    }
}

/// What the brace at `index` holds.
fn brace(tokens: &[JsToken<'_>], index: usize, after_case: bool) -> Bracket {
    let Some(before) = index.checked_sub(1).map(|at| tokens[at]) else { return Bracket::Block };
    let names_class = |at: usize| tokens[at].text == "class" || tokens[at].text == "extends";
    match (before.kind, before.text) {
        (
            JsTokenKind::Word,
            "return" | "const" | "let" | "of" | "in" | "typeof" | "await" | "yield",
        ) => Bracket::Object,
        (JsTokenKind::Word, _) if index >= 2 && names_class(index - 2) => Bracket::Class,
        (JsTokenKind::Word, _) => Bracket::Block,
        (JsTokenKind::Sign, ")" | "=>" | "{" | "}" | ";") => Bracket::Block,
        (JsTokenKind::Sign, ":") if after_case => Bracket::Block,
        _ => Bracket::Object,
    }
}
