//! What the registry of the contract means on a command line: which words name
//! a command, what its positional arguments are, and what its flags.

use browse_proto::{Command, Field, Kind, Source};

/// A positional argument of a command.
#[derive(Clone, Copy, Debug)]
pub struct Positional {
    /// The field that it fills.
    pub field: &'static Field,
    /// Whether it takes all that is left.
    pub rest: bool,
}

impl Positional {
    /// Whether the command does not work without it.
    pub fn is_required(&self) -> bool {
        !self.field.optional && !self.field.repeated
    }

    /// `<target>`, `[target]` or `[value]...`.
    pub fn usage(&self) -> String {
        let label = label(self.field);
        let dots = if self.rest { "..." } else { "" };
        if self.is_required() { format!("<{label}>{dots}") } else { format!("[{label}]{dots}") }
    }
}

/// The positional arguments of `command`. Steps come from standard input, and
/// are none.
pub fn positionals(command: &Command) -> impl Iterator<Item = Positional> {
    let fields = command.request.fields;
    let all =
        command.args.iter().map(|arg| Positional { field: &fields[arg.field], rest: arg.rest });
    all.filter(|positional| matches!(positional.field.source, Source::Argv | Source::File))
}

/// The flags of `command`: the fields that are no positional arguments.
pub fn flags(command: &Command) -> impl Iterator<Item = &'static Field> {
    let fields = command.request.fields.iter().enumerate();
    let flags = fields.filter(|(index, field)| {
        let positional = command.args.iter().any(|argument| argument.field == *index);
        !positional && matches!(field.source, Source::Argv | Source::File)
    });
    flags.map(|(_, field)| field)
}

/// Whether the CLI writes what `command` answers to a file. Such a command
/// takes a path after its arguments, and `--base64`.
pub fn saves(command: &Command) -> bool {
    command.save.is_some()
}

/// Whether `command` reads its steps from standard input.
pub fn takes_steps(command: &Command) -> bool {
    command.request.fields.iter().any(|field| field.source == Source::Steps)
}

/// What the help calls the value of `field`.
pub fn label(field: &Field) -> String {
    if field.value.is_empty() { field.name.replace('_', "-") } else { field.value.to_owned() }
}

/// The words that a value of `field` is chosen from, when it is an enum.
pub fn choices(field: &Field) -> Vec<&'static str> {
    let Kind::Enum(of) = &field.kind else {
        return Vec::new();
    };
    of.values.iter().map(|value| value.name).filter(|name| !name.is_empty()).collect()
}

/// The ways to write `command` down, as words, without its selector.
pub fn names(command: &'static Command) -> impl Iterator<Item = Vec<&'static str>> {
    let aliases = command.aliases.iter().map(|alias| alias.split(' ').collect());
    std::iter::once(command.words.to_vec()).chain(aliases)
}

/// The commands whose names begin with `words`.
pub fn beginning_with(words: &[&str]) -> Vec<&'static Command> {
    let fits = |command: &&'static Command| names(command).any(|name| name.starts_with(words));
    Command::all().iter().filter(fits).collect()
}

/// The commands that are called exactly `words`; they differ by selector.
pub fn named(words: &[&str]) -> Vec<&'static Command> {
    let fits = |command: &&'static Command| names(command).any(|name| name == words);
    Command::all().iter().filter(fits).collect()
}

/// The words that can follow `words` in the name of a command.
pub fn next_words(words: &[&str]) -> Vec<&'static str> {
    let mut next: Vec<&'static str> = Vec::new();
    for name in Command::all().iter().flat_map(names) {
        if let Some(word) = name.get(words.len())
            && name.starts_with(words)
            && !next.contains(word)
        {
            next.push(word);
        }
    }
    next
}

/// The flag that selects `command` among those of the same words.
pub fn selector(command: &Command) -> Option<String> {
    command.selector.map(|name| format!("--{name}"))
}
