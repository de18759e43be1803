//! Reads a command that holds another one: `tab-each get title`. The flags
//! before the inner command are global ones; those after it are its own, or
//! global as well.

use browse_proto::{Command, Reason};

use super::{
    CliAction, Invocation, Parsed,
    arguments::{flag, usage_failure},
    argv_with_globals, can_be_step,
    tokens::{Token, Tokens},
};
use crate::{
    failure::{Failure, Result},
    globals::Globals,
};

/// Reads what follows the name of the outer command.
pub fn read(
    command: &'static Command,
    tokens: &mut Tokens<'_>,
    globals: &mut Globals,
) -> Result<Invocation> {
    let mut invocation = Invocation::new(command);
    while let Some(Token::Flag(spelling, value)) = tokens.peek() {
        tokens.next();
        flag(&mut invocation, globals, spelling, value, tokens)?;
    }
    let words = tokens.take_all();
    if words.is_empty() {
        let message = format!("`{}` wants a command", command.name);
        let hint = format!("Write it as in `browse {}`", command.example);
        return Err(usage_failure(command, message, &hint));
    }
    let Parsed { globals: all, action } = argv_with_globals(&words, std::mem::take(globals))?;
    *globals = all;
    let CliAction::Call(inner) = action else {
        let message = format!("`{}` cannot run in a tab", words.join(" "));
        return Err(Failure::new(Reason::BatchInvalid, message)
            .with_hint("Run `browse help` to see the commands"));
    };
    can_be_step(inner.command)?;
    if globals.tab.is_some() {
        let message = format!("`{}` acts on every tab, and `--tab` on one", command.name);
        return Err(Failure::new(Reason::ArgumentInvalid, message)
            .with_hint(format!("Run `browse {}` with `--tab` by itself", inner.command.name)));
    }
    invocation.inner = Some(Box::new(inner));
    Ok(invocation)
}
