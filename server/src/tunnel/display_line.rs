//! Text of a user or of a program on one line.

/// Letters of a command or of a line that are shown.
pub const MAX_DISPLAY_CHARS: usize = 400;

/// A text of the user's or of a program as it may be shown and written down: on
/// one line, without secrets, cut.
pub fn to_display_line(text: &str) -> String {
    let cleaned = browse_content::clean(text);
    let line = cleaned.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = browse_secrets::redact(&line);
    match bare.char_indices().nth(MAX_DISPLAY_CHARS) {
        Some((end, _)) => format!("{}…", &bare[..end]),
        None => bare.into_owned(),
    }
}
