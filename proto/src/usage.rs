//! How a command is called: its positional arguments, its flags, and the line
//! that shows both.

use crate::{Command, Field, Kind, Source};

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
        self.field.source == Source::Command || !self.field.optional && !self.field.repeated
    }

    /// `<target>`, `[target]` or `[value]...`.
    pub fn usage(&self) -> String {
        let label = self.field.label();
        let dots = if self.rest { "..." } else { "" };
        if self.is_required() { format!("<{label}>{dots}") } else { format!("[{label}]{dots}") }
    }
}

impl Command {
    /// Its positional arguments. Steps come from standard input, and are none.
    pub fn positionals(&self) -> impl Iterator<Item = Positional> + use<> {
        let fields = self.request.fields;
        let all =
            self.args.iter().map(|arg| Positional { field: &fields[arg.field], rest: arg.rest });
        all.filter(|positional| positional.field.is_spelled())
    }

    /// Its flags: the fields that are no positional arguments.
    pub fn flags(&self) -> impl Iterator<Item = &'static Field> + use<> {
        let args = self.args;
        let fields = self.request.fields.iter().enumerate();
        let flags = fields.filter(move |(index, field)| {
            field.is_spelled() && !args.iter().any(|argument| argument.field == *index)
        });
        flags.map(|(_, field)| field)
    }

    /// Whether the CLI writes the answer to a file. Such a command takes a
    /// path after its arguments, and `--base64`.
    pub fn saves(&self) -> bool {
        self.save.is_some()
    }

    /// Whether it reads its steps from standard input.
    pub fn takes_steps(&self) -> bool {
        self.request.fields.iter().any(|field| field.source == Source::Steps)
    }

    /// The field that holds another command, which follows its name in argv.
    pub fn inner(&self) -> Option<&'static Field> {
        self.request.fields.iter().find(|field| field.source == Source::Command)
    }

    /// The flag that selects it among the commands of the same words.
    pub fn selector_flag(&self) -> Option<String> {
        self.selector.map(|name| format!("--{name}"))
    }

    /// `browse click <target> [flags]`.
    pub fn usage(&self) -> String {
        let mut line = format!("browse {}", self.name);
        for positional in self.positionals() {
            line.push(' ');
            line.push_str(&positional.usage());
        }
        if self.saves() {
            line.push_str(" [path]");
        }
        if self.flags().next().is_some() || self.saves() {
            line.push_str(" [flags]");
        }
        if self.takes_steps() {
            line.push_str(" < steps.jsonl");
        }
        line
    }

    /// The example as a shell takes it.
    pub fn shell_example(&self) -> String {
        if !self.takes_steps() {
            return format!("browse {}", self.example);
        }
        let step = match self.name {
            "batch" => r#"{"tab": 1, "command": ["text"]}"#,
            _ => r#"["goto", "https://example.com"]"#,
        };
        format!("echo '{step}' | browse {}", self.example)
    }
}

/// A sentence within another one.
fn inner(sentence: &str) -> String {
    let mut letters = sentence.trim_end_matches('.').chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

impl Field {
    /// What the help calls its value.
    pub fn label(&self) -> String {
        if self.value.is_empty() { self.name.replace('_', "-") } else { self.value.to_owned() }
    }

    /// The words that its value is chosen from, when it is an enum.
    pub fn choices(&self) -> Vec<&'static str> {
        let Kind::Enum(of) = &self.kind else {
            return Vec::new();
        };
        of.values.iter().map(|value| value.name).filter(|name| !name.is_empty()).collect()
    }

    /// `-b, --button <left|right|middle>`.
    pub fn usage(&self) -> String {
        let short = self.short.map_or_else(String::new, |letter| format!("-{letter}, "));
        let value = match &self.kind {
            Kind::Bool => String::new(),
            Kind::Enum(_) => format!(" <{}>", self.choices().join("|")),
            _ => format!(" <{}>", self.label()),
        };
        let dots = if self.repeated { "..." } else { "" };
        format!("{short}--{}{value}{dots}", self.flag())
    }

    /// Its comment, and what its words mean. `every` lists them all, for a
    /// place where the usage does not show them.
    pub fn explanation(&self, every: bool) -> String {
        let Kind::Enum(of) = &self.kind else {
            return self.help.to_owned();
        };
        let explained =
            of.values.iter().filter(|value| !value.name.is_empty()).filter_map(|value| match value
                .help
            {
                "" => every.then(|| value.name.to_owned()),
                help => Some(format!("{} ({})", value.name, inner(help))),
            });
        let explained: Vec<_> = explained.collect();
        match explained.is_empty() {
            true => self.help.to_owned(),
            false => format!("{} One of: {}.", self.help, explained.join(", ")),
        }
    }

    /// Whether argv spells its value, or the name of the file that holds it.
    fn is_spelled(&self) -> bool {
        matches!(self.source, Source::Argv | Source::File | Source::Command)
    }
}
