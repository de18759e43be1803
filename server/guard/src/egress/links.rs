//! Links of a page to other sites, with their texts.

use super::sites::{Site, named_in};

/// Letters of the text of a link. What is longer may be a page that somebody
/// wrapped in one.
const LONGEST: usize = 100;

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
        let found = |text: &str, address: &str| {
            link(text, address, &from).map(|(to, text)| format!("{to} {text}"))
        };
        let castle = found("The *Castle*", "https://shop.b.com/x?y=1");
        assert_eq!(castle.as_deref(), Some("b.com The *Castle*"));
        let long = "a".repeat(LONGEST + 1);
        for (text, address) in [
            ("home", "https://www.a.com/"),
            ("a\nb", "https://b.com"),
            ("a", "/path"),
            ("a", "mailto:x@b.com"),
            (&long, "https://b.com"),
        ] {
            assert_eq!(found(text, address), None, "{text} {address}");
        }
    }
}
