//! How a daemon comes, goes and is replaced.

use std::{fs, time::Duration};

use crate::{
    project::{Project, browsed, eventually},
    site::Site,
};

#[test]
fn a_daemon_that_cannot_start_says_why() {
    let site = Site::page("taken");
    let port = site.port().to_string();
    for (key, value, reason, code) in [
        ("BROWSE_PORT", port.as_str(), "PORT_TAKEN", 4),
        ("BROWSE_PORT", "many", "SETTING_INVALID", 2),
        ("BROWSE_IDLE_TIMEOUT", "soon", "SETTING_INVALID", 2),
        ("BROWSE_CHROMIUM", "/nowhere/chromium", "BROWSER_LAUNCH_FAILED", 4),
    ] {
        let project = Project::new().with(key, value);
        let failed = project.fail(&["url"]);
        assert_eq!((failed.0.as_str(), failed.1), (reason, code), "{key}={value}");
    }
}

#[test]
fn a_browser_that_does_not_start_is_chosen_anew_by_a_later_command() {
    let project = Project::new();
    let mut wrong = project.command(&["url"]);
    let output = wrong.env("BROWSE_CHROMIUM", "/nowhere/chromium").output().expect("it runs");
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let gone = || project.daemon_pid().map_or(Ok(()), Err);
    eventually(Duration::from_secs(10), gone).expect("the daemon ends by itself");
    project.ok(&["url"]);
}

#[test]
fn a_config_with_an_unknown_key_is_told_with_its_place() {
    let project = Project::new();
    fs::create_dir(project.path().join(".browse")).expect("a folder");
    project.write(".browse/config.toml", "idle_timeout = \"30m\"\nprot = 1\n");
    let output = project.run(&["url"]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(output.stderr.contains("prot") && output.stderr.contains("config.toml"), "{output:?}");
}

#[test]
fn a_home_that_is_a_file_is_told_with_its_place() {
    let project = Project::new();
    fs::write(project.home(), "").expect("a file");
    let output = project.run(&["url"]);
    assert_eq!(output.code, Some(2), "{output:?}");
    let home = project.home().display().to_string();
    assert!(output.stderr.contains(&format!("`{home}`, cannot be used: it is not a folder")));
    assert!(output.stderr.contains("set BROWSE_HOME"), "{output:?}");
}

#[test]
fn the_help_of_the_daemon_has_its_exit_codes() {
    let output = std::process::Command::new(browsed()).arg("--help").output().expect("it runs");
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(help.contains("Exit code:") && help.contains("a daemon already runs for"), "{help}");
}

#[test]
fn stop_and_restart_work_with_and_without_a_daemon() {
    let project = Project::new();
    assert_eq!(project.ok(&["stop"]), "not running\n");
    project.ok(&["restart"]);
    let first = project.daemon_pid().expect("a daemon");
    project.ok(&["newtab"]);
    assert!(project.ok(&["restart"]).starts_with("restarted"));
    assert!(project.daemon_pid().is_some(), "after {first}");
    assert_eq!(project.ok(&["tabs", "--raw"]), "");
    assert_eq!(project.ok(&["stop"]), "stopped\n");
    assert_eq!(project.daemon_pid(), None);
    assert_eq!(project.fail(&["status"]), ("DAEMON_NOT_RUNNING".to_owned(), 4));
}

#[test]
fn an_idle_daemon_of_another_build_is_replaced_and_its_tabs_are_reported() {
    let project = Project::new();
    project.ok(&["newtab"]);
    let old = project.daemon_pid();
    let other = project.path().join("browsed");
    fs::copy(browsed(), &other).expect("a copy, which is newer");
    let mut command = project.command(&["url"]);
    let output = command.env("BROWSE_DAEMON", other).output().expect("browse is built");
    let reported = String::from_utf8_lossy(&output.stderr);
    assert!(reported.contains("of another build; tabs lost: "), "{reported}");
    assert!(output.status.success());
    assert_ne!(project.daemon_pid(), old);
}

#[test]
fn a_process_that_is_no_daemon_is_never_signalled() {
    let project = Project::new();
    project.ok(&["tabs"]);
    let mut bystander = std::process::Command::new("sleep").arg("60").spawn().expect("sleep");
    let path = project.path().join(".browse/daemon.json");
    let text = std::fs::read_to_string(&path).expect("a state file");
    let own = format!("\"pid\":{},", project.daemon_pid().expect("a daemon"));
    let forged = text.replace(&own, &format!("\"pid\":{},", bystander.id()));
    std::fs::write(&path, forged).expect("a writable project");
    project.run(&["stop"]);
    assert!(bystander.try_wait().expect("a child").is_none(), "a bystander was ended");
    bystander.kill().expect("it lives");
    bystander.wait().expect("it was ended");
}
