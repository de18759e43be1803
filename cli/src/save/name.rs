//! Names of files: those that pages choose, and the extensions of formats.

pub use browse_proto::file_name::sanitize;
use browse_proto::output::harmless_page_name;

/// The name of a file that a page chose, made harmless: programs do not obey it.
pub fn sanitize_page_name(wanted: &str) -> String {
    harmless_page_name(&sanitize(wanted))
}

/// The usual extension of a MIME type.
pub fn extension_of_mime(mime: &str) -> Option<&'static str> {
    let known = [
        ("application/pdf", "pdf"),
        ("multipart/related", "mhtml"),
        ("image/png", "png"),
        ("image/jpeg", "jpg"),
        ("image/webp", "webp"),
        ("video/webm", "webm"),
        ("application/json", "json"),
        ("text/html", "html"),
        ("text/plain", "txt"),
    ];
    let bare = mime.split(';').next().unwrap_or_default().trim();
    known.iter().find(|(name, _)| name.eq_ignore_ascii_case(bare)).map(|(_, end)| *end)
}
