//! The MIME type of a file by its name, where no server reported it.

/// Usual endings.
const MIME_BY_EXTENSION: &[(&str, &str)] = &[
    ("7z", "application/x-7z-compressed"),
    ("csv", "text/csv"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ics", "text/calendar"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet"),
    ("odt", "application/vnd.oasis.opendocument.text"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("svg", "image/svg+xml"),
    ("tar", "application/x-tar"),
    ("tsv", "text/tab-separated-values"),
    ("txt", "text/plain"),
    ("webm", "video/webm"),
    ("webp", "image/webp"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("xml", "application/xml"),
    ("zip", "application/zip"),
];

/// The type of what a `data:` address holds, or of a file called `name`; empty
/// when neither says it.
pub fn guess_mime(url: &str, name: &str) -> String {
    if let Some(rest) = url.strip_prefix("data:") {
        let kind = rest.split([',', ';']).next().unwrap_or_default();
        let plain = |c: &char| c.is_ascii_alphanumeric() || "/+.-".contains(*c);
        let kind: String = kind.chars().take(100).filter(plain).collect();
        return if kind.is_empty() { "text/plain".to_owned() } else { kind };
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
    let known = MIME_BY_EXTENSION.iter().find(|(known, _)| Some(*known) == ending.as_deref());
    known.map(|(_, kind)| (*kind).to_owned()).unwrap_or_default()
}

/// Whether a type is one that everybody knows, and no words of a server.
pub fn is_known_mime_type(mime: &str) -> bool {
    mime == "application/octet-stream" || MIME_BY_EXTENSION.iter().any(|(_, known)| *known == mime)
}

#[cfg(test)]
mod tests {
    use super::guess_mime;

    #[test]
    fn a_type_is_that_of_the_address_or_the_ending() {
        assert_eq!(guess_mime("data:text/csv;charset=utf-8,a", "x.txt"), "text/csv");
        assert_eq!(guess_mime("data:,a", "x"), "text/plain");
        assert_eq!(guess_mime("blob:http://x/1", "Report.PDF"), "application/pdf");
        assert_eq!(guess_mime("http://x/1", "README"), "");
    }
}
