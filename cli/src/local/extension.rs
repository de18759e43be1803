//! `dashboard extension`: writes the files of the extension into one folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use browse_proto::{Reason, render, wire::base64};
use serde_json::{Map, Value, json};

use crate::{
    execute,
    failure::{Failure, Result},
    globals::Globals,
    io_failure::unwritable,
    print,
    remote::browse_home,
    request::PreparedRequest,
    response,
    save::{NamedBy, OutputWriter},
};

const MANIFEST: &str = "manifest.json";

/// A file of the extension.
struct ExtensionPart {
    name: String,
    content: Vec<u8>,
}

/// Writes the extension, and prints how a browser takes it.
pub fn save(request: &PreparedRequest, globals: &Globals) -> Result<u8> {
    let command = request.invocation.command;
    let (body, notes) = execute::unary(request, globals)?;
    let mut response = response::decode(command, &body)?;
    notes.print();
    let parts = take_parts(&mut response);
    let (folder, is_own) = match &request.invocation.path {
        Some(path) => (PathBuf::from(path), holds_extension(Path::new(path), &parts)),
        None => (browse_home()?.join("dashboard-extension"), true),
    };
    // One that was written before is replaced. Any other folder is under the rule for paths.
    match is_own && !globals.is_confined {
        true => replace(&folder, &parts)?,
        false => {
            let output = OutputWriter::new(&request.invocation, globals)?;
            if !request.invocation.force_path {
                check_empty(&folder)?;
            }
            output.make_folder(&folder)?;
            for ExtensionPart { name, content } in &parts {
                output.write(&folder.join(name), NamedBy::Caller, content)?;
            }
        }
    }
    let shown = folder.display().to_string();
    response.insert("path".to_owned(), json!(shown));
    if globals.json {
        return print::json_result(&Value::Object(response).to_string(), None);
    }
    print::text(&format!("{shown}\n{}", render::text(command, &response)))
}

/// The files of an answer, which then has their names alone.
fn take_parts(response: &mut Map<String, Value>) -> Vec<ExtensionPart> {
    let files = response.get_mut("files").and_then(Value::as_array_mut);
    let part = |file: &mut Map<String, Value>| {
        let content = file.remove("content");
        let content = content.as_ref().and_then(Value::as_str).and_then(base64::decode);
        let name = file.get("name").and_then(Value::as_str)?;
        // Another name than one of a file would lead out of the folder.
        let is_plain = Path::new(name).file_name().is_some_and(|last| last == name);
        is_plain
            .then(|| ExtensionPart { name: name.to_owned(), content: content.unwrap_or_default() })
    };
    files.into_iter().flatten().filter_map(Value::as_object_mut).filter_map(part).collect()
}

/// Whether the folder has the same extension, perhaps of another version.
fn holds_extension(folder: &Path, parts: &[ExtensionPart]) -> bool {
    let key = |manifest: &[u8]| {
        let manifest: Value = serde_json::from_slice(manifest).ok()?;
        manifest["key"].as_str().map(str::to_owned)
    };
    let own = parts.iter().find(|part| part.name == MANIFEST).and_then(|part| key(&part.content));
    let there = fs::read(folder.join(MANIFEST)).ok().and_then(|manifest| key(&manifest));
    own.is_some() && own == there
}

/// Refuses a folder that has files of somebody else: none of them is replaced.
fn check_empty(folder: &Path) -> Result<()> {
    let is_empty = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if is_empty {
        return Ok(());
    }
    let shown = folder.display().to_string();
    let message = format!("`{shown}` is not written: it is not an empty folder");
    Err(Failure::with_values(Reason::FileUnwritable, message, [("path", shown)])
        .with_hint("Name an empty folder, or one that does not exist"))
}

fn replace(folder: &Path, parts: &[ExtensionPart]) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    for ExtensionPart { name, content } in parts {
        let path = folder.join(name);
        fs::write(&path, content).map_err(|error| unwritable(&path, &error))?;
    }
    Ok(())
}
