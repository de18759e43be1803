//! Services that collect whatever is sent to them. No honest page has an agent
//! open an address there, so a link to one is worth a warning.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use memchr::memmem::Finder;

/// Hosts of such services; everything below them counts, too. The list stands
/// in `docs/security.md`.
pub static COLLECTORS: &[&str] = &[
    "webhook.site",
    "webhook.cool",
    "requestbin.com",
    "requestbin.net",
    "requestcatcher.com",
    "requestinspector.com",
    "requestrepo.com",
    "hookbin.com",
    "hookdeck.com",
    "beeceptor.com",
    "pipedream.net",
    "putsreq.com",
    "postb.in",
    "mockbin.org",
    "typedwebhook.tools",
    "burpcollaborator.net",
    "oastify.com",
    "interact.sh",
    "oast.pro",
    "oast.live",
    "oast.site",
    "oast.online",
    "oast.fun",
    "oast.me",
    "canarytokens.com",
    "canarytokens.org",
    "dnslog.cn",
    "ceye.io",
    "grabify.link",
    "iplogger.org",
    "iplogger.com",
    "blasze.tk",
];

static COLLECTOR_MATCHER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let build = AhoCorasick::builder().ascii_case_insensitive(true).build(COLLECTORS);
    build.expect("the hosts are few")
});

/// What stands before a host, also where it is encoded.
static URL_PREFIXES: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| ["//", "%2F", "%2f"].map(Finder::new));

/// The services that `text` names as the host of an address, each once, in the
/// order of the list.
pub fn find_collectors(text: &str) -> Vec<&'static str> {
    // Few texts name addresses, and this is found out in a tenth of the time.
    if !URL_PREFIXES.iter().any(|mark| mark.find(text.as_bytes()).is_some()) {
        return Vec::new();
    }
    let mut found = [false; 64];
    for host in COLLECTOR_MATCHER.find_iter(text) {
        let before = text[..host.start()].bytes().next_back();
        let behind = text[host.end()..].bytes().next();
        // `mywebhook.site` and `webhook.sites` are others; so is `webhook.site.example`.
        let encoded = text[..host.start()].get(host.start().saturating_sub(3)..);
        let encoded = encoded.is_some_and(|before| before.eq_ignore_ascii_case("%2f"));
        let whole = (encoded || before.is_none_or(|byte| !is_host_byte(byte) || byte == b'.'))
            && behind.is_none_or(|byte| !is_host_byte(byte) || is_full_stop(text, host.end()));
        if whole && is_url_host(text, host.start()) {
            found[host.pattern().as_usize()] = true;
        }
    }
    COLLECTORS.iter().zip(found).filter(|(_, found)| *found).map(|(host, _)| *host).collect()
}

fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.')
}

/// Whether the dot at `at` ends a sentence and no label.
fn is_full_stop(text: &str, at: usize) -> bool {
    let mut rest = text[at..].bytes();
    rest.next() == Some(b'.') && rest.next().is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

/// Whether the host that ends at or before `at` stands behind `://` or `//`.
fn is_url_host(text: &str, at: usize) -> bool {
    let before = text[..at].get(at.saturating_sub(6)..);
    if before.is_some_and(|before| before.eq_ignore_ascii_case("%2f%2f")) {
        return true;
    }
    let host = text[..at].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "-.".contains(c));
    let host = host.strip_suffix('@').map_or(host, |rest| {
        rest.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "-._:%".contains(c))
    });
    host.ends_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_collectors_are_found() {
        let text =
            "see https://abc.webhook.site/x?d=1 and //WEBHOOK.SITE, http://a:b@x.oast.fun. x";
        assert_eq!(find_collectors(text), ["webhook.site", "oast.fun"]);
        assert_eq!(find_collectors("u=https%3A%2F%2Fwebhook.site%2Fx"), ["webhook.site"]);
    }

    #[test]
    fn talk_and_other_hosts_are_none() {
        let text = "webhook.site is a tool; https://mywebhook.site https://webhook.site.example \
            https://webhook.sites/ https://example.com/webhook.site";
        assert_eq!(find_collectors(text), [""; 0]);
    }

    #[test]
    fn the_list_fits() {
        assert!(COLLECTORS.len() <= 64);
        assert!(COLLECTORS.iter().all(|host| *host == host.to_lowercase()));
    }
}
