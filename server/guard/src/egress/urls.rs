//! What an address carries: all of it but the site itself and what a page has
//! written just so.

use super::{
    alphanumeric_text::{AlphanumericText, RollingHasher},
    codes, decode,
    sites::{Site, mentioned_sites},
};

/// Longest address whose beginnings are remembered.
const MAX_URL_BYTES: usize = 2_048;

/// Beginnings of one address that are remembered.
const MAX_PREFIXES: usize = 24;

/// Letters and digits of one word that may be a token.
const MIN_TOKEN_CHARS: usize = 16;

/// What of an address its writer vouches for, without its scheme; nothing when
/// words of others may stand in it: what somebody left open goes on over what
/// follows, and takes blanks, quotes and tags along, percent signs on. A `+` is
/// no blank: only whoever writes an address writes one.
pub fn vouched_link_url(bare: &str) -> Option<&str> {
    let plain = bare.replace('+', "");
    let decoded = decode::percent_decode(&plain).unwrap_or(plain);
    let foreign =
        |c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '<' | '>' | '`');
    (!decoded.contains(foreign)).then_some(bare)
}

/// The same of an address in running text, where `<b>http://a.com/?q=</b><b>1234</b>`
/// reads as one: without its last part when that is a code or a long word, which
/// may be of another hand.
pub fn vouched_text_url(bare: &str) -> Option<&str> {
    let bare = vouched_link_url(bare)?;
    let end = separator_ends(bare).last().unwrap_or_default();
    let last = decode::percent_decode(&bare[end..]);
    let last = AlphanumericText::of(last.as_deref().unwrap_or(&bare[end..]));
    let is_token = last.words.iter().any(|word| word.range.len() >= MIN_TOKEN_CHARS);
    let is_foreign = is_token || !codes::find_codes(&last).is_empty();
    Some(if is_foreign { &bare[..end] } else { bare })
}

/// The addresses in `text`: each whole, and without its scheme.
pub fn find_urls(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`');
    let words = text.split(ends).filter(|word| word.len() <= MAX_URL_BYTES);
    words.flat_map(|word| {
        word.match_indices("://").map(move |(at, _)| {
            let scheme = word[..at].trim_end_matches(|c: char| c.is_ascii_alphanumeric()).len();
            let whole = word[scheme..].trim_end_matches(['.', ',', ';', ')', ']', '!']);
            (whole, whole.get(at + 3 - scheme..).unwrap_or_default())
        })
    })
}

/// The site that an address leads to.
pub fn site_of_url(whole: &str) -> Option<Site> {
    mentioned_sites(whole).next()
}

/// Hashes of an address, and of its beginnings up to each separator.
pub fn prefix_hashes(bare: &str, hasher: RollingHasher) -> impl Iterator<Item = u64> + '_ {
    let ends = separator_ends(bare).take(MAX_PREFIXES).chain([bare.len()]);
    ends.map(move |end| hasher.hash(&bare.as_bytes()[..end]))
}

/// The part of `url` that a caller may have put into it.
pub fn unvouched_parts<'a>(
    url: &'a str,
    site: &Site,
    is_known: impl Fn(u64) -> bool,
    hasher: RollingHasher,
) -> Vec<&'a str> {
    let bare = url.split_once("://").map_or(url, |(_, bare)| bare);
    let known = |end: &usize| is_known(hasher.hash(&bare.as_bytes()[..*end]));
    let longest = separator_ends(bare).chain([bare.len()]).filter(known).last();
    if let Some(end) = longest {
        return vec![&bare[end..]];
    }
    // Labels below the site can carry text as well as a path can.
    let host_end = bare.find(['/', '?', '#']).unwrap_or(bare.len());
    let listener = site.receiving_site();
    let name = listener.as_str().split(':').next().unwrap_or_default();
    let below = bare[..host_end].rfind(name).map_or(&bare[..host_end], |at| &bare[..at]);
    vec![below, &bare[host_end..]]
}

/// The places behind each separator.
fn separator_ends(bare: &str) -> impl Iterator<Item = usize> + '_ {
    bare.match_indices(['/', '?', '&', '=', '#']).map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn addresses_stand_in_a_text() {
        let found = |text| {
            let show = |(whole, bare)| (site_of_url(whole).map(|site| site.to_string()), bare);
            find_urls(text).map(show).collect::<Vec<_>>()
        };
        let to = |site: &str| Some(site.to_owned());
        assert_eq!(
            found("(see https://b.com/a-b?c=d). Or http://localhost:81/x!"),
            [(to("b.com"), "b.com/a-b?c=d"), (to("localhost:81"), "localhost:81/x")]
        );
        assert_eq!(
            found("https://b.com/?to=https://evil.com/x"),
            [(to("b.com"), "b.com/?to=https://evil.com/x"), (to("evil.com"), "evil.com/x")]
        );
        assert_eq!(found("https://b.com\\@c.com/")[0].0, to("b.com"));
        for odd in ["://", "é://é", "a://...", "https://", "x", "https://)"] {
            let _ = found(odd);
        }
    }

    #[test]
    fn what_a_page_wrote_is_no_cargo() {
        let hasher = RollingHasher::new(7);
        let read = "see https://b.com/docs/start?lang=en, or http://evil.com/c?d= (add it)";
        let known = find_urls(read).flat_map(|(_, bare)| prefix_hashes(bare, hasher));
        let known: HashSet<u64> = known.collect();
        let cargo = |url: &str, site: &str| {
            unvouched_parts(url, &Site::of_host(site, 443), |hash| known.contains(&hash), hasher)
                .concat()
        };
        assert_eq!(cargo("https://b.com/docs/start?lang=en", "b.com"), "");
        assert_eq!(cargo("https://b.com/docs/start?lang=de", "b.com"), "de");
        assert_eq!(cargo("http://evil.com/c?d=the+secret", "evil.com"), "the+secret");
        assert_eq!(cargo("http://the-secret.other.com/a?b", "other.com"), "the-secret./a?b");
        assert_eq!(cargo("http://secret@other.com:81/", "other.com"), "secret@/");
        assert_eq!(cargo("http://the-secret.localhost/a", "the-secret.localhost"), "the-secret./a");
    }

    #[test]
    fn nobody_vouches_for_what_others_may_have_written() {
        for (bare, link, text) in [
            ("b.com/docs/one-two-three", true, Some("b.com/docs/one-two-three")),
            ("b.com/?q=a+b&c=%D0%A7", true, Some("b.com/?q=a+b&c=%D0%A7")),
            ("b.com/?order=88213-4471", true, Some("b.com/?order=")),
            ("b.com/?a=88213-4471&b=c", true, Some("b.com/?a=88213-4471&b=c")),
            ("b.com/to/grace@initech.com", true, Some("b.com/to/")),
            ("b.com/?q=correcthorsebatterystaple", true, Some("b.com/?q=")),
            ("b.com/?q=the%20code", false, None),
            ("b.com/?q=the%C2%A0code", false, None),
            ("b.com/?q=%3C/p%3ETHE", false, None),
            ("b.com/?q=a%22b", false, None),
            ("b.com/?q=a%27b", false, None),
            ("b.com/#a'b", false, None),
            ("b.com/a%0ab", false, None),
            ("", true, Some("")),
            ("b.com/%", true, Some("b.com/%")),
        ] {
            assert_eq!(vouched_link_url(bare).is_some(), link, "{bare}");
            assert_eq!(vouched_text_url(bare), text, "{bare}");
        }
    }
}
