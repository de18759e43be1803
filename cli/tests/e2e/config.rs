//! `browse config`: settings without a daemon, also while they keep one from starting.

use std::fs;

use serde_json::Value;

use crate::project::Project;

fn setting(project: &Project, name: &str) -> Value {
    project.json(&["config", "get", name])
}

#[test]
fn a_value_has_its_source_and_the_first_source_applies() {
    let project = Project::new();
    project.ok(&["config", "set", "max_windows", "7"]);
    let found = setting(&project, "max_windows");
    assert_eq!((found["value"][0].as_str(), found["source"].as_str()), (Some("7"), Some("user")));
    let place = project.home().join("config.toml:1").display().to_string();
    assert_eq!(found["place"], place.as_str());

    project.ok(&["config", "set", "dialogs", "accept"]);
    project.ok(&["config", "set", "dialogs", "dismiss", "--in-project"]);
    let listed = project.ok(&["config"]);
    assert!(listed.contains("dialogs = dismiss  # project "), "{listed}");
    assert!(listed.contains("\nkeychain = "), "{listed}");
    let project = project.with("BROWSE_DIALOGS", "ask");
    let found = setting(&project, "BROWSE_DIALOGS");
    assert_eq!(
        (found["value"][0].as_str(), found["place"].as_str()),
        (Some("ask"), Some("BROWSE_DIALOGS"))
    );
    let output = project.run(&["config", "set", "dialogs", "accept"]);
    assert!(output.stderr.contains("BROWSE_DIALOGS has it too, and wins"), "{output:?}");
    assert_eq!(project.daemon_pid(), None, "no daemon is needed");
}

#[test]
fn what_a_daemon_would_refuse_is_not_written_and_can_be_removed() {
    let project = Project::new();
    let file = project.home().join("config.toml");
    for (words, reason) in [
        (&["config", "set", "idle_timeout", "soon"][..], "SETTING_INVALID"),
        (&["config", "set", "prot", "1"], "SETTING_INVALID"),
        (&["config", "set", "port", "0", "1"], "SETTING_INVALID"),
        (&["config", "unset", "prot"], "SETTING_INVALID"),
        (&["config", "set", "home", "/x"], "SETTING_INVALID"),
        (&["config", "set", "deny", "fetsch"], "SETTING_INVALID"),
        (&["config", "set", "chromium", "/x", "--in-project"], "SETTING_INVALID"),
        (&["config", "set", "port"], "ARGUMENT_INVALID"),
        (&["config", "get", "prot"], "ARGUMENT_INVALID"),
        (&["config", "sett", "port", "1"], "ARGUMENT_INVALID"),
        (&["config", "list", "--all"], "ARGUMENT_INVALID"),
        (&["--remote", "x", "config", "list"], "ARGUMENT_INVALID"),
    ] {
        assert_eq!(project.fail(words), (reason.to_owned(), 2), "{words:?}");
    }
    assert!(!file.exists());
    let output = project.run(&["config", "set", "port", "x"]);
    assert!(output.stderr.contains("`port` in the command line: `x` is not a port"), "{output:?}");
    // By hand, as an editor does.
    fs::create_dir_all(project.home()).expect("made");
    fs::write(&file, "# mine\nidle_timeout = \"soon\"\n").expect("written");
    assert_eq!(project.fail(&["url"]).0, "SETTING_INVALID");
    project.ok(&["config", "unset", "idle_timeout"]);
    project.ok(&["config", "set", "deny", "js", "skill run"]);
    let text = fs::read_to_string(&file).expect("there");
    assert_eq!(text, "deny = [\"js\", \"skill run\"]\n");
    project.ok(&["url"]);
    assert_eq!(project.fail(&["js", "1"]).0, "COMMAND_DENIED");
    let output = project.run(&["config", "unset", "deny"]);
    assert!(output.stderr.contains("`browse restart` applies this"), "{output:?}");
}

#[test]
fn a_misspelt_name_in_a_file_is_found_and_removed() {
    let project = Project::new();
    let file = project.home().join("config.toml");
    fs::create_dir_all(project.home()).expect("made");
    fs::write(&file, "prot = 1\nport = 0\n\n[security]\negres = \"warn\"\n").expect("written");
    for (words, near) in [
        (&["url"][..], "`port`"),
        (&["config", "get", "port"], "`port`"),
        (&["config", "list"], "`port`"),
    ] {
        let output = project.run(words);
        assert!(output.stderr.contains(&format!("did you mean {near}?")), "{output:?}");
    }
    assert!(project.ok(&["config", "unset", "prot"]).contains("is removed from"));
    assert!(project.run(&["config", "list"]).stderr.contains("did you mean `security_egress`?"));
    project.ok(&["config", "unset", "security_egres"]);
    project.ok(&["config", "list"]);
    assert_eq!(fs::read_to_string(&file).expect("there"), "port = 0\n\n[security]\n");
    assert!(project.ok(&["config", "unset", "deny"]).contains("was not set in"));
}

#[test]
fn what_may_be_a_secret_is_not_shown() {
    let project = Project::new();
    project.ok(&["config", "set", "tunnel_cmd", "tunnel --token hunter2 {url}"]);
    for words in [&["config"][..], &["config", "--json"], &["config", "get", "tunnel_cmd"]] {
        let output = project.run(words);
        assert!(!format!("{output:?}").contains("hunter2"), "{output:?}");
    }
    assert!(project.ok(&["config"]).contains("tunnel_cmd = (set, not shown)  # user "));
}
