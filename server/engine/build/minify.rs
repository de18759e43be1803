//! Makes scripts small: without comments and needless blanks, and with short names.
//!
//! A name is shortened wherever it stands for a variable, and nowhere as a property.
//! That needs no scopes: the same name becomes the same short one everywhere. Names
//! that any script may use of its window are left as they are.

use std::collections::{HashMap, HashSet};

use super::js_roles::{KEYWORDS, Role, roles};
use super::js_tokens::{JsToken, JsTokenKind, tokens};

/// What scripts take of their window by a word that a variable may have, too: those
/// variables keep their names. Any other property of it is written `window.name`.
const WINDOW_NAMES: &[&str] = &[
    "document",
    "innerHeight",
    "innerWidth",
    "location",
    "parent",
    "performance",
    "scrollX",
    "scrollY",
    "window",
];

/// The script made small.
///
/// # Errors
/// What is not a token of a script.
pub fn minify(source: &str) -> Result<String, String> {
    let tokens = without_parentheses(&tokens(source)?);
    let roles = roles(&tokens);
    let (names, aliases) = short_names(&tokens, &roles);
    Ok(written(&tokens, &roles, &names, &aliases))
}

/// A parameter that is the only one stands alone.
fn without_parentheses<'a>(tokens: &[JsToken<'a>]) -> Vec<JsToken<'a>> {
    let is_alone = |open: usize| {
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
        text(open) == "("
            && tokens[open + 1].kind == JsTokenKind::Word
            && text(open + 2) == ")"
            && text(open + 3) == "=>"
    };
    let stays = |at: usize| !(is_alone(at) || at >= 2 && is_alone(at - 2));
    (0..tokens.len()).filter(|at| stays(*at)).map(|at| tokens[at]).collect()
}

/// Short names for all that a script declares, the most used first, and those of them
/// that stand for what it takes of its window again and again.
fn short_names<'a>(
    tokens: &[JsToken<'a>],
    roles: &[Role],
) -> (HashMap<&'a str, String>, Vec<&'a str>) {
    let declared = declared(tokens, roles);
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for (token, role) in tokens.iter().zip(roles) {
        if *role != Role::Other {
            *uses.entry(token.text).or_default() += 1;
        }
    }
    let starts_function =
        tokens.iter().take(5).map(|token| token.text).eq(["(", "(", ")", "=>", "{"]);
    let is_constant = |name: &str| {
        matches!(name, "document" | "parseFloat") || name.starts_with(|c: char| c.is_uppercase())
    };
    let is_alias = |name: &&str| {
        starts_function
            && !declared.contains(name)
            && is_constant(name)
            && uses[name] * (name.len() - 3) > name.len() + 6
    };
    let mut aliases: Vec<_> = uses.keys().copied().filter(is_alias).collect();
    aliases.sort_unstable();
    let mut taken: HashSet<&str> = KEYWORDS.iter().chain(WINDOW_NAMES).copied().collect();
    taken.extend(uses.keys().filter(|name| !declared.contains(*name)));
    let mut by_use: Vec<_> = uses
        .iter()
        .filter(|(name, _)| declared.contains(*name) || aliases.contains(name))
        .collect();
    by_use.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), **name));
    let mut shorts = (0..).map(short_name).filter(|short| !taken.contains(short.as_str()));
    let names = by_use.into_iter().filter_map(|(name, _)| Some((*name, shorts.next()?)));
    (names.collect(), aliases)
}

fn short_name(index: usize) -> String {
    const FIRST: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const MORE: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let mut name = String::from(char::from(FIRST[index % FIRST.len()]));
    let mut left = index / FIRST.len();
    while left > 0 {
        left -= 1;
        name.push(char::from(MORE[left % MORE.len()]));
        left /= MORE.len();
    }
    name
}

