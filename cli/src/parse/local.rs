//! Commands without a daemon that have flags of their own beside the global ones.

use super::{
    CliAction, Parsed, arguments,
    tokens::{Token, Tokens},
};
use crate::{
    failure::Result,
    globals::{GlobalFlag, Globals},
};

/// A flag of such a command.
pub struct LocalFlag {
    /// How it is written, dashes included.
    spelling: &'static str,
    /// What its value is called; empty for a switch.
    value: &'static str,
}

const LOGIN_FLAGS: &[LocalFlag] = &[
    LocalFlag { spelling: "--name", value: "name" },
    LocalFlag { spelling: "--token-file", value: "file" },
    LocalFlag { spelling: "--token-stdin", value: "" },
    LocalFlag { spelling: "--ca", value: "file" },
    LocalFlag { spelling: "--renew", value: "name" },
    LocalFlag { spelling: "--rejected-stdin", value: "" },
];

/// The flags of the command `name`, when it is one of these.
pub fn flags_of(name: &str) -> Option<&'static [LocalFlag]> {
    match name {
        "login" => Some(LOGIN_FLAGS),
        "logout" => Some(&[]),
        _ => None,
    }
}

/// Reads what follows the name. Of its words, `--flag=value` and `--switch` are its own flags.
pub fn read(
    name: &'static str,
    flags: &[LocalFlag],
    mut tokens: Tokens<'_>,
    mut globals: Globals,
) -> Result<Parsed> {
    let mut words = Vec::new();
    while let Some(token) = tokens.next() {
        let (spelling, value) = match token {
            Token::Word(word) => {
                words.push(word.to_owned());
                continue;
            }
            Token::Flag(spelling, value) => (spelling, value),
        };
        if let Some(flag) = GlobalFlag::find(spelling) {
            arguments::set_global(&mut globals, flag, value, &mut tokens)?;
            continue;
        }
        let Some(flag) = flags.iter().find(|flag| flag.spelling == spelling) else {
            let known = flags.iter().map(|flag| flag.spelling);
            return Err(arguments::unknown_flag(name, spelling, known));
        };
        if flag.value.is_empty() {
            arguments::no_value(spelling, value)?;
            words.push(spelling.to_owned());
            continue;
        }
        let value = value.or_else(|| tokens.value());
        let value = value.ok_or_else(|| arguments::missing_value(spelling, flag.value))?;
        words.push(format!("{spelling}={value}"));
    }
    match globals.help {
        true => Ok(Parsed { globals, action: CliAction::Help(vec![name.to_owned()]) }),
        false => Ok(Parsed { globals, action: CliAction::Local(name, words) }),
    }
}
