//! What a file is called, as the server or its address says. It is a choice:
//! whoever writes the file makes it harmless.

use percent_encoding::percent_decode_str;
use url::Url;

/// Usual extensions of MIME types.
const EXTENSIONS: &[(&str, &str)] = &[
    ("image/jpeg", "jpg"),
    ("image/png", "png"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("image/avif", "avif"),
    ("image/svg+xml", "svg"),
    ("image/x-icon", "ico"),
    ("image/vnd.microsoft.icon", "ico"),
    ("image/bmp", "bmp"),
    ("video/mp4", "mp4"),
    ("video/webm", "webm"),
    ("video/ogg", "ogv"),
    ("video/quicktime", "mov"),
    ("audio/mpeg", "mp3"),
    ("audio/mp4", "m4a"),
    ("audio/ogg", "ogg"),
    ("audio/wav", "wav"),
    ("audio/webm", "weba"),
    ("application/pdf", "pdf"),
    ("application/zip", "zip"),
    ("application/gzip", "gz"),
    ("application/json", "json"),
    ("application/xml", "xml"),
    ("text/html", "html"),
    ("text/plain", "txt"),
    ("text/csv", "csv"),
    ("text/css", "css"),
    ("text/javascript", "js"),
];

/// The name that the header `Content-Disposition` gives, else the one that the
/// page wants; empty when there is neither and the address should tell.
pub fn file_name(disposition: Option<&str>, wanted: Option<&str>, mime: &str) -> String {
    let given = disposition.and_then(from_header);
    let name = given.or_else(|| wanted.map(str::to_owned)).unwrap_or_default();
    if name.is_empty() { name } else { with_extension(name, mime) }
}

/// The last part of the path of an address.
pub fn from_url(url: &str, mime: &str) -> String {
    let url = Url::parse(url).ok();
    let last = url.as_ref().and_then(Url::path_segments).and_then(|mut parts| parts.next_back());
    let last = percent_decode_str(last.unwrap_or_default()).decode_utf8_lossy().into_owned();
    if !last.is_empty() {
        return with_extension(last, mime);
    }
    // What follows the last dot of a host is not an extension.
    let host = url.as_ref().and_then(Url::host_str).unwrap_or("download");
    let end = extension_of(mime).map(|end| format!(".{end}")).unwrap_or_default();
    format!("{host}{end}")
}

/// Reads `filename*=` (RFC 5987) before `filename=`.
fn from_header(header: &str) -> Option<String> {
    let mut plain = None;
    for part in parameters(header) {
        let Some((key, value)) = part.split_once('=') else { continue };
        let value = value.trim();
        match key.trim().to_ascii_lowercase().as_str() {
            "filename*" => {
                let mut parts = value.splitn(3, '\'');
                let charset = parts.next().unwrap_or_default();
                let text = parts.nth(1).unwrap_or_default();
                let bytes: Vec<u8> = percent_decode_str(text).collect();
                let name = match charset.eq_ignore_ascii_case("iso-8859-1") {
                    true => bytes.iter().map(|byte| char::from(*byte)).collect(),
                    false => String::from_utf8_lossy(&bytes).into_owned(),
                };
                if !name.is_empty() {
                    return Some(name);
                }
            }
            "filename" => {
                let bare = value.strip_prefix('"').map(|v| v.strip_suffix('"').unwrap_or(v));
                let name = bare.map_or(value.to_owned(), |text| text.replace("\\\"", "\""));
                plain = Some(name).filter(|name| !name.is_empty());
            }
            _ => {}
        }
    }
    plain
}

/// The parts between semicolons that are not in quotes.
fn parameters(header: &str) -> Vec<String> {
    let (mut parts, mut part, mut quoted, mut escaped) = (Vec::new(), String::new(), false, false);
    for letter in header.chars() {
        match letter {
            ';' if !quoted => parts.push(std::mem::take(&mut part)),
            letter => {
                quoted ^= letter == '"' && !escaped;
                part.push(letter);
            }
        }
        escaped = letter == '\\' && !escaped;
    }
    parts.push(part);
    parts
}

fn with_extension(name: String, mime: &str) -> String {
    let has = name.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=5).contains(&end.len())
            && end.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    match extension_of(mime) {
        Some(end) if !has => format!("{name}.{end}"),
        _ => name,
    }
}

fn extension_of(mime: &str) -> Option<&'static str> {
    let bare = mime.split(';').next().unwrap_or_default().trim();
    let known = EXTENSIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(bare));
    known.map(|(_, end)| *end)
}

#[cfg(test)]
mod tests {
    use super::{file_name, from_url};

    #[test]
    fn headers_name_files() {
        let table = [
            ("attachment; filename=a.txt", "a.txt"),
            ("attachment; filename=\"a; b.txt\"", "a; b.txt"),
            ("attachment; filename=\"x\"; filename*=UTF-8''M%C3%A4rz.pdf", "März.pdf"),
            ("inline; filename*=iso-8859-1''M%E4rz.pdf", "März.pdf"),
            ("attachment; filename=\"a\\\"b.txt\"", "a\"b.txt"),
            ("attachment", ""),
            ("inline; filename=\"../../x.sh\"", "../../x.sh"),
        ];
        for (header, name) in table {
            assert_eq!(file_name(Some(header), None, ""), name, "{header}");
        }
    }

    #[test]
    fn addresses_name_files() {
        assert_eq!(from_url("http://a.b/x/y.png?q=1", "image/png"), "y.png");
        assert_eq!(from_url("http://a.b/x/photo", "image/jpeg; q=1"), "photo.jpg");
        assert_eq!(from_url("http://a.b/", "text/html"), "a.b.html");
        assert_eq!(from_url("http://a.b/%2e%2e%2fetc%2fpasswd", ""), "../etc/passwd");
    }
}
