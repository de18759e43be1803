//! An answer that came whole, as one file or as several.

use std::path::{Path, PathBuf};

use browse_proto::{
    Command, Field, FieldType, MessageType,
    render::Untrusted,
    wire::{self, base64},
};
use serde_json::{Map, Value, json};

use super::{NamedBy, OutputWriter, name, temporary_file, temporary_folder};
use crate::{failure::Result, globals::Globals, parse::Invocation, print};

/// Writes what `invocation` saves, and puts the path, or a data URL, in the
/// place of the bytes. `body` is the encoded answer, which spares the detour
/// over base64; empty when there is none.
pub fn save_files(
    invocation: &Invocation,
    globals: &Globals,
    response: &mut Map<String, Value>,
    body: &[u8],
) -> Result<SavedTo> {
    let command = invocation.command;
    let Some(field) = command.save.map(|index| &command.response.fields[index]) else {
        return Ok(SavedTo::File);
    };
    let output = OutputWriter::new(invocation, globals)?;
    match &field.kind {
        FieldType::Message(of) => save_several(&output, invocation, field, of, response),
        _ => save_one(&output, invocation, field, response, body),
    }
}

/// Where an answer was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SavedTo {
    /// To a file, or into the answer.
    File,
    /// To standard output, which then has no room for a result.
    StandardOutput,
}

fn save_one(
    output: &OutputWriter,
    invocation: &Invocation,
    field: &Field,
    response: &mut Map<String, Value>,
    body: &[u8],
) -> Result<SavedTo> {
    let command = invocation.command;
    let encoded = response.remove(field.name);
    let encoded = encoded.as_ref().and_then(Value::as_str).unwrap_or_default();
    let mime = response.get("mime").and_then(Value::as_str).unwrap_or_default();
    if invocation.base64 {
        let url = format!("data:{mime};base64,{encoded}");
        response.insert("data_url".to_owned(), json!(url));
        return Ok(SavedTo::File);
    }
    let (path, named) = match &invocation.path {
        Some(path) => (PathBuf::from(path), NamedBy::Caller),
        None => (
            temporary_file(command.name, name::default_extension(command, mime))?,
            NamedBy::Default,
        ),
    };
    let is_printed = match wire::bytes_field(body, field.number) {
        Ok(bytes) if !bytes.is_empty() => output.write(&path, named, bytes)?,
        _ => output.write(&path, named, &base64::decode(encoded).unwrap_or_default())?,
    };
    response.insert("path".to_owned(), json!(path.display().to_string()));
    Ok(if is_printed { SavedTo::StandardOutput } else { SavedTo::File })
}

/// Each file is named after the prefix and its own name; all or none appear.
fn save_several(
    output: &OutputWriter,
    invocation: &Invocation,
    field: &Field,
    of: &MessageType,
    response: &mut Map<String, Value>,
) -> Result<SavedTo> {
    let (prefix, named) = match &invocation.path {
        Some(prefix) => (prefix.clone(), NamedBy::Caller),
        None => {
            let folder = temporary_folder(invocation.command.name)?;
            (format!("{}/", folder.display()), NamedBy::Default)
        }
    };
    let joint = if prefix.ends_with('/') { "" } else { "-" };
    let content = of.fields.iter().find(|field| matches!(field.kind, FieldType::Bytes));
    let files = response.get_mut(field.name).and_then(Value::as_array_mut);
    let mut written: Vec<String> = Vec::new();
    for file in files.into_iter().flatten().filter_map(Value::as_object_mut) {
        let bytes = content.and_then(|field| file.remove(field.name));
        let bytes = bytes.as_ref().and_then(Value::as_str).and_then(base64::decode);
        let name = name::sanitize(file.get("name").and_then(Value::as_str).unwrap_or_default());
        let path = format!("{prefix}{joint}{name}");
        let content = bytes.unwrap_or_default();
        if let Err(failure) = output.write(Path::new(&path), named, &content) {
            for path in written {
                // The failure that is reported is the one that matters.
                let _ = std::fs::remove_file(path);
            }
            return Err(failure);
        }
        file.insert("path".to_owned(), json!(path));
        written.push(path);
    }
    Ok(SavedTo::File)
}

/// Prints where an answer was written, or its data URL.
pub fn print_saved(
    command: &Command,
    response: &Map<String, Value>,
    untrusted: Option<&Untrusted>,
    globals: &Globals,
) -> Result<u8> {
    if globals.json {
        let result = browse_proto::render::result(command, response).to_string();
        return print::json_result(&result, untrusted);
    }
    print::text(&saved_line(command, response))?;
    if !command.text_template.is_empty() {
        print::enveloped(&browse_proto::render::text(command, response), untrusted)?;
    }
    for note in saved_notes(command, response) {
        print::note(&format!("{}: {note}", command.name));
    }
    Ok(0)
}

fn saved_notes<'a>(command: &Command, response: &'a Map<String, Value>) -> Vec<&'a str> {
    let files = saved_rows(command, response).unwrap_or_default();
    let all = files.iter().filter_map(Value::as_object).chain([response]);
    let notes = all.filter_map(|part| part.get("note")?.as_str());
    notes.filter(|note| !note.is_empty()).collect()
}

/// The paths, a line each, or the data URL.
pub fn saved_line(command: &Command, response: &Map<String, Value>) -> String {
    let place = |part: &Map<String, Value>| {
        let place = part.get("path").or_else(|| part.get("data_url"));
        place.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    match saved_rows(command, response) {
        Some(files) => {
            files.iter().filter_map(Value::as_object).map(place).collect::<Vec<_>>().join("\n")
        }
        None => place(response),
    }
}

/// The files, of a command that saves several.
fn saved_rows<'a>(command: &Command, response: &'a Map<String, Value>) -> Option<&'a [Value]> {
    let field = &command.response.fields[command.save?];
    let rows = matches!(field.kind, FieldType::Message(_)).then(|| response.get(field.name));
    Some(rows??.as_array()?.as_slice())
}
