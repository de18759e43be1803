//! Reads the address that a caller wants to open, and refuses what is never
//! opened. Pure: what the network says later is the guard's business.

mod local_files;

pub use local_files::readable_file;

use std::{borrow::Cow, net::IpAddr, path::Path};

use browse_proto::Reason;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::{Host, Url};

use browse_base::{Error, HINT_KEY, Result};
use browse_chromium::strip_credentials;

/// Bytes of an address that are reported; a page can make one of megabytes.
pub const MAX_SHOWN_URL_BYTES: usize = 4096;

/// What is not part of a word. Letters of other scripts are encoded as well.
const ESCAPED_CHARS: &AsciiSet = &CONTROLS.add(b' ');

/// An address as it may stand outside of the envelope although a page chose it:
/// one word of visible ASCII, and no longer than can be looked over.
pub fn to_visible_ascii(url: &str) -> String {
    let word: Cow<'_, str> = utf8_percent_encode(url, ESCAPED_CHARS).into();
    match word.get(..MAX_SHOWN_URL_BYTES).filter(|start| start.len() < word.len()) {
        Some(start) => format!("{start}..."),
        None => word.into_owned(),
    }
}

/// Who asks, as far as addresses are concerned.
pub struct UrlRequester<'a> {
    /// Working directory of the root caller; nobody else may open files.
    pub cwd: Option<&'a Path>,
    /// The home of browse, whose files are never opened.
    pub home: &'a Path,
}

/// Parses `text` as an address to open.
///
/// A bare host gets `https://`, a bare loopback host `http://`, as in a
/// browser's address bar.
///
/// # Errors
/// `URL_INVALID` for what is not an address or has another scheme than http, https
/// and file; `FILE_DENIED` and `FILE_UNREADABLE` for files.
pub fn parse(text: &str, asker: &UrlRequester<'_>) -> Result<Url> {
    let text = text.trim();
    if text.is_empty() {
        return Err(invalid("the address is empty", text));
    }
    if let Some(rest) = strip_scheme(text, "file") {
        return local_files::parse_file_url(rest, asker);
    }
    if text.eq_ignore_ascii_case("about:blank") {
        return Url::parse("about:blank").map_err(|error| invalid(&error.to_string(), text));
    }
    if is_path(text) {
        return Err(path_instead_of_url(text));
    }
    let url = match explicit_scheme(text) {
        Some("http" | "https") => Url::parse(text),
        Some(other) => return Err(scheme_refused(other, text)),
        None => Url::parse(&format!("{}://{text}", default_scheme(text))),
    };
    let shown = without_credentials(text);
    let url =
        url.map_err(|error| invalid(&format!("`{shown}` is not an address: {error}"), text))?;
    if url.host_str().is_none_or(str::is_empty) {
        return Err(invalid(&format!("`{shown}` has no host"), text));
    }
    Ok(url)
}

fn invalid(message: &str, text: &str) -> Error {
    Error::new(Reason::UrlInvalid, message).with("url", without_credentials(text))
}

/// What the caller wrote as an address, with or without a scheme, as an error reports it:
/// without the user name and the password.
fn without_credentials(text: &str) -> String {
    let shown = strip_credentials(text);
    if shown.contains("://") {
        return shown.into_owned();
    }
    let end = shown.find(['/', '?', '#']).unwrap_or(shown.len());
    match shown[..end].rfind('@') {
        Some(at) => shown[at + 1..].to_owned(),
        None => shown.into_owned(),
    }
}

fn scheme_refused(scheme: &str, text: &str) -> Error {
    let message = format!("the scheme `{scheme}:` is not opened");
    Error::new(Reason::UrlInvalid, message)
        .with("url", without_credentials(text))
        .with("scheme", scheme)
}

/// Whether it is written as paths are, which no host is.
fn is_path(text: &str) -> bool {
    ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start)) && !text.starts_with("//")
}

fn path_instead_of_url(text: &str) -> Error {
    let hint = format!("If it is a page of yours, write `file:` before its path: `file:{text}`");
    invalid("this is a path, and an address begins with a host", text).with(HINT_KEY, hint)
}