/// Variables that the script declares itself: what it takes of its window is none.
fn declared<'a>(tokens: &[JsToken<'a>], roles: &[Role]) -> HashSet<&'a str> {
    let mut found = HashSet::new();
    let mut add = |at: usize| {
        if roles[at] != Role::Other && !WINDOW_NAMES.contains(&tokens[at].text) {
            found.insert(tokens[at].text);
        }
    };
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "const" | "let" | "var" | "function" | "class" if token.kind == JsTokenKind::Word => {
                match tokens.get(index + 1).map(|next| next.text) {
                    Some("{" | "[") => (index + 2..closing(tokens, index + 1)).for_each(&mut add),
                    _ => add((index + 1).min(tokens.len() - 1)),
                }
            }
            "catch" if tokens.get(index + 1).is_some_and(|next| next.text == "(") => add(index + 2),
            "=>" if index > 0 && tokens[index - 1].kind == JsTokenKind::Word => add(index - 1),
            "=>" if index > 0 => {
                let from = opening(tokens, index - 1);
                parameters(tokens, from + 1, index - 1).for_each(&mut add);
            }
            "," => {
                // `let a = 1, b = 2;`: a comma at the level of a declaration.
                if let Some(at) = next_declared(tokens, index) {
                    add(at);
                }
            }
            "(" if is_method(tokens, index) => {
                parameters(tokens, index + 1, closing(tokens, index)).for_each(&mut add);
            }
            _ => {}
        }
    }
    found
}

/// Words of a list of parameters that are declared by it: not those of values that stand in.
fn parameters<'t>(
    tokens: &'t [JsToken<'_>],
    from: usize,
    to: usize,
) -> impl Iterator<Item = usize> + 't {
    let mut in_value = None;
    let mut depth = 0_usize;
    (from..to).filter(move |at| {
        let token = tokens[*at];
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        match (token.text, in_value) {
            ("=", None) => in_value = Some(depth),
            (",", Some(level)) if depth <= level => in_value = None,
            ("}" | "]", Some(level)) if depth < level => in_value = None,
            _ => {}
        }
        in_value.is_none() && token.kind == JsTokenKind::Word
    })
}

