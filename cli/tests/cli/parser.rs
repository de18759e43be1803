//! Laws of the parser, over every command.

use std::collections::BTreeSet;
use std::path::Path;

use browse_cli::{
    Failure,
    parse::{self, CliAction, Invocation},
};
use browse_proto::{Command, FieldType, Source};
use serde_json::{Value, json};

/// Reads a line as a shell would, with single quotes only.
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quoted, mut begun) = (String::new(), false, false);
    for letter in line.chars() {
        match letter {
            '\'' => (quoted, begun) = (!quoted, true),
            ' ' if !quoted => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            letter => {
                word.push(letter);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

pub fn parse(line: &str) -> Result<Invocation, Failure> {
    match parse::argv(&words(line))?.action {
        CliAction::Call(invocation) => Ok(invocation),
        other => panic!("`{line}` is not a call: {other:?}"),
    }
}

fn fields(line: &str) -> Value {
    Value::Object(parse(line).unwrap_or_else(|failure| panic!("{line}: {failure:?}")).fields)
}

#[test]
fn every_example_parses_to_its_command() {
    for command in Command::all() {
        let invocation = parse(command.example)
            .unwrap_or_else(|failure| panic!("{}: {failure:?}", command.example));
        assert_eq!(invocation.command.name, command.name, "{}", command.example);
    }
}

#[test]
fn a_switch_leaves_the_global_flag_of_its_name_in_reach() {
    let parsed = |line: &str| {
        let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
        parse::argv(&words).expect("it parses")
    };
    for (line, switch, project) in [
        ("skill commit a --project", true, None),
        ("--project /p skill commit a", false, Some("/p")),
        ("skill commit a --project=/p", false, Some("/p")),
        ("--project /p skill commit --project a", true, Some("/p")),
    ] {
        let parsed = parsed(line);
        let parse::CliAction::Call(invocation) = parsed.action else { panic!("{line}") };
        assert_eq!(invocation.fields.contains_key("project"), switch, "{line}");
        assert_eq!(invocation.fields["draft"], "a", "{line}");
        assert_eq!(parsed.globals.project.as_deref(), project.map(Path::new), "{line}");
    }
}

#[test]
fn every_name_and_alias_is_one_command() {
    let mut names = BTreeSet::new();
    for command in Command::all() {
        for name in command.aliases.iter().chain([&command.name]) {
            assert!(names.insert(*name), "{name} is taken");
        }
    }
    for local in parse::LOCAL_NAMES {
        assert!(!names.contains(local), "{local} is taken");
    }
}

/// Switches of a command that are called like a global flag with a value: after
/// the command, that one is written with its value behind `=`.
const SWITCHES: [(&str, &str); 2] =
    [("skill commit", "--project"), ("skill record save", "--project")];

#[test]
fn no_flag_of_a_command_hides_a_global_one() {
    for command in Command::all() {
        for flag in command.flags() {
            let spelling = format!("--{}", flag.flag());
            if SWITCHES.contains(&(command.name, &spelling)) {
                assert!(matches!(flag.kind, FieldType::Bool), "{}: {spelling}", command.name);
                continue;
            }
            assert!(!browse_cli::is_global_flag(&spelling), "{}: {spelling}", command.name);
            let short = flag.short.map(|letter| format!("-{letter}"));
            let short = short.is_some_and(|short| browse_cli::is_global_flag(&short));
            assert!(!short, "{}: {:?}", command.name, flag.short);
        }
    }
}

#[test]
fn argv_can_spell_every_field_that_it_is_to_spell() {
    for command in Command::all() {
        for field in command.request.fields.iter().filter(|f| f.source == Source::Argv) {
            let is_plain =
                !matches!(field.kind, FieldType::Message(_) | FieldType::Any | FieldType::Bytes);
            assert!(is_plain, "{}.{}", command.request.name, field.name);
        }
    }
}

#[test]
fn what_is_optional_comes_after_what_is_not() {
    for command in Command::all() {
        let required: Vec<_> = command.positionals().map(|p| p.is_required()).collect();
        assert!(required.is_sorted_by(|a, b| a >= b), "{}", command.name);
        let rest = command.positionals().position(|positional| positional.rest);
        assert!(rest.is_none_or(|at| at + 1 == required.len()), "{}", command.name);
    }
}

#[test]
fn flags_are_read_in_every_spelling() {
    for line in [
        "snapshot -i -d 3",
        "snapshot -id3",
        "snapshot -id 3",
        "snapshot --interactive --depth 3",
        "snapshot -i --depth=3",
        "snapshot -d=3 -i",
        "--json snapshot -i --tab 2 -d 3",
    ] {
        assert_eq!(fields(line), json!({"interactive": true, "depth": 3}), "{line}");
    }
}

#[test]
fn a_flag_can_choose_the_rpc() {
    let name = |line| parse(line).expect("it parses").command.name;
    assert_eq!(name("console"), "console");
    assert_eq!(name("console --clear"), "console --clear");
    assert_eq!(name("network show 4"), "network show");
    assert_eq!(name("network show --body 4"), "network show --body");
    assert_eq!(name("network --json show 4 --body"), "network show --body");
    assert_eq!(name("open example.com"), "goto");
    assert_eq!(name("session --session a list"), "session list");
}

#[test]
fn words_are_taken_as_they_are() {
    assert_eq!(fields("fill @e4 -5"), json!({"target": "@e4", "text": "-5"}));
    assert_eq!(fields("type -- --flag"), json!({"text": "--flag"}));
    assert_eq!(fields("fill '#a' ''"), json!({"target": "#a", "text": ""}));
    assert_eq!(fields("press -"), json!({"key": "-"}));
    assert_eq!(fields("select @e5 a b"), json!({"target": "@e5", "value": ["a", "b"]}));
    assert_eq!(fields("skill run x --arg a=1 --arg b"), json!({"name": "x", "arg": ["a=1", "b"]}));
    assert_eq!(fields("get TITLE"), json!({"property": "title"}));
    assert_eq!(fields("scroll down --by 400"), json!({"target": "down", "by": 400}));
}

#[test]
fn global_flags_stand_anywhere() {
    let line = "--tab 2 click --timeout 1m30s @e3 --session work --raw --token t --addr a:1";
    let globals = parse::argv(&words(line)).expect("it parses").globals;
    insta::assert_debug_snapshot!(globals);
}
