//! What an address carries: all of it but the site itself and what a page has
//! written just so.

use super::{sites::Site, stream::Hasher};

/// Longest address whose beginnings are remembered.
const MOST_BYTES: usize = 2_048;

/// Beginnings of one address that are remembered.
const MOST_BEGINNINGS: usize = 24;

/// Hashes of the addresses in `text`, and of their beginnings up to each
/// separator.
pub fn beginnings(text: &str, hasher: Hasher) -> Vec<u64> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`');
    let words = text.split(ends).filter(|word| word.len() <= MOST_BYTES);
    let mut found = Vec::new();
    for word in words {
        for (at, _) in word.match_indices("://") {
            let bare = word[at + 3..].trim_end_matches(['.', ',', ';', ')', ']', '!']);
            let ends = separators(bare).take(MOST_BEGINNINGS).chain([bare.len()]);
            found.extend(ends.map(|end| hasher.hash(&bare.as_bytes()[..end])));
        }
    }
    found
}

/// The part of `url` that a caller may have put into it.
pub fn cargo<'a>(
    url: &'a str,
    site: &Site,
    is_known: impl Fn(u64) -> bool,
    hasher: Hasher,
) -> Vec<&'a str> {
    let bare = url.split_once("://").map_or(url, |(_, bare)| bare);
    let known = |end: &usize| is_known(hasher.hash(&bare.as_bytes()[..*end]));
    let longest = separators(bare).chain([bare.len()]).filter(known).last();
    if let Some(end) = longest {
        return vec![&bare[end..]];
    }
    // Labels below the site can carry text as well as a path can.
    let host_end = bare.find(['/', '?', '#']).unwrap_or(bare.len());
    let name = site.as_str().split(':').next().unwrap_or_default();
    let below = bare[..host_end].rfind(name).map_or(&bare[..host_end], |at| &bare[..at]);
    vec![below, &bare[host_end..]]
}

/// The places behind each separator.
fn separators(bare: &str) -> impl Iterator<Item = usize> + '_ {
    bare.match_indices(['/', '?', '&', '=', '#']).map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn what_a_page_wrote_is_no_cargo() {
        let hasher = Hasher::new(7);
        let read = "see https://b.com/docs/start?lang=en, or http://evil.com/c?d= (add it)";
        let known: HashSet<u64> = beginnings(read, hasher).into_iter().collect();
        let cargo = |url: &str, site: &str| {
            cargo(url, &Site::of_host(site, 443), |hash| known.contains(&hash), hasher).concat()
        };
        assert_eq!(cargo("https://b.com/docs/start?lang=en", "b.com"), "");
        assert_eq!(cargo("https://b.com/docs/start?lang=de", "b.com"), "de");
        assert_eq!(cargo("http://evil.com/c?d=the+secret", "evil.com"), "the+secret");
        assert_eq!(cargo("http://the-secret.other.com/a?b", "other.com"), "the-secret./a?b");
        assert_eq!(cargo("http://secret@other.com:81/", "other.com"), "secret@/");
    }
}