/// Whether a parenthesis opens the parameters of a method or of a function.
fn is_method(tokens: &[JsToken<'_>], index: usize) -> bool {
    let end = closing(tokens, index);
    let opens_body = tokens.get(end + 1).is_some_and(|next| next.text == "{");
    let named = index.checked_sub(1).map(|at| tokens[at]);
    opens_body
        && named.is_some_and(|name| {
            name.kind == JsTokenKind::Word
                && !matches!(name.text, "if" | "for" | "while" | "switch" | "catch" | "of")
        })
}

/// The word after a comma that goes on a declaration: `let [a, b] = x, c = 1`.
fn next_declared(tokens: &[JsToken<'_>], comma: usize) -> Option<usize> {
    let (mut at, mut depth) = (comma, 0_usize);
    while at > 0 {
        at -= 1;
        match tokens[at].text {
            ")" | "]" | "}" => depth += 1,
            "(" | "[" | "{" if depth == 0 => return None,
            "(" | "[" | "{" => depth -= 1,
            ";" | "=>" if depth == 0 => return None,
            "const" | "let" | "var" if depth == 0 && tokens[at].kind == JsTokenKind::Word => {
                return Some(comma + 1);
            }
            _ => {}
        }
    }
    None
}

fn closing(tokens: &[JsToken<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match (token.kind, token.text) {
            (JsTokenKind::Sign, "(" | "[" | "{") => depth += 1,
            (JsTokenKind::Sign, ")" | "]" | "}") => {
                depth -= 1;
                if depth == 0 {
                    return index;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

fn opening(tokens: &[JsToken<'_>], close: usize) -> usize {
    let mut depth = 0_usize;
    for index in (0..=close).rev() {
        match (tokens[index].kind, tokens[index].text) {
            (JsTokenKind::Sign, ")" | "]" | "}") => depth += 1,
            (JsTokenKind::Sign, "(" | "[" | "{") => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index;
                }
            }
            _ => {}
        }
    }
    0
}

/// Letters beyond ASCII are written as escapes: a single one would have all of the script
/// carried and compiled as text of two bytes a letter.
fn written(
    tokens: &[JsToken<'_>],
    roles: &[Role],
    names: &HashMap<&str, String>,
    aliases: &[&str],
) -> String {
    let mut script = String::new();
    // Behind a directive, which stands first.
    let is_directive = tokens.get(5).is_some_and(|token| token.text == "'use strict'");
    let start = if is_directive { 7 } else { 5 };
    let mut before: Option<JsToken<'_>> = None;
    for (index, (token, role)) in tokens.iter().zip(roles).enumerate() {
        if index == start && !aliases.is_empty() {
            let all: Vec<_> =
                aliases.iter().map(|name| format!("{}={name}", names[name])).collect();
            script.push_str(&format!("let {};", all.join(",")));
        }
        // The last statement of a block ends with it.
        if token.text == "}" && token.kind == JsTokenKind::Sign && script.ends_with(';') {
            script.pop();
        }
        if let Some(before) = before {
            script.push_str(gap(before, *token));
        }
        let before_last = before.replace(*token);
        let short = names.get(token.text).filter(|_| *role != Role::Other);
        match (short, role) {
            (Some(short), Role::Shorthand) => script.push_str(&format!("{}:{short}", token.text)),
            (Some(short), _) => script.push_str(short),
            (None, _) => {
                let is_plain = token.kind == JsTokenKind::Word && !is_property(before_last, *token);
                let text = if is_plain { shorter(token.text) } else { token.text };
                for unit in text.encode_utf16() {
                    match u8::try_from(unit) {
                        Ok(byte) if byte.is_ascii() => script.push(byte.into()),
                        _ => script.push_str(&format!("\\u{unit:04x}")),
                    }
                }
            }
        }
    }
    script.push('\n');
    script
}

/// A word that says the same in fewer letters: that what is declared is not assigned
/// again was checked before.
fn shorter(word: &str) -> &str {
    match word {
        "const" => "let",
        "true" => "!0",
        "false" => "!1",
        "undefined" => "void 0",
        word => word,
    }
}

/// Whether a keyword is the name of a property.
fn is_property(before: Option<JsToken<'_>>, _word: JsToken<'_>) -> bool {
    before.is_some_and(|before| matches!(before.text, "." | "?."))
}

/// What has to stand between two tokens.
fn gap(before: JsToken<'_>, after: JsToken<'_>) -> &'static str {
    let is_wordy = |token: JsToken<'_>| match token.kind {
        JsTokenKind::Word => true,
        JsTokenKind::Literal => token.text.starts_with(|c: char| c.is_ascii_digit()),
        _ => false,
    };
    let ends = |token: JsToken<'_>| match token.kind {
        JsTokenKind::Sign => matches!(token.text, ")" | "]" | "}"),
        JsTokenKind::Template => token.text.ends_with('`'),
        _ => true,
    };
    // A line may end a statement.
    if after.breaks && ends(before) {
        let goes_on = after.kind == JsTokenKind::Sign
            && !matches!(after.text, "(" | "[" | "{" | "+" | "-" | "++" | "--" | "!" | "...");
        return if goes_on { "" } else { "\n" };
    }
    let is_expression = before.kind == JsTokenKind::Literal && before.text.starts_with('/');
    if (is_wordy(before) || is_expression) && is_wordy(after) {
        return " ";
    }
    let doubled = before.kind == JsTokenKind::Sign
        && after.kind == JsTokenKind::Sign
        && matches!(
            (before.text.as_bytes().last(), after.text.as_bytes().first()),
            (Some(b'+'), Some(b'+')) | (Some(b'-'), Some(b'-'))
        );
    if doubled { " " } else { "" }
}
