//! The command line of browse. The modules stand in the order in which a
//! command meets them.
//!
//! A warm command is one loopback round trip, and should cost little more: the
//! table of commands is static data, messages are encoded from it without
//! generated types, and one thread does it all.

mod duration;
mod globals;
pub mod parse;
mod suggest;
pub mod table;
mod values;

mod completions;
pub mod guide;
pub mod help;
mod local;

mod request;
mod save;
mod sources;

mod address;
mod last_words;
mod link;
mod project;
mod reach;
mod remote;
mod renew;
mod start;
mod state;

mod aim;
mod call;
mod editor;
mod failure;
mod perform;
mod print;
mod steps;
mod streams;

use std::ffi::OsString;

use browse_proto::Reason;

pub use failure::Failure;
use failure::Result;
use parse::Action;
pub use sources::read_steps;

/// Whether `spelling` is a flag that every command takes.
pub fn is_global_flag(spelling: &str) -> bool {
    globals::Flag::find(spelling).is_some()
}

/// Runs the command that `words` (argv without the program) spell, and returns
/// its exit code.
pub fn run(words: impl Iterator<Item = OsString>) -> u8 {
    let words: Vec<String> = match words.map(OsString::into_string).collect() {
        Ok(words) => words,
        Err(word) => {
            let message = format!("the argument {word:?} is not UTF-8");
            return print::failure(&Failure::new(Reason::ArgumentInvalid, message), false);
        }
    };
    let flags = words.iter().take_while(|word| *word != "--");
    let json = flags.clone().any(|word| word == "--json");
    match act(&words) {
        Ok(code) => code,
        Err(failure) => print::failure(&failure, json),
    }
}

fn act(words: &[String]) -> Result<u8> {
    let parsed = parse::argv(words)?;
    let mut globals = parsed.globals;
    match parsed.action {
        Action::Call(invocation) => {
            // What the environment names needs no flag.
            let named = globals.remote.clone();
            globals.fill_from_environment()?;
            perform::call(invocation, &globals).map_err(|failure| match &named {
                Some(name) => {
                    let hint = aim::at(&failure.hint, name);
                    failure.hint(hint)
                }
                None => failure,
            })
        }
        Action::Help(words) if globals.json => {
            print::json_result(&help::json(&words)?.to_string(), None)
        }
        Action::Help(words) => print::text(&help::text(&words)?),
        Action::Start => print::text(&help::start()),
        Action::Version => print::text(&format!("browse {}", local::VERSION)),
        Action::Local(name, words) => local::run(name, &words),
    }
}
