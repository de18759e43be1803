//! The help of everything is one page, to be reviewed as one.

use std::process::Command;

use browse_cli::help;

fn of(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
    help::text(&words).expect("there is help")
}

#[test]
fn all_help_reads_as_one_page() {
    let mut page = of(&[]);
    for command in browse_proto::Command::all() {
        let words: Vec<_> = command.name.split(' ').collect();
        if command.selector.is_some() || browse_proto::Command::by_name(command.name).is_some() {
            page.push_str(&format!("\n{}\n\n{}", "=".repeat(80), help::one(command)));
        }
        assert!(of(&words).contains(command.summary()), "{}", command.name);
    }
    for local in ["help", "completions", "guide", "login", "logout", "mcp"] {
        page.push_str(&format!("\n{}\n\n{}", "=".repeat(80), of(&[local])));
    }
    insta::assert_snapshot!(page);
}

#[test]
fn no_line_is_wider_than_a_terminal() {
    for command in browse_proto::Command::all() {
        for line in help::one(command).lines() {
            let is_usage = line.contains("--") || line.contains("browse ");
            assert!(line.chars().count() <= 80 || is_usage, "{line}");
        }
    }
}

#[test]
fn programs_get_every_command_with_scope_and_flags() {
    let json = help::json(&[]).expect("there is help");
    let commands = json["commands"].as_array().expect("a list");
    assert_eq!(commands.len(), browse_proto::Command::all().len());
    let click = commands.iter().find(|command| command["name"] == "click").expect("click");
    insta::assert_snapshot!(serde_json::to_string_pretty(click).expect("JSON"));
}

#[test]
fn help_is_asked_for_in_every_way() {
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_browse")).args(args).output();
        let output = output.expect("browse is built");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
    };
    let click = (of(&["click"]), Some(0));
    for args in
        [&["help", "click"][..], &["click", "--help"], &["click", "-h"], &["-h", "click", "@e3"]]
    {
        assert_eq!(run(args), click, "{args:?}");
    }
    // The name of a command may end with a flag.
    let heatmap = (of(&["snapshot", "--heatmap"]), Some(0));
    for args in [&["help", "snapshot", "--heatmap"][..], &["snapshot", "--heatmap", "x", "--help"]]
    {
        assert_eq!(run(args), heatmap, "{args:?}");
    }
    let (start, code) = run(&[]);
    assert_eq!((start.as_str(), code), (help::getting_started().as_str(), Some(0)));
    assert!(start.lines().count() <= 40, "{start}");
    assert_eq!(run(&["--help"]), (of(&[]), Some(0)));
    assert_eq!(run(&["session", "--help"]), (of(&["session"]), Some(0)));
    assert_eq!(run(&["completions", "--help"]), (of(&["completions"]), Some(0)));
    assert!(run(&["help", "clik"]).0.is_empty());
}
