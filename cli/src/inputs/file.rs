//! A field that is read from a file.

use std::{
    env, fs,
    io::{self, IsTerminal as _},
    path::Path,
};

use browse_proto::{Command, Reason};

use super::{Stdin, input, readable_path};
use crate::{
    failure::{Failure, Result},
    io_failure,
    limits::{MAX_MESSAGE_BYTES, too_large},
};

/// Bytes that an HTML file may have.
const MAX_HTML_BYTES: usize = 50 << 20;

/// First bytes of files that are not text, whatever their names say.
const BINARY_SIGNATURES: &[(&[u8], &str)] = &[
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
];

/// The content of the file at `path` for `command`; `-` is standard input.
pub fn file(command: &Command, path: &str, stdin: Stdin) -> Result<String> {
    let is_html = matches!(command.request.name, "LoadHtmlRequest" | "PrintHtmlRequest");
    let limit = if is_html { max_html_bytes()? } else { MAX_MESSAGE_BYTES - 1024 };
    let text = match (path, stdin) {
        ("-", Stdin::Taken) => {
            let message = format!("a step of `{}` cannot read standard input", command.name);
            return Err(Failure::new(Reason::BatchInvalid, message).with_hint("Give it a file"));
        }
        ("-", Stdin::Available(max_wait)) => input::read_stdin(command.name, limit, max_wait)?,
        (path, _) => read(path, limit, is_html)?,
    };
    if is_html {
        check_markup(path, &text)?;
    }
    Ok(text)
}

/// The same, for what is piped in unless a file is named.
pub fn piped(command: &Command, path: &str, stdin: Stdin) -> Result<String> {
    if path == "-" && matches!(stdin, Stdin::Available(_)) && io::stdin().is_terminal() {
        let message = "standard input is a terminal, and `--from-file` names no file";
        return Err(Failure::with_values(
            Reason::NoteEmpty,
            message.to_owned(),
            [("command", command.name.to_owned())],
        ));
    }
    file(command, path, stdin)
}

fn read(path: &str, limit: usize, is_html: bool) -> Result<String> {
    let real = readable_path::check_readable(path)?;
    if is_html {
        check_extension(path)?;
    }
    let shown = format!("`{path}`");
    let unreadable = |error| input::unreadable(&shown, &io_failure::error_text(&error));
    let size = fs::metadata(&real).map_err(unreadable)?.len();
    if size > limit as u64 {
        return Err(too_large(format!("`{path}` has {size} bytes"), limit));
    }
    let bytes = fs::read(&real).map_err(unreadable)?;
    if let Some((_, kind)) = BINARY_SIGNATURES.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(input::unreadable(&shown, &format!("it is {kind}")));
    }
    String::from_utf8(bytes).map_err(|_| input::unreadable(&shown, "it is not UTF-8"))
}

fn check_extension(path: &str) -> Result<()> {
    let extension = Path::new(path).extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("html" | "htm" | "xhtml" | "svg") => Ok(()),
        _ => {
            let message = format!("`{path}` is not HTML file by its name");
            Err(Failure::new(Reason::ArgumentInvalid, message)
                .with_hint("Give a file that ends in .html, .htm, .xhtml or .svg"))
        }
    }
}

/// Refuses what is not a markup: a page of something else would only look empty.
fn check_markup(path: &str, text: &str) -> Result<()> {
    let begin = text.trim_start_matches('\u{feff}').trim_start();
    if begin.starts_with('<') && !text.contains('\0') {
        return Ok(());
    }
    let message = format!("`{path}` holds no markup: it does not begin with `<`");
    Err(Failure::new(Reason::ArgumentInvalid, message).with_hint("Give an HTML document"))
}

fn max_html_bytes() -> Result<usize> {
    let name = "BROWSE_MAX_HTML_BYTES";
    let Some(value) = env::var(name).ok().filter(|value| !value.is_empty()) else {
        return Ok(MAX_HTML_BYTES);
    };
    let limit = value.parse().ok().filter(|limit| (1..MAX_MESSAGE_BYTES).contains(limit));
    limit.ok_or_else(|| {
        let message =
            format!("{name} is `{value}`, and not a number from 1 to {MAX_MESSAGE_BYTES}");
        let values = [("setting", name.to_owned()), ("place", "the environment".to_owned())];
        Failure::with_values(Reason::SettingInvalid, message, values)
    })
}
