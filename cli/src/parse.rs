//! Reads argv with the table of commands.
//!
//! The same parser reads the words of a step of `chain` and `batch`. It is our
//! own instead of clap's: RPCs that share a name are distinguished by a flag, the
//! table is static data that needs no building at each start, and every
//! message names the next step.

mod arguments;
mod inner;
mod local;
mod name;
mod output_path;
mod tokens;

use browse_proto::{Command, Reason};
use serde_json::{Map, Value};

use crate::{
    failure::{Failure, Result},
    globals::{GlobalFlag, Globals},
};
pub use output_path::extension_field;
use tokens::{Token, Tokens};

/// What argv asks for.
#[derive(Debug)]
pub struct Parsed {
    /// The global flags.
    pub globals: Globals,
    /// What to do.
    pub action: CliAction,
}

/// What to do.
#[derive(Debug)]
pub enum CliAction {
    /// Calls the daemon.
    Call(Invocation),
    /// Does what needs no daemon: the name of a local command and its words.
    Local(&'static str, Vec<String>),
    /// Prints how to begin: nothing was asked for.
    Start,
    /// Prints help on these words.
    Help(Vec<String>),
    /// Prints the version.
    Version,
}

/// A command with the values of its fields. Where a field is read from a file
/// or from standard input, the value is what argv specified.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The command.
    pub command: &'static Command,
    /// Values of the request's fields.
    pub fields: Map<String, Value>,
    /// Path to write to, of a command that saves.
    pub path: Option<String>,
    /// Prints a data URL instead of writing a file.
    pub base64: bool,
    /// Lifts the rule for output paths.
    pub force_path: bool,
    /// The command within it, of a command that holds one.
    pub inner: Option<Box<Invocation>>,
}

impl Invocation {
    /// A command without values.
    pub fn new(command: &'static Command) -> Self {
        Self {
            command,
            fields: Map::new(),
            path: None,
            base64: false,
            force_path: false,
            inner: None,
        }
    }
}

/// The names of the commands that need no daemon.
pub const LOCAL_NAMES: &[&str] =
    &["help", "completions", "config", "guide", "login", "logout", "mcp", "upgrade", "__complete"];

/// Reads argv, without the name of the program.
pub fn argv(words: &[String]) -> Result<Parsed> {
    argv_with_globals(words, Globals::default())
}

/// Reads argv after the global flags `globals`.
fn argv_with_globals(words: &[String], mut globals: Globals) -> Result<Parsed> {
    let mut tokens = Tokens::new(words);
    let name = name::read(&mut tokens, &mut globals)?;
    let candidates = match name {
        name::CommandName::None if globals.version => {
            return Ok(Parsed { globals, action: CliAction::Version });
        }
        name::CommandName::None if globals.help || globals.json => {
            return Ok(Parsed { globals, action: CliAction::Help(Vec::new()) });
        }
        name::CommandName::None => return Ok(Parsed { globals, action: CliAction::Start }),
        name::CommandName::Group(words) => {
            return Ok(Parsed { globals, action: CliAction::Help(words) });
        }
        name::CommandName::Local(local) => return local_command(local, tokens, globals),
        name::CommandName::Commands(candidates) => candidates,
    };
    let command = name::select(&candidates, &mut tokens)?;
    let wants_help = tokens.flags().any(|flag| flag == "--help" || flag == "-h");
    if globals.help || wants_help {
        let words = command.name.split(' ').map(str::to_owned).collect();
        globals.json |= tokens.flags().any(|flag| flag == "--json");
        return Ok(Parsed { globals, action: CliAction::Help(words) });
    }
    let invocation = match command.inner_command_field() {
        Some(_) => inner::read(command, &mut tokens, &mut globals)?,
        None => arguments::read(command, &mut tokens, &mut globals)?,
    };
    Ok(Parsed { globals, action: CliAction::Call(invocation) })
}

/// Reads the words of a step. Of the global flags a step takes `--tab` only,
/// because a step is not a call of its own.
pub fn step(words: &[String]) -> Result<(Option<u64>, Invocation)> {
    let parsed = argv(words)?;
    let CliAction::Call(invocation) = parsed.action else {
        let message = format!("`{}` cannot be a step", words.join(" "));
        return Err(Failure::new(Reason::BatchInvalid, message)
            .with_hint("Run `browse help` to see the commands"));
    };
    let Globals { tab, .. } = parsed.globals;
    if parsed.globals != (Globals { tab, ..Globals::default() }) {
        let message = "a step takes no global flag but `--tab`";
        return Err(Failure::new(Reason::BatchInvalid, message)
            .with_hint("Give the other flags to the whole command"));
    }
    can_be_step(invocation.command)?;
    Ok((tab, invocation))
}

/// Refuses what has steps of its own, and what answers with a stream.
fn can_be_step(command: &Command) -> Result<()> {
    if !(command.takes_steps() || command.streaming || command.inner_command_field().is_some()) {
        return Ok(());
    }
    let name = command.name;
    let failure = Failure::new(Reason::BatchInvalid, format!("`{name}` cannot be a step"));
    Err(failure.with_hint(format!("Run `browse {name}` by itself")))
}

/// Whether `words` and the flag are the name of a command.
fn is_named_by(words: &[String], flag: &str) -> bool {
    Command::by_name(&format!("{} {flag}", words.join(" "))).is_some()
}

fn local_command(name: &'static str, mut tokens: Tokens<'_>, globals: Globals) -> Result<Parsed> {
    let mut globals = globals;
    if name == "mcp" {
        let mut words = tokens.take_all();
        words.extend(globals.session.map(|name| format!("--session={name}")));
        words.extend(globals.remote.map(|name| format!("--remote={name}")));
        words.extend(globals.help.then(|| "--help".to_owned()));
        return Ok(Parsed { globals: Globals::default(), action: CliAction::Local(name, words) });
    }
    if name == "__complete" {
        return Ok(Parsed { globals, action: CliAction::Local(name, tokens.take_all()) });
    }
    if name == "config" || name == "upgrade" {
        // The values of `config set` may look like flags.
        let words = tokens.take_all();
        return Ok(Parsed { globals, action: CliAction::Local(name, words) });
    }
    if name == "guide" {
        let mut words = tokens.take_all();
        words.extend(globals.json.then(|| "--json".to_owned()));
        words.extend(globals.help.then(|| "--help".to_owned()));
        return Ok(Parsed { globals, action: CliAction::Local(name, words) });
    }
    if let Some(flags) = local::flags_of(name) {
        return local::read(name, flags, tokens, globals);
    }
    let mut words = Vec::new();
    while let Some(token) = tokens.next() {
        match token {
            Token::Word(word) => words.push(word.to_owned()),
            Token::Flag(spelling, value) => match GlobalFlag::find(spelling) {
                Some(flag) => arguments::set_global(&mut globals, flag, value, &mut tokens)?,
                // The name of a command may end with a flag: `snapshot --heatmap`.
                None if name == "help" && is_named_by(&words, spelling) => {
                    words.push(spelling.to_owned());
                }
                None => return Err(arguments::unknown_flag(name, spelling, [])),
            },
        }
    }
    if name == "help" {
        return Ok(Parsed { globals, action: CliAction::Help(words) });
    }
    if globals.help {
        return Ok(Parsed { globals, action: CliAction::Help(vec![name.to_owned()]) });
    }
    Ok(Parsed { globals, action: CliAction::Local(name, words) })
}
