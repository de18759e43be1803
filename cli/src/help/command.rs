//! The help of one command.

use browse_proto::{Command, Field, Kind};

use super::{layout, usage};
use crate::table;

/// Everything there is to say about `command`.
pub fn text(command: &'static Command) -> String {
    let mut out = format!("{}\n\n", usage::line(command));
    let paragraphs: Vec<_> = command.help.split("\n\n").map(|p| layout::wrap(p, 0)).collect();
    out.push_str(&paragraphs.join("\n"));
    section(&mut out, "Arguments", &arguments(command));
    section(&mut out, "Flags", &flags(command));
    out.push_str(&format!("\nExample\n  {}\n\n", example(command)));
    out.push_str(&layout::wrap(&closing(command), 0));
    out
}

/// The example as a shell takes it.
pub fn example(command: &Command) -> String {
    if !table::takes_steps(command) {
        return format!("browse {}", command.example);
    }
    let step = match command.name {
        "batch" => r#"{"tab": 1, "command": ["text"]}"#,
        _ => r#"["goto", "https://example.com"]"#,
    };
    format!("echo '{step}' | browse {}", command.example)
}

fn section(out: &mut String, title: &str, rows: &[(String, String)]) {
    if !rows.is_empty() {
        out.push_str(&format!("\n{title}\n{}", layout::terms(rows)));
    }
}

fn arguments(command: &'static Command) -> Vec<(String, String)> {
    let own = table::positionals(command).map(|positional| {
        let field = positional.field;
        (positional.usage(), with_choices(field, true))
    });
    let path = table::saves(command).then(|| {
        let help = "File to write; its extension names the format. A file in the temp directory when left out. A single word is the path, unless it is a ref or begins with `.`, `#` or `[`.";
        ("[path]".to_owned(), help.to_owned())
    });
    let steps = command.request.fields.iter().filter(|_| table::takes_steps(command));
    let steps = steps.map(|field| ("standard input".to_owned(), field.help.to_owned()));
    own.chain(path).chain(steps).collect()
}

fn flags(command: &'static Command) -> Vec<(String, String)> {
    let own = table::flags(command).map(|field| (usage::flag(field), with_choices(field, false)));
    let base64 = table::saves(command).then(|| {
        ("    --base64".to_owned(), "Prints a data URL instead of writing a file.".to_owned())
    });
    own.chain(base64).collect()
}

/// The help of a field; the values of an enum, where the usage does not show
/// them, and what each means.
fn with_choices(field: &Field, list: bool) -> String {
    let Kind::Enum(of) = &field.kind else {
        return field.help.to_owned();
    };
    let values = of.values.iter().filter(|value| !value.name.is_empty());
    let explained: Vec<_> = values
        .filter(|value| list || !value.help.is_empty())
        .map(|value| match value.help {
            "" => value.name.to_owned(),
            help => format!("{} ({})", value.name, help.trim_end_matches('.')),
        })
        .collect();
    match explained.is_empty() {
        true => field.help.to_owned(),
        false => format!("{} One of: {}.", field.help, explained.join(", ")),
    }
}

fn closing(command: &Command) -> String {
    let mut closing = format!("Scope: {}.", command.scope.name());
    if command.tunnel {
        closing.push_str(" Paired agents may call it.");
    }
    if let Some(timeout) = command.timeout_ms {
        closing.push_str(&format!(" It gets {} s unless `--timeout` says more.", timeout / 1000));
    }
    if command.attach {
        closing.push_str(" It starts no daemon.");
    }
    if !command.aliases.is_empty() {
        closing.push_str(&format!(" Also called: {}.", command.aliases.join(", ")));
    }
    closing
}
