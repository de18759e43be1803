//! Whatever is killed, nothing is left behind and the next command works.

use std::{
    fs,
    process::{Command, Stdio},
    time::Duration,
};

use crate::{
    project::{Project, eventually},
    site::Site,
};

/// The promise is two seconds; the rest is for busy machines.
const CLEAN: Duration = Duration::from_secs(10);

fn kill(pid: u32) {
    let done = Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status();
    assert!(done.is_ok());
}

fn browser_pid(project: &Project) -> Option<u32> {
    let processes = project.processes();
    let main = |line: &str| line.contains("remote-debugging-pipe") && !line.contains("--type=");
    processes.iter().find(|(_, line)| main(line)).map(|(pid, _)| *pid)
}

/// The temporary profiles that name this project's daemon die with it.
#[track_caller]
fn assert_clean(project: &Project) {
    project.assert_empty_within(CLEAN);
    let state = project.path().join(".browse/daemon.json");
    assert!(eventually(CLEAN, || (!state.exists()).then_some(()).ok_or(())).is_ok());
}

#[test]
fn a_killed_daemon_takes_everything_along() {
    let site = Site::page("<title>Alive</title>");
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    let profile = profile(&project);
    kill(project.daemon_pid().expect("a daemon"));
    assert_clean(&project);
    assert!(eventually(CLEAN, || (!profile.exists()).then_some(()).ok_or(())).is_ok());
    project.ok(&["goto", &site.url("/")]);
}

#[test]
fn a_killed_browser_is_reported_and_replaced() {
    let site = Site::page("<title>Alive</title>");
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    let daemon = project.daemon_pid();
    kill(browser_pid(&project).expect("a browser"));
    let output = project.run(&["goto", &site.url("/")]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stderr.contains("BROWSER_RESTARTED"), "the caller is notified: {output:?}");
    assert_eq!(project.daemon_pid(), daemon);
}

#[test]
fn a_killed_command_leaves_the_daemon_healthy() {
    let site = Site::page("<title>Alive</title>");
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    let mut child = project
        .command(&["goto", &site.url("/hang")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("browse is built");
    kill(child.id());
    child.wait().expect("it was killed");
    project.ok(&["goto", &site.url("/")]);
    assert!(project.ok(&["get", "title"]).contains("Alive"));
}

fn profile(project: &Project) -> std::path::PathBuf {
    let (_, line) = project
        .processes()
        .into_iter()
        .find(|(_, line)| line.contains("--user-data-dir="))
        .expect("a browser with a profile");
    let path = line.split("--user-data-dir=").nth(1).and_then(|rest| rest.split(' ').next());
    let path = std::path::PathBuf::from(path.expect("a path"));
    assert!(fs::metadata(&path).is_ok());
    path
}
