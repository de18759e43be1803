//! The command line of browse. The modules stand in layers, and a layer uses
//! those below it: commands; daemons and calls to them; requests and answers; what
//! argv spells; failures. No module uses one that uses it.
//!
//! A warm command is one loopback round trip, and should cost little more: the
//! table of commands is static data, messages are encoded from it without
//! generated types, and one thread does it all.

mod completions;
mod dispatch;
mod editor;
pub mod embed;
mod execute;
pub mod guide;
mod local;
mod steps;
mod streams;

mod address;
mod browsed;
mod call;
mod caller;
mod certificates;
mod connect;
mod event_loop;
mod fleet_place;
mod fleet_remote;
mod fleet_token;
mod http_client;
mod in_process;
mod oidc;
mod pairing_link;
mod remote;
mod start;
mod startup_stderr;
mod stop;
mod upgrade_daemon;

mod empty_list;
mod file_access;
mod inputs;
mod print;
mod project;
mod request;
mod response;
mod save;
mod state;

mod duration;
mod globals;
pub mod help;
pub mod parse;
mod remote_name;
mod suggest;
pub mod table;
mod values;

mod failure;
mod io_failure;
mod limits;
mod remote_hints;

use std::ffi::OsString;

use browse_proto::{Command, Reason};

pub use failure::Failure;
use failure::Result;
pub use inputs::read_steps;
use parse::CliAction;

/// Whether `spelling` is a flag that every command takes.
pub fn is_global_flag(spelling: &str) -> bool {
    globals::GlobalFlag::find(spelling).is_some()
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
    match run_words(&words) {
        Ok(code) => code,
        Err(failure) => print::failure(&failure, json),
    }
}

fn run_words(words: &[String]) -> Result<u8> {
    let parsed = parse::argv(words)?;
    let mut globals = parsed.globals;
    match parsed.action {
        CliAction::Call(invocation) => {
            // What the environment names needs no flag.
            let named = globals.remote.clone();
            globals.fill_from_environment()?;
            dispatch::run(invocation, &globals).map_err(|failure| match &named {
                Some(name) => {
                    let is_called: fn(&Command) -> bool = match remote::Remote::read(name) {
                        Ok(remote::Remote::Fleet(_)) => remote_hints::is_called_in_fleet,
                        _ => remote_hints::is_called_by_pairing,
                    };
                    let hint = remote_hints::with_remote_flag(&failure.hint, name, is_called);
                    failure.with_hint(hint)
                }
                None => failure,
            })
        }
        CliAction::Help(words) if globals.json => {
            print::json_result(&help::json(&words)?.to_string(), None)
        }
        CliAction::Help(words) => print::text(&help::text(&words)?),
        CliAction::Start => print::text(&help::getting_started()),
        CliAction::Version => print::text(&format!("browse {}", local::VERSION)),
        CliAction::Local(name, words) => local::run(name, &words, &globals),
    }
}
