//! Finds the command that argv names.

use browse_proto::{Command, Reason};

use super::{
    LOCAL_NAMES, arguments,
    tokens::{Token, Tokens},
};
use crate::{
    failure::{Failure, Result},
    globals::{GlobalFlag, Globals},
    suggest, table,
};

/// What the first words name.
pub enum CommandName {
    /// Nothing: argv holds no word.
    None,
    /// A command that needs no daemon.
    Local(&'static str),
    /// Words that begin the names of several commands, of which help is wanted.
    Group(Vec<String>),
    /// Commands that share these words, and differ by a selector.
    Commands(Vec<&'static Command>),
}

/// Reads the words of the name, and the global flags before and between them.
pub fn read(tokens: &mut Tokens<'_>, globals: &mut Globals) -> Result<CommandName> {
    let mut words: Vec<&str> = Vec::new();
    while let Some(token) = tokens.peek() {
        match token {
            Token::Flag(spelling, value) => match GlobalFlag::find(spelling) {
                Some(_) if value.is_none() && is_own_switch(&words, spelling) => break,
                Some(flag) => {
                    tokens.next();
                    arguments::set_global(globals, flag, value, tokens)?;
                }
                None if words.is_empty() => {
                    return Err(arguments::unknown_flag(arguments::PROGRAM, spelling, []));
                }
                None => break,
            },
            Token::Word(word) => {
                if words.is_empty()
                    && let Some(local) = LOCAL_NAMES.iter().find(|local| **local == word)
                {
                    tokens.next();
                    return Ok(CommandName::Local(local));
                }
                words.push(word);
                if table::beginning_with(&words).is_empty() {
                    words.pop();
                    break;
                }
                tokens.next();
            }
        }
    }
    let named = table::commands_named(&words);
    match (words.is_empty(), tokens.peek()) {
        (true, Some(Token::Word(word))) => Err(unknown_command(word)),
        (true, _) => Ok(CommandName::None),
        (false, _) if named.is_empty() && globals.help => {
            Ok(CommandName::Group(words.iter().map(|word| (*word).to_owned()).collect()))
        }
        (false, next) if named.is_empty() => Err(incomplete_command(&words, next)),
        (false, _) => Ok(CommandName::Commands(named)),
    }
}

/// Whether the words name a command that has a switch of this spelling.
fn is_own_switch(words: &[&str], spelling: &str) -> bool {
    let named = table::commands_named(words);
    named.into_iter().any(|command| arguments::command_switch(command, spelling).is_some())
}

/// Picks the command whose selector is among the flags, else the one without.
pub fn select(
    candidates: &[&'static Command],
    tokens: &mut Tokens<'_>,
) -> Result<&'static Command> {
    let is_selected =
        |command: &&&'static Command| tokens.flags().any(|flag| command.is_selected_by(flag));
    let plain = || candidates.iter().find(|command| command.selector.is_none());
    let found = candidates.iter().find(is_selected).or_else(plain).or(candidates.first());
    found.copied().ok_or_else(|| unknown_command(""))
}

fn unknown_command(word: &str) -> Failure {
    let message = format!("`{word}` is not a command");
    let failure = Failure::new(Reason::CommandUnknown, message);
    let first_words = table::next_words(&[]);
    let known =
        first_words.into_iter().chain(LOCAL_NAMES.iter().copied().filter(|l| !l.starts_with('_')));
    match suggest::nearest(word, known) {
        Some(near) => failure.with_hint(format!("Did you mean `browse {near}`?")),
        None => failure,
    }
}

fn incomplete_command(words: &[&str], next: Option<Token<'_>>) -> Failure {
    let name = words.join(" ");
    let choices = table::next_words(words);
    let list = choices.join(", ");
    let (message, near) = match next {
        Some(Token::Word(word)) => {
            let message = format!("`browse {name} {word}` is not a command");
            (message, suggest::nearest(word, choices))
        }
        _ => (format!("`browse {name}` wants one of {list}"), None),
    };
    let failure = Failure::new(Reason::CommandUnknown, message)
        .with_usage(format!("browse {name} <{}>", list.replace(", ", "|")));
    match near {
        Some(near) => failure.with_hint(format!("Did you mean `browse {name} {near}`?")),
        None => failure.with_hint(format!("Run `browse help {name}`")),
    }
}
