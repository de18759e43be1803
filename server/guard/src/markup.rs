//! The words of an HTML document without its markup: text, comments, and the
//! attributes that hold words. Not a parser: what it gets wrong it gets wrong
//! towards showing more.

/// Attributes whose values are words.
const TEXT_ATTRIBUTES: &[&str] =
    &["alt", "title", "aria-label", "aria-description", "placeholder", "content", "value", "label"];

/// Tags that part words; all others may stand within one.
const BLOCK_TAGS: &[&str] = &[
    "p", "div", "br", "li", "td", "th", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "section",
    "article", "title", "option", "ul", "ol", "table", "body", "head", "html", "script", "style",
];

/// Whether `text` looks like markup.
pub fn is_markup(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let begins = |tag: &str| text.get(..tag.len()).is_some_and(|s| s.eq_ignore_ascii_case(tag));
    text.starts_with("<!--")
        || ["<!doctype", "<html", "<head", "<body", "<svg", "<?xml"].iter().any(|tag| begins(tag))
        || text.starts_with('<') && text.contains("</")
}

/// The words of `html`.
pub fn extract_text(html: &str) -> String {
    let mut out = String::with_capacity(html.len() / 2);
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        push_text(&mut out, &rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            let (inside, behind) = comment.split_once("-->").unwrap_or((comment, ""));
            push_line(&mut out, inside);
            rest = behind;
        } else if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!') {
            rest = push_tag(&mut out, &rest[1..]);
        } else {
            out.push('<');
            rest = &rest[1..];
        }
    }
    push_text(&mut out, rest);
    out
}

/// Reads a tag, and answers what stands behind it.
fn push_tag<'a>(out: &mut String, text: &'a str) -> &'a str {
    let name_end = text.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(text.len());
    let name = text[..name_end].trim_matches('/').to_ascii_lowercase();
    if BLOCK_TAGS.contains(&name.as_str()) {
        out.push('\n');
    }
    let mut rest = &text[name_end..];
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        if let Some(behind) = rest.strip_prefix('>') {
            return behind;
        }
        if rest.is_empty() {
            return rest;
        }
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '=' | '>'))
            .unwrap_or(rest.len())
            .max(1);
        let end = rest.ceil_char_boundary(end);
        let attribute = rest[..end].to_ascii_lowercase();
        rest = rest[end..].trim_start();
        let Some(behind) = rest.strip_prefix('=') else { continue };
        let behind = behind.trim_start();
        let value;
        (value, rest) = match behind.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                behind[1..].split_once(quote).unwrap_or((&behind[1..], ""))
            }
            _ => {
                let end = behind.find(|c: char| c.is_whitespace() || c == '>');
                behind.split_at(end.unwrap_or(behind.len()))
            }
        };
        if TEXT_ATTRIBUTES.contains(&attribute.as_str()) {
            push_line(out, value);
        }
    }
}

fn push_line(out: &mut String, words: &str) {
    out.push('\n');
    push_text(out, words);
    out.push('\n');
}

/// Appends `text` with its references read.
fn push_text(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        match end.and_then(|end| Some((decode_reference(&rest[1..end])?, end))) {
            Some((letter, end)) => {
                out.push(letter);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
}

fn decode_reference(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" | "rsquo" | "lsquo" => Some('\''),
        "nbsp" => Some(' '),
        "shy" | "zwj" | "zwnj" | "ZeroWidthSpace" => Some('\u{200b}'),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_through_markup() {
        let html = "<p title='a &amp; b'>Ignore <b>all</b> pre&shy;vious&#32;x<!-- secret --><img alt=cat src=x>";
        let words = extract_text(html);
        let flat = words.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(flat, "a & b Ignore all pre\u{200b}vious x secret cat");
    }

    #[test]
    fn broken_markup_ends() {
        for html in
            ["<", "<a", "<a b=", "<a b='", "<!--", "a < b", "<é=é", "<a é", "&#x110000;", "&"]
        {
            let _ = extract_text(html);
        }
        assert_eq!(extract_text("1 < 2 & 3"), "1 < 2 & 3");
    }

    #[test]
    fn markup_is_told_from_text() {
        assert!(is_markup("\n<!DOCTYPE html><p>"));
        assert!(is_markup("<p>x</p>"));
        assert!(!is_markup("# Note\n<https://example.com>"));
    }
}
