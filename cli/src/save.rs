//! Answers that are written to files.

mod folder;
mod incoming_file;
mod manifest;
mod name;
mod output;
mod progress;
mod signal_safe_file;
mod single;
mod sink;
mod temporary;
mod unary_files;

use browse_proto::{FieldType, Reason};

use crate::{
    failure::{Failure, Result},
    globals::Globals,
    parse::Invocation,
};
use folder::FolderSink;
use single::SingleFileSink;

pub use manifest::SaveManifest;
pub use output::{NamedBy, OutputWriter};
pub use sink::{FileSink, write_part};
pub use temporary::{temporary_file, temporary_folder};
pub use unary_files::{SavedTo, print_saved, save_files, saved_line};

/// Fails when what `invocation` saves cannot be written: before the page is asked
/// to do anything for it.
pub fn check_output(invocation: &Invocation, globals: &Globals) -> Result<()> {
    let output = OutputWriter::new(invocation, globals)?;
    let is_file = matches!(invocation.command.output_arg, "path" | "-o");
    match invocation.path.as_deref().filter(|_| is_file) {
        Some(path) => single::check_path(path, &output),
        None => Ok(()),
    }
}

/// Fails when what `invocation` saves would go to a file and not into its answer: for a caller of
/// another machine.
pub fn check_inline(invocation: &Invocation) -> Result<()> {
    let command = invocation.command;
    let Some(field) = command.save.map(|index| &command.response.fields[index]) else {
        return Ok(());
    };
    // Several files have no form within an answer.
    if invocation.base64 && !matches!(field.kind, FieldType::Message(_)) {
        return Ok(());
    }
    let message = format!(
        "`{}` writes a file, and this server is not on the machine of its caller",
        command.name
    );
    let hint = match command.inline {
        true => "Add `--base64`: the answer is a data URL then",
        false => "Use another command, or run it in a shell: `browse --remote <name>`",
    };
    Err(Failure::new(Reason::FileDenied, message).with_hint(hint))
}

/// Where the pieces of the answer to `invocation` go: to one file, or into a folder.
pub fn open_sink<'a>(
    invocation: &'a Invocation,
    globals: &'a Globals,
) -> Result<Box<dyn FileSink + 'a>> {
    Ok(match invocation.command.takes_path() {
        true => Box::new(SingleFileSink::new(invocation, globals)?),
        false => Box::new(FolderSink::open(invocation, globals)?),
    })
}

/// `shot-3.png` for `shot.png`: the file of the tab 3.
pub fn path_for_tab(path: &str, tab: u64) -> String {
    let name = path.rfind(['/', '\\']).map_or(0, |slash| slash + 1);
    match path[name..].rfind('.').filter(|dot| *dot > 0) {
        Some(dot) => format!("{}-{tab}{}", &path[..name + dot], &path[name + dot..]),
        None => format!("{path}-{tab}"),
    }
}
