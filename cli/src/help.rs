//! Help, made from the table of commands.

mod command;
mod json;
mod layout;
mod page;

pub use command::text as one;
pub use page::{LOCAL_COMMANDS, LocalCommand, getting_started, local_help};

use browse_proto::Reason;

use crate::{
    failure::{Failure, Result},
    parse, suggest, table,
};

/// The help on `words`, as text; on everything when there are none.
pub fn text(words: &[String]) -> Result<String> {
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => Ok(page::overview()),
        [local] if page::LOCAL_COMMANDS.iter().any(|entry| entry.name == *local) => {
            Ok(page::local_help(local))
        }
        words => {
            let commands = find(words)?;
            let texts: Vec<_> = commands.into_iter().map(command::text).collect();
            Ok(texts.join("\n"))
        }
    }
}

/// The help on `words`, as one JSON value.
pub fn json(words: &[String]) -> Result<serde_json::Value> {
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    Ok(match words.as_slice() {
        [] => json::overview(),
        words => json::commands(&find(words)?),
    })
}

/// The commands whose names begin with `words`; a selector may end them.
fn find(words: &[&str]) -> Result<Vec<&'static browse_proto::Command>> {
    let exact = browse_proto::Command::by_name(&words.join(" "));
    if let Some(command) = exact.filter(|command| command.selector.is_some()) {
        return Ok(vec![command]);
    }
    let commands = table::beginning_with(words);
    if !commands.is_empty() {
        return Ok(commands);
    }
    let name = words.join(" ");
    let failure = Failure::new(Reason::CommandUnknown, format!("`{name}` is not a command"));
    let names = browse_proto::Command::all().iter().map(|command| command.name);
    Err(match suggest::nearest(&name, names.chain(parse::LOCAL_NAMES.iter().copied())) {
        Some(near) => failure.with_hint(format!("Did you mean `browse help {near}`?")),
        None => failure,
    })
}