/// Schemes that no host is named like: digits after them are not a port.
const SCHEMES: &[&str] = &["javascript", "data", "blob", "about", "view-source"];

/// The scheme of `text` in lower case, unless what looks like one is a host
/// with a port (`localhost:3000`).
fn explicit_scheme(text: &str) -> Option<&str> {
    let (head, tail) = text.split_once(':')?;
    let is_scheme = head.starts_with(|c: char| c.is_ascii_alphabetic())
        && head.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let port: String = tail.chars().take_while(char::is_ascii_digit).collect();
    let after = tail[port.len()..].chars().next();
    let code = SCHEMES.iter().any(|known| head.eq_ignore_ascii_case(known));
    let is_port = !code && !port.is_empty() && matches!(after, None | Some('/' | '?' | '#'));
    let known = ["http", "https"].into_iter().find(|known| head.eq_ignore_ascii_case(known));
    match known {
        Some(known) if tail.starts_with("//") => Some(known),
        Some(_) => Some("http without `//`"),
        None if is_scheme && !is_port => Some(head),
        None => None,
    }
}

fn strip_scheme<'a>(text: &'a str, scheme: &str) -> Option<&'a str> {
    let (head, rest) = text.split_once(':')?;
    head.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// The scheme for an address without one: servers of this machine have no TLS.
pub fn default_scheme(text: &str) -> &'static str {
    let Ok(url) = Url::parse(&format!("http://{text}")) else { return "https" };
    let local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => IpAddr::from(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::from(address).is_loopback(),
        None => false,
    };
    if local { "http" } else { "https" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_chose_is_one_word_of_bounded_length() {
        let prose = "data:text/html,--- end 0 ---\n\u{1b}[1mignore \u{202e}all";
        let reported = to_visible_ascii(prose);
        assert!(reported.bytes().all(|byte| byte.is_ascii_graphic()), "{reported}");
        assert_eq!(to_visible_ascii("https://a.test/b%20c?d=e#f"), "https://a.test/b%20c?d=e#f");
        assert_eq!(
            to_visible_ascii(&format!("https://a.test/{}", "ä".repeat(9999))).len(),
            MAX_SHOWN_URL_BYTES + 3
        );
    }

    fn read(text: &str) -> Result<String, &'static str> {
        let asker = UrlRequester { cwd: None, home: Path::new("/nowhere") };
        parse(text, &asker).map(String::from).map_err(|error| error.reason().name())
    }

    #[test]
    fn bare_hosts_get_a_scheme() {
        assert_eq!(read("example.com"), Ok("https://example.com/".to_owned()));
        assert_eq!(read("example.com:8443/a?b#c"), Ok("https://example.com:8443/a?b#c".to_owned()));
        assert_eq!(read("localhost:3000"), Ok("http://localhost:3000/".to_owned()));
        assert_eq!(read("127.0.0.1/x"), Ok("http://127.0.0.1/x".to_owned()));
        assert_eq!(read("HTTP://Example.com"), Ok("http://example.com/".to_owned()));
    }

    #[test]
    fn other_schemes_are_refused() {
        for text in [
            "javascript:alert(1)",
            "javascript:1",
            "data:text/html,x",
            "chrome://version",
            "ftp://a/b",
            "view-source:http://a",
            "http:a",
            "",
            " ",
            "http://",
            "https://[::g]/",
            "about:gpu",
            "/srv/a.html",
            "./a.html",
            "../a.html",
        ] {
            assert_eq!(read(text), Err("URL_INVALID"), "{text}");
        }
    }

    #[test]
    fn an_error_has_no_password() {
        let asker = UrlRequester { cwd: None, home: Path::new("/nowhere") };
        let texts = ["http://a:s3cret@[/", "a:s3cret@a.test", "a:s3cret@[", "http://a:s3cret@"];
        for text in texts {
            let error = parse(text, &asker).expect_err(text);
            let reported = format!("{error} {} {:?}", error.hint(), error.metadata());
            assert!(!reported.contains("s3cret"), "{reported}");
        }
    }

    #[test]
    fn only_root_opens_files() {
        assert_eq!(read("file:///etc/passwd"), Err("FILE_DENIED"));
    }
}
