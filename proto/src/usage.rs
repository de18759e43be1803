//! How a command is called: its positional arguments, its flags, and the line
//! that shows both.

use crate::{Command, Field, FieldType, Source};

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
        all.filter(|positional| positional.field.is_on_command_line())
    }

    /// Its flags: the fields that are not positional arguments.
    pub fn flags(&self) -> impl Iterator<Item = &'static Field> + use<> {
        let args = self.args;
        let fields = self.request.fields.iter().enumerate();
        let flags = fields.filter(move |(index, field)| {
            field.is_on_command_line() && !args.iter().any(|argument| argument.field == *index)
        });
        flags.map(|(_, field)| field)
    }

    /// Whether the CLI writes the answer to files.
    pub fn saves(&self) -> bool {
        self.save.is_some()
    }

    /// Whether it saves to a place that stands after its arguments.
    pub fn takes_path(&self) -> bool {
        self.saves() && !self.output_arg.starts_with('-')
    }

    /// The flags of the CLI's own that it takes because it saves: how each is
    /// called, and what it does.
    pub fn saving_flags(&self) -> impl Iterator<Item = (String, &'static str)> + use<> {
        let flagged = self.saves() && self.output_arg.starts_with('-');
        let label = self.output_arg.strip_prefix("--").unwrap_or("path");
        let place = flagged.then(|| (format!("{} <{label}>", self.output_arg), self.output_help()));
        let inline = (self.saves() && self.inline)
            .then(|| ("--base64".to_owned(), "Prints a data URL instead of writing a file."));
        let force = self.saves().then(|| {
            let help = "Writes where, and in place of what, a command refuses to; for the owner of the daemon.";
            ("--force-path".to_owned(), help)
        });
        place.into_iter().chain(inline).chain(force)
    }

    /// What the place is that it saves to.
    pub fn output_help(&self) -> &'static str {
        match self.output_arg.trim_start_matches('-') {
            "prefix" => {
                "How the paths of the files begin. Files in the temp directory when left out."
            }
            "dir" => {
                "Folder to write to; made when it does not exist. A new one in the temp directory when left out."
            }
            "folder" => {
                "Folder to write to; made when it does not exist. One in BROWSE_HOME when left out."
            }
            _ if self.has_formats() => {
                "File to write; its extension names the format. A file in the temp directory when left out. A single word is the path, unless it is a ref or begins with `.`, `#` or `[`."
            }
            _ if self.streaming => {
                "File to write, or a folder. A file in the temp directory when left out."
            }
            _ => "File to write. A file in the temp directory when left out.",
        }
    }

    fn has_formats(&self) -> bool {
        self.request.fields.iter().any(|field| field.source == Source::Extension)
    }

    /// Whether it reads its steps from standard input.
    pub fn takes_steps(&self) -> bool {
        self.request.fields.iter().any(|field| field.source == Source::Steps)
    }

    /// The field that holds another command, which follows its name in argv.
    pub fn inner_command_field(&self) -> Option<&'static Field> {
        self.request.fields.iter().find(|field| field.source == Source::Command)
    }

    /// The flag that selects it among the commands of the same words.
    pub fn selector_flag(&self) -> Option<String> {
        self.selector.map(|name| format!("--{name}"))
    }

    /// Whether `spelling` selects it: `--annotate`, `-a`, or letters such as
    /// `-ia` of which one is the selector and the others are its switches.
    pub fn is_selected_by(&self, spelling: &str) -> bool {
        if self.selector_flag().is_some_and(|flag| flag == spelling) {
            return true;
        }
        let Some(short) = self.selector_short else { return false };
        let letters = spelling.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let switch = |letter: char| {
            letter == short
                || self
                    .flags()
                    .any(|f| f.short == Some(letter) && matches!(f.kind, FieldType::Bool))
        };
        letters.is_some_and(|letters| letters.contains(short) && letters.chars().all(switch))
    }

    /// `browse click <target> [flags]`.
    pub fn usage(&self) -> String {
        let mut line = format!("browse {}", self.name);
        for positional in self.positionals() {
            line.push(' ');
            line.push_str(&positional.usage());
        }
        if self.takes_path() {
            line.push_str(&format!(" [{}]", self.output_arg));
        }
        if self.flags().next().is_some() || self.saving_flags().next().is_some() {
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

/// A sentence within another one. A name keeps its capitals: `TypeScript`, `ARIA role`.
fn lower_first_letter(sentence: &str) -> String {
    let sentence = sentence.trim_end_matches('.');
    let word = sentence.split(' ').next().unwrap_or_default();
    let is_name = word.chars().skip(1).any(char::is_uppercase)
        || PROPER_NAMES.contains(&word.trim_end_matches(':'));
    let mut letters = sentence.chars();
    let first = letters.next().map(|letter| match is_name {
        true => letter,
        false => letter.to_ascii_lowercase(),
    });
    first.into_iter().chain(letters).collect()
}

/// Names of a single capital that a sentence of the contract begins with.
const PROPER_NAMES: [&str; 2] = ["Python", "Rust"];

impl Field {
    /// What the help calls its value.
    pub fn label(&self) -> String {
        if self.value.is_empty() { self.name.replace('_', "-") } else { self.value.to_owned() }
    }

    /// The words that its value is chosen from, when it is an enum.
    pub fn choices(&self) -> Vec<&'static str> {
        let FieldType::Enum(of) = &self.kind else {
            return Vec::new();
        };
        of.values.iter().map(|value| value.name).filter(|name| !name.is_empty()).collect()
    }

    /// `-b, --button <left|right|middle>`.
    pub fn usage(&self) -> String {
        let short = self.short.map_or_else(String::new, |letter| format!("-{letter}, "));
        let value = match &self.kind {
            FieldType::Bool => String::new(),
            FieldType::Enum(_) => format!(" <{}>", self.choices().join("|")),
            _ => format!(" <{}>", self.label()),
        };
        let dots = if self.repeated { "..." } else { "" };
        format!("{short}--{}{value}{dots}", self.flag())
    }

    /// Its comment, and what its words mean. `every` lists them all, for a
    /// place where the usage does not show them.
    pub fn explanation(&self, every: bool) -> String {
        let FieldType::Enum(of) = &self.kind else {
            return self.help.to_owned();
        };
        let explained =
            of.values.iter().filter(|value| !value.name.is_empty()).filter_map(|value| match value
                .help
            {
                "" => every.then(|| value.name.to_owned()),
                help => Some(format!("{} ({})", value.name, lower_first_letter(help))),
            });
        let explained: Vec<_> = explained.collect();
        match explained.is_empty() {
            true => self.help.to_owned(),
            false => format!("{} One of: {}.", self.help, explained.join(", ")),
        }
    }

    /// Whether argv spells its value, or the name of the file that holds it.
    fn is_on_command_line(&self) -> bool {
        matches!(
            self.source,
            Source::Argv
                | Source::File
                | Source::FileOrUrl
                | Source::Files
                | Source::Command
                | Source::Input
        )
    }
}
