//! Which words name a command on the command line.

use browse_proto::Command;

/// The ways to write `command` down, as words, without its selector.
pub fn command_names(command: &'static Command) -> impl Iterator<Item = Vec<&'static str>> {
    let aliases = command.aliases.iter().map(|alias| alias.split(' ').collect());
    std::iter::once(command.words.to_vec()).chain(aliases)
}

/// The commands whose names begin with `words`.
pub fn beginning_with(words: &[&str]) -> Vec<&'static Command> {
    let fits =
        |command: &&'static Command| command_names(command).any(|name| name.starts_with(words));
    Command::all().iter().filter(fits).collect()
}

/// The commands that are called exactly `words`; they differ by selector.
pub fn commands_named(words: &[&str]) -> Vec<&'static Command> {
    let fits = |command: &&'static Command| command_names(command).any(|name| name == words);
    Command::all().iter().filter(fits).collect()
}

/// The words that can follow `words` in the name of a command.
pub fn next_words(words: &[&str]) -> Vec<&'static str> {
    let mut next: Vec<&'static str> = Vec::new();
    for name in Command::all().iter().flat_map(command_names) {
        if let Some(word) = name.get(words.len())
            && name.starts_with(words)
            && !next.contains(word)
        {
            next.push(word);
        }
    }
    next
}
