//! Every `browse …` line that we print or document parses.

use std::{fs, path::Path};

use browse_cli::{parse, table};
use browse_proto::{Command, Reason};

use crate::parser::words;

/// Values for the placeholders of usages and hints.
const VALUES: &[(&str, &str)] = &[
    ("dir", "/tmp"),
    ("n", "2"),
    ("id", "2"),
    ("step", "2"),
    ("depth", "2"),
    ("px", "2"),
    ("tab", "2"),
    ("count", "2"),
    ("max-tokens", "2"),
    ("duration", "30s"),
    ("state", "visible"),
    ("property", "title"),
    ("shell", "bash"),
    ("command", "text"),
    ("dy", "300"),
    ("latitude", "52.5"),
    ("longitude", "13.4"),
    ("slowdown", "4"),
    ("path", "a.png"),
    ("tier", "global"),
];

#[test]
fn hints_name_commands_that_exist() {
    for rule in Reason::all() {
        check(rule.name, &rule.hint_with(|key| Some(value(key))));
    }
}

#[test]
fn help_names_commands_that_exist() {
    for command in Command::all() {
        assert!(check(command.name, &browse_cli::help::one(command)) > 0, "{}", command.name);
        for text in command.request.fields.iter().map(|field| field.help).chain([command.help]) {
            check(command.name, text);
        }
    }
    check("help", &browse_cli::help::text(&[]).expect("help"));
}

#[test]
fn examples_run_as_printed_in_a_shell() {
    let folder = tempfile::tempdir().expect("a folder");
    for command in Command::all() {
        let script = format!("for word in {}; do printf '%s\\n' \"$word\"; done", command.example);
        let shell = std::process::Command::new("sh")
            .args(["-c", &script])
            .current_dir(folder.path())
            .output()
            .expect("there is a shell");
        let read = String::from_utf8_lossy(&shell.stdout);
        let expected = words(command.example.trim_end_matches(" < steps.jsonl"));
        assert_eq!(read.lines().collect::<Vec<_>>(), expected, "{shell:?}");
    }
}

#[test]
fn the_guide_names_commands_that_exist() {
    for topic in browse_cli::guide::TOPICS {
        let text = topic.text();
        assert!(check(topic.name, &text) >= 3, "{}", topic.name);
        assert!(!text.contains("{commands:"), "{}", topic.name);
    }
}

#[test]
fn documents_name_commands_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    for folder in ["docs", "browser-skills", "deploy"] {
        collect(&root.join(folder), &mut files);
    }
    let mut checked = 0;
    for file in files.iter().filter(|file| file.exists()) {
        let text = fs::read_to_string(file).expect("a readable file");
        checked += check(&file.display().to_string(), &text);
    }
    // The reference alone has several for each command.
    assert!(checked > 2 * Command::all().len(), "only {checked} commands were found");
}

fn collect(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_skipped = path.file_name().is_some_and(|name| name == "node_modules");
        if path.is_dir() && !is_skipped {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
}

/// Parses the commands of `text`, in backticks and in lines of code, and
/// returns their number.
fn check(place: &str, text: &str) -> usize {
    let mut checked = 0;
    let quoted = text.split('`').skip(1).step_by(2).filter(|code| !code.contains('\n'));
    for code in quoted.chain(code_lines(text)).filter(|code| code.starts_with("browse ")) {
        checked += 1;
        let filled = fill(code);
        let words: Vec<_> = words(&filled.replace('"', "'")).split_off(1);
        let name: Vec<_> = words.iter().map(String::as_str).collect();
        // A command can be named without its arguments.
        if !table::beginning_with(&name).is_empty() {
            continue;
        }
        if let Err(failure) = parse::argv(&words) {
            panic!("{place}: `{code}` (read as `{filled}`): {}", failure.message);
        }
    }
    checked
}

/// The commands of code: of fenced and indented lines, pipes taken apart.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut is_fenced = false;
    let lines = text.lines().filter(move |line| {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        }
        is_fenced || line.starts_with("  ")
    });
    let parts = lines.flat_map(|line| line.split(" | ").flat_map(|part| part.split(" && ")));
    parts.map(|part| part.trim().trim_start_matches("$ "))
}

/// Replaces `<x>` and `{x}` by a value, and drops `[x]`, redirections and
/// remarks.
fn fill(code: &str) -> String {
    let end = [" # ", " < ", " > ", " 2>", ";"].iter().filter_map(|mark| code.find(mark)).min();
    let code = &code[..end.unwrap_or(code.len())];
    let words = code.split(' ').filter(|word| !word.starts_with('[')).map(|word| {
        let word = word.trim_end_matches("...").trim_end_matches('…');
        let inner = word
            .strip_prefix('<')
            .and_then(|word| word.strip_suffix('>'))
            .or_else(|| word.strip_prefix('{').and_then(|word| word.strip_suffix('}')));
        inner.map_or_else(|| word.to_owned(), value)
    });
    words.collect::<Vec<_>>().join(" ")
}

fn value(name: &str) -> String {
    let name = name.split('|').next().unwrap_or(name);
    let known = VALUES.iter().find(|(known, _)| *known == name);
    known.map_or(name, |(_, value)| value).to_owned()
}
