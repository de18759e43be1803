//! What leaves the program: data on standard output, all else on standard
//! error. A reader that has had enough is not an error.

use std::{
    borrow::Cow,
    io::{self, Write as _},
    sync::atomic::{AtomicBool, Ordering},
};

use browse_proto::{
    Command, Reason,
    render::{self, Untrusted},
};
use serde_json::{Map, Value, json};

use crate::{
    failure::{Failure, Result, printable},
    globals::Globals,
    io_failure,
};

/// Whether what is printed comes from a remote daemon, which may be anybody's:
/// it does not get to drive the terminal.
static IS_FROM_REMOTE: AtomicBool = AtomicBool::new(false);

/// From now on what is printed comes from a remote daemon.
pub fn mark_remote_output() {
    IS_FROM_REMOTE.store(true, Ordering::Relaxed);
}

fn sanitize_remote(text: &str) -> Cow<'_, str> {
    match IS_FROM_REMOTE.load(Ordering::Relaxed) {
        true => printable(text).into(),
        false => text.into(),
    }
}

/// Prints the result of `command` from its decoded response.
pub fn answer(
    command: &Command,
    response: &Map<String, Value>,
    untrusted: Option<&Untrusted>,
    globals: &Globals,
) -> Result<u8> {
    if globals.json {
        return json_result(&render::result_json(command, response), untrusted);
    }
    match untrusted.and_then(|untrusted| render::receipt_line(command, response, untrusted)) {
        Some(line) => text(&line)?,
        None => enveloped(&render::text(command, response), untrusted)?,
    };
    suggest_skills(response);
    Ok(0)
}

/// Prints `text`, inside the envelope when a page wrote some of it.
pub fn enveloped(text: &str, untrusted: Option<&Untrusted>) -> Result<u8> {
    match untrusted {
        Some(untrusted) if !text.is_empty() => self::text(&untrusted.wrap(text)),
        _ => self::text(text),
    }
}

/// Prints the document around `result`, which is JSON.
pub fn json_result(result: &str, untrusted: Option<&Untrusted>) -> Result<u8> {
    text(&render::document_json(result, untrusted))
}

/// Prints `text` and ends its line.
pub fn text(text: &str) -> Result<u8> {
    let text = &*sanitize_remote(text);
    let mut out = io::stdout().lock();
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let written = out.write_all(text.as_bytes()).and_then(|()| out.write_all(end.as_bytes()));
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let message =
                format!("standard output cannot be written: {}", io_failure::error_text(&error));
            Err(Failure::new(Reason::FileUnwritable, message)
                .with_hint("Redirect it somewhere else"))
        }
        _ => Ok(0),
    }
}

/// Prints a failure, and returns its exit code.
pub fn failure(failure: &Failure, as_json: bool) -> u8 {
    if as_json {
        // When standard output is gone, the exit code says it all.
        let _ = text(&json!({ "error": failure.json() }).to_string());
    } else {
        stderr(&failure.text());
    }
    failure.exit
}

/// Tells something that is not the result.
pub fn note(text: &str) {
    stderr(&format!("note: {}\n", sanitize_remote(text)));
}

/// Warns of what was printed already.
pub fn warning(text: &str) {
    stderr(&format!("warning: {}\n", sanitize_remote(text)));
}

/// Writes to standard error; there is nobody to tell when it is closed.
pub fn stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// The skills that fit the page: the daemon chose them, and no page did.
fn suggest_skills(response: &Map<String, Value>) {
    let skills = response.get("suggested_skills").and_then(Value::as_array);
    for skill in skills.into_iter().flatten() {
        let field = |name| skill.get(name).and_then(Value::as_str).unwrap_or_default();
        // The title is the skill's own word, and this line is ours.
        let (id, kind) = (field("id"), field("kind"));
        note(&match kind {
            "note" => format!("`browse context` has a note on {id}"),
            "library" => format!("`browse library show {id}` fits this host"),
            kind => format!("`browse skill run {id}` fits this host ({kind})"),
        });
    }
}
