//! The path that the answer of a command is written to: which word it is, which
//! format it names, and what it contradicts.

use browse_proto::{Command, Field, Reason, Source};

use super::Invocation;
use crate::failure::{Failure, Result};

/// Takes the path out of the positional words. It is the last one; when there
/// is room for a target before it, a single word is the path unless it looks
/// like a target.
pub fn split_path(invocation: &mut Invocation, words: &mut Vec<&str>) -> Result<()> {
    let room = invocation.command.positionals().count();
    let required = invocation.command.positionals().filter(|p| p.is_required()).count();
    let has_path = match words.len() {
        0 => false,
        count if count > room => true,
        count => count > required && !words.last().is_some_and(|word| is_target(word)),
    };
    if has_path {
        invocation.path = words.pop().map(str::to_owned);
    }
    Ok(())
}

/// Whether a word that could be a path is a target: a ref, or a selector that
/// begins with `.`, `#` or `[`. `./` and `../` begin paths.
fn is_target(word: &str) -> bool {
    let is_ref = word.strip_prefix("@e").or(word.strip_prefix("@c")).is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    let is_path = word.starts_with("./") || word.starts_with("../");
    is_ref || !is_path && word.starts_with(['.', '#', '['])
}

/// Refuses what contradicts itself.
pub fn check(invocation: &Invocation) -> Result<()> {
    let Invocation { command, fields, path, base64, .. } = invocation;
    let given = |field: &Field| fields.contains_key(field.name);
    if let Some((first, second)) = command.exclusive_pair(given) {
        let (first, second) = (command.spelling(first), command.spelling(second));
        return Err(exclusive_failure(command, &first, &second));
    }
    match path {
        Some(path) if path.is_empty() => {
            let message = format!("the {} is empty", command.output_arg.trim_start_matches('-'));
            Err(Failure::new(Reason::ArgumentInvalid, message)
                .with_hint("Leave it out, or name a file"))
        }
        Some(_) if *base64 => Err(exclusive_failure(command, "a path", "`--base64`")),
        Some(path) => {
            extension_field(command, path)?;
            check_extension(command, path)
        }
        None => Ok(()),
    }
}

fn exclusive_failure(command: &Command, first: &str, second: &str) -> Failure {
    let message = format!("{first} and {second} contradict each other");
    Failure::new(Reason::ArgumentInvalid, message)
        .with_hint(format!("Give one of them, as in `browse {}`", command.example))
}

/// Refuses a path whose extension says another format than the only one of the
/// command.
fn check_extension(command: &Command, path: &str) -> Result<()> {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let given = file.rsplit_once('.').map(|(_, extension)| extension);
    match given {
        Some(given)
            if !command.extension.is_empty() && !given.eq_ignore_ascii_case(command.extension) =>
        {
            let message = format!("`{}` writes no `.{given}` file", command.name);
            let failure = Failure::new(Reason::ArgumentInvalid, message);
            Err(failure.with_hint(format!("End the path in .{}", command.extension)))
        }
        _ => Ok(()),
    }
}

/// The field of the request that takes its value from the extension of the
/// path, and that value.
pub fn extension_field(
    command: &Command,
    path: &str,
) -> Result<Option<(&'static Field, &'static str)>> {
    let field = command.request.fields.iter().find(|field| field.source == Source::Extension);
    let Some(field) = field else {
        return Ok(None);
    };
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let extension = file.rsplit_once('.').map(|(_, extension)| extension.to_lowercase());
    let choices = field.choices();
    let wanted = match extension.as_deref() {
        Some("jpg") => Some("jpeg"),
        Some("htm") => Some("html"),
        other => other,
    };
    if let Some(choice) = choices.iter().find(|choice| Some(**choice) == wanted) {
        return Ok(Some((field, choice)));
    }
    let list = choices.iter().map(|choice| format!(".{choice}")).collect::<Vec<_>>().join(", ");
    let message = match extension {
        Some(extension) => format!("`.{extension}` is not a format of `{}`", command.name),
        None => format!("`{path}` has no extension, which names the format"),
    };
    Err(Failure::new(Reason::ArgumentInvalid, message).with_hint(format!("End the path in {list}")))
}
