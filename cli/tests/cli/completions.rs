//! Completion, as the shells see it.

use std::{
    env,
    path::Path,
    process::{Command, Stdio},
};

fn browse(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_browse")).args(args).output();
    String::from_utf8_lossy(&output.expect("browse is built").stdout).into_owned()
}

/// The candidates for the last of `words`, without their help.
fn complete(words: &[&str]) -> Vec<String> {
    let candidates = browse(&[&["__complete"], words].concat());
    let words = candidates.lines().map(|line| line.split('\t').next().unwrap_or(line).to_owned());
    words.collect()
}

/// PATH with the program that is tested in front.
fn path() -> std::ffi::OsString {
    let folder = Path::new(env!("CARGO_BIN_EXE_browse")).parent().expect("a folder").to_owned();
    let rest = env::var_os("PATH").unwrap_or_default();
    env::join_paths(std::iter::once(folder).chain(env::split_paths(&rest))).expect("a PATH")
}

#[test]
fn words_flags_and_values_are_offered() {
    assert_eq!(complete(&["gre"]), [""; 0]);
    assert_eq!(complete(&["got"]), ["goto"]);
    assert_eq!(complete(&["ses"]), ["session"]);
    assert_eq!(complete(&["session", ""]), ["list", "new", "close"]);
    assert_eq!(complete(&["help", "compl"]), ["completions"]);
    assert_eq!(complete(&["completions", ""]), ["bash", "zsh", "fish"]);
    assert_eq!(complete(&["get", "t"]), ["title"]);
    assert_eq!(complete(&["--tab", "2", "is", "v"]), ["visible"]);
    assert_eq!(complete(&["goto", "--wait", "n"]), ["networkidle", "none"]);
    assert_eq!(complete(&["snapshot", "--d"]), ["--depth", "--diff"]);
    assert_eq!(complete(&["network", "--c"]), ["--clear"]);
    assert_eq!(complete(&["network", "show", "--b"]), ["--body"]);
    assert_eq!(complete(&["url", "--ses"]), ["--session"]);
    assert_eq!(complete(&["config", ""]), ["list", "get", "set", "unset"]);
    assert_eq!(complete(&["config", "set", "idle_t"]), ["idle_timeout"]);
    assert_eq!(complete(&["config", "set", "port", ""]), [""; 0]);
    assert_eq!(complete(&["guide", "i"]), ["install"]);
    assert_eq!(
        complete(&["guide", "install", "--agent", "c"]),
        ["claude", "codex", "cursor", "copilot"]
    );
    assert_eq!(complete(&["upgrade", "--c"]), ["--check"]);
    assert_eq!(complete(&["--json", "mcp", ""]), ["call"]);
    assert_eq!(complete(&["not-a-command", ""]), [""; 0]);
    assert!(complete(&[""]).contains(&"goto".to_owned()));
}

#[test]
fn bash_loads_the_script_and_completes() {
    let script = r#"source <(browse completions bash)
        try() { COMP_LINE="$1" COMP_POINT=${#1}; _browse; echo "${COMPREPLY[*]}"; }
        try "browse got"; try "browse session "; try "browse goto --wait n""#;
    let output = Command::new("bash").args(["-c", script]).env("PATH", path()).output();
    let output = output.expect("bash is there");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let reported = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(reported, "goto\nlist new close\nnetworkidle none\n");
}

#[test]
fn the_other_shells_read_their_scripts() {
    let tries = [
        (
            "zsh",
            "autoload -Uz compinit && compinit -D && source <(browse completions zsh) && print $_comps[browse]",
            "_browse\n",
        ),
        (
            "fish",
            "browse completions fish | source; complete --do-complete 'browse got' | cut -f1",
            "goto\n",
        ),
    ];
    for (shell, script, expected) in tries {
        let mut command = Command::new(shell);
        command.args(["-c", script]).env("PATH", path()).stdin(Stdio::null());
        // A machine without the shell has nothing to try.
        let Ok(output) = command.output() else { continue };
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{shell}: {output:?}");
    }
}
