//! Links of a page to other sites, with their texts.

use super::sites::{Site, named_in};

/// Letters of the text of a link. What is longer may be a page that somebody
/// wrapped in one.
const LONGEST: usize = 100;

/// Links of one answer that are read.
const MOST: usize = 200;

/// The links of `markdown` that lead to another site than `from`.
pub fn links_in<'a>(markdown: &'a str, from: &'a Site) -> impl Iterator<Item = (Site, &'a str)> {
    let ends = markdown.match_indices("](");
    ends.filter_map(|(at, _)| {
        let before = &markdown[..at];
        let start = before.rfind(['[', '\n']).filter(|start| before[*start..].starts_with('['))?;
        if before[..start].ends_with(['!', '\\']) {
            return None;
        }
        let address = &markdown[at + 2..];
        let end = address.find(|c: char| c.is_whitespace() || c == ')')?;
        Some((&markdown[start + 1..at], &address[..end]))
    })
    .filter_map(|(text, address)| link(text, address, from))
    .take(MOST)
}

/// The site that `address` leads to, with `text`, if it is another than `from`
/// and the text that of a link.
pub fn link<'a>(text: &'a str, address: &str, from: &Site) -> Option<(Site, &'a str)> {
    let is_short = !text.contains('\n') && text.chars().count() <= LONGEST;
    let is_web = address.starts_with("https://") || address.starts_with("http://");
    let to = named_in(address).next().filter(|to| is_short && is_web && to != from)?;
    Some((to, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_their_texts() {
        let from = Site::of_host("a.com", 443);
        let found = |markdown: &str| {
            let all = links_in(markdown, &from).map(|(to, text)| format!("{to} {text}"));
            all.collect::<Vec<_>>()
        };
        assert_eq!(
            found("See [The *Castle*](https://shop.b.com/x?y=1) or [home](https://www.a.com/)"),
            ["b.com The *Castle*"]
        );
        assert_eq!(
            found("[a](http://c.org/_(x)) [d](https://e.net \"title\")"),
            ["c.org a", "e.net d"]
        );
        for none in [
            "![picture](https://b.com/x.png)",
            "[a\nb](https://b.com)",
            "\\[a](https://b.com)",
            "[a](mailto:x@b.com)",
            "[a](/b)",
            "[a] (https://b.com)",
            "](https://b.com)",
            "[a](https://b.com",
            "[",
        ] {
            assert!(found(none).is_empty(), "{none}");
        }
        assert!(found(&format!("[{}](https://b.com)", "long ".repeat(30))).is_empty());
    }
}
