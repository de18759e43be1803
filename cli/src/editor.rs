//! `domain-skill edit` on a terminal: the note opens in the user's editor, and
//! what comes back is saved as if it came from a file. Whatever happens, a text
//! that was changed is in force or in a file whose path is printed.

mod edited_file;
mod sigint_guard;

use std::{
    env,
    io::{self, IsTerminal as _},
    path::Path,
    process,
};

use browse_proto::{Command, Reason};
use serde_json::{Map, Value, json};

use crate::{
    execute,
    failure::{Failure, Result},
    globals::Globals,
    parse::Invocation,
    print,
    request::PreparedRequest,
    response,
};
use edited_file::EditedFile;
use sigint_guard::SigintGuard;

/// The field that the text goes into.
const BODY_FIELD: &str = "body";

/// Whether `invocation` wants an editor: a person edits, and brings no text. A
/// program that asks for JSON would wait for an editor that nobody closes.
pub fn wants_editor(invocation: &Invocation, globals: &Globals) -> bool {
    invocation.command.function == "edit_domain_skill"
        && !invocation.fields.contains_key(BODY_FIELD)
        && !globals.json
        && io::stdin().is_terminal()
}

/// Has the note edited, and saves it by `save`, which is given the command with its text.
pub fn run(
    mut invocation: Invocation,
    globals: &Globals,
    save: impl FnOnce(Invocation) -> Result<u8>,
) -> Result<u8> {
    let editor = editor()?;
    let shown = fetch_note(&invocation, globals)?;
    let skill = shown.get("skill").cloned().unwrap_or_default();
    let host = skill.get("host").and_then(Value::as_str).unwrap_or_default().to_owned();
    if skill.get("scope").and_then(Value::as_str) == Some("global") {
        let message = format!("there is no note of this project on `{host}`, only a shared one");
        return Err(Failure::with_values(Reason::NoteNotFound, message, [("host", host)]));
    }
    let before = shown.get(BODY_FIELD).and_then(Value::as_str).unwrap_or_default();
    let draft = EditedFile::new(before)?;
    print::note(&format!("waiting for the editor to close `{}`", draft.path().display()));
    let outcome = edit(&editor, draft.path());
    // A text that cannot be read is not known to be the same.
    let is_same = draft.text().is_ok_and(|after| after.trim_end() == before.trim_end());
    let saved = match outcome {
        Ok(()) if is_same => {
            print::note(&format!("the text on {host} is as it was: nothing was saved"));
            return Ok(0);
        }
        Ok(()) => {
            // The tab may show another site by now.
            invocation.fields.insert("host".to_owned(), json!(host));
            invocation.fields.insert(BODY_FIELD.to_owned(), json!(draft.path().to_string_lossy()));
            save(invocation)
        }
        Err(failure) => Err(failure),
    };
    if saved.is_err() && !is_same && draft.is_not_empty() {
        let path = draft.keep();
        print::note(&format!("your text is kept in `{}`", path.display()));
    }
    saved
}

/// The command of the user's editor.
fn editor() -> Result<String> {
    let named = |name| env::var(name).ok().filter(|command| !command.trim().is_empty());
    named("VISUAL").or_else(|| named("EDITOR")).ok_or_else(|| {
        let message = "standard input is a terminal, `--from-file` names no file, and neither \
                       VISUAL nor EDITOR names an editor";
        Failure::new(Reason::NoteEmpty, message)
            .with_hint("Set EDITOR, or name a file: `browse domain-skill edit --from-file note.md`")
    })
}

/// The note as it is.
fn fetch_note(invocation: &Invocation, globals: &Globals) -> Result<Map<String, Value>> {
    let found = Command::by_name("domain-skill show");
    let command = found.ok_or_else(|| Failure::new(Reason::Bug, "no command shows a note"))?;
    let mut fields = Map::new();
    if let Some(host) = invocation.fields.get("host") {
        fields.insert("host".to_owned(), host.clone());
    }
    let asked = Invocation { fields, ..Invocation::new(command) };
    let request = PreparedRequest::new(asked, false, globals.timeout)?;
    let (body, notes) = execute::unary(&request, globals)?;
    notes.print();
    response::decode(command, &body)
}

/// Waits until the user has edited the file at `path`.
fn edit(editor: &str, path: &Path) -> Result<()> {
    let _hold = SigintGuard::new();
    let mut command = process::Command::new("sh");
    // Editors are given with arguments: `code --wait`.
    command.arg("-c").arg(format!("{editor} \"$@\"")).arg(editor).arg(path);
    let failed = |why: String| {
        let message = format!("the editor `{editor}` {why}: nothing was saved");
        Failure::with_values(Reason::EditorFailed, message, [("editor", editor.to_owned())])
    };
    let status = command.status().map_err(|error| failed(format!("cannot be run: {error}")))?;
    match status.success() {
        true => Ok(()),
        false => Err(failed(format!("ended with {status}"))),
    }
}
