//! Names of files: those that pages choose, and the extensions of formats.

pub use browse_proto::file_name::sanitize;
use browse_proto::{Command, FieldType, Source, output::harmless_page_name};

/// The name of a file that a page chose, made harmless: programs do not obey it.
pub fn sanitize_page_name(wanted: &str) -> String {
    harmless_page_name(&sanitize(wanted))
}

/// The extension of a file that is named for the caller: that of its format,
/// or of its MIME type.
pub fn default_extension(command: &Command, mime: &str) -> &'static str {
    let field = command.request.fields.iter().find(|field| field.source == Source::Extension);
    let format = match field.map(|field| &field.kind) {
        Some(FieldType::Enum(of)) => {
            of.values.iter().map(|value| value.name).find(|n| !n.is_empty())
        }
        _ => None,
    };
    format.or_else(|| extension_of_mime(mime)).unwrap_or("bin")
}

/// The usual extension of a MIME type.
fn extension_of_mime(mime: &str) -> Option<&'static str> {
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
