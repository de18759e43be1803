//! How a daemon is found and started. What is started here is a shell script
//! that takes the lock and names the fake of the test in the state file.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use serde_json::json;
use tonic::Status;
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::fake::{Answer, Fake, output};

fn script(fake: &Fake, text: &str) -> PathBuf {
    let path = fake.project().join("browsed");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("its mode");
    path
}

/// A daemon that lives as long as the file `alive` is there.
fn daemon(fake: &Fake) -> PathBuf {
    fs::write(fake.project().join("alive"), "").expect("a file");
    let program = script(
        fake,
        r#"echo "$@" >> starts
           exec flock --nonblock --no-fork "$2" sh -c '
               mv state .browse/daemon.json; while [ -e alive ]; do sleep 0.05; done'"#,
    );
    let build_id = browse_proto::build_id(&program).expect("the script");
    fake.write_state(&fake.project().join("state"), &build_id);
    program
}

fn url() -> Fake {
    Fake::absent(&[("url", Answer::of([json!({"url": "http://a/"})]))])
}

#[test]
fn many_first_commands_start_one_daemon() {
    let fake = url();
    let program = daemon(&fake);
    let children: Vec<_> = (0..20)
        .map(|_| {
            let mut command = fake.command(&["url"]);
            command.env("BROWSE_DAEMON", &program).stdout(std::process::Stdio::piped());
            command.spawn().expect("browse is built")
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.stdout, b"http://a/\n");
    }
    let starts = fs::read_to_string(fake.project().join("starts")).expect("a start");
    let root = fs::canonicalize(fake.project()).expect("a folder");
    assert_eq!(starts, format!("--project {}\n", root.display()));
    let ignore = fs::read_to_string(fake.project().join(".browse/.gitignore")).expect("a file");
    assert!(ignore.contains("!skills/**"));
    fs::remove_file(fake.project().join("alive")).expect("it ends");
}

#[test]
fn a_daemon_that_ends_at_once_leaves_its_last_words() {
    let fake = url();
    let run = |text: &str| {
        let mut command = fake.command(&["url"]);
        command.env("BROWSE_DAEMON", script(&fake, text));
        output(command)
    };
    let reported =
        run("echo 'error: the port is taken\nhint: Unset it\nreason: PORT_TAKEN' >&2; exit 4");
    assert_eq!(reported.stderr, "error: the port is taken\nhint: Unset it\n");
    assert_eq!(reported.code, 4);
    let crash = run("echo 'panicked' >&2; exit 101");
    assert!(crash.stderr.contains("exit status: 101): panicked"), "{crash:?}");
    let missing = fake.run(&["url"]);
    assert!(missing.stderr.contains("`/nowhere/browsed` cannot be started"), "{missing:?}");
    assert!(missing.stderr.contains("BROWSE_DAEMON"), "{missing:?}");
    assert_eq!(missing.code, 4);
}

#[test]
fn what_a_dead_daemon_left_is_replaced() {
    let fake = url();
    let program = daemon(&fake);
    fs::create_dir(fake.project().join(".browse")).expect("a folder");
    fake.write_state(&fake.project().join(".browse/daemon.json"), "old");
    let mut command = fake.command(&["url"]);
    command.env("BROWSE_DAEMON", program);
    assert_eq!(output(command).stdout, "http://a/\n");
    assert!(fake.project().join("starts").exists());
    fs::remove_file(fake.project().join("alive")).expect("it ends");
}

#[test]
fn commands_about_the_daemon_start_none() {
    let fake = url();
    let status = fake.run(&["status"]);
    assert_eq!(status.code, 4);
    assert!(status.stderr.contains("no daemon runs"), "{status:?}");
    let stop = fake.run(&["stop"]);
    assert_eq!((stop.stdout.as_str(), stop.code), ("not running\n", 0));
    let version = fake.run(&["version"]);
    assert!(version.stdout.ends_with("browsed is not running\n"), "{version:?}");
    assert!(!fake.project().join(".browse").exists());
}

#[test]
fn a_foreign_or_damaged_state_file_is_refused() {
    let fake = url();
    let folder = fake.project().join(".browse");
    fs::create_dir(&folder).expect("a folder");
    let file = folder.join("daemon.json");
    fake.write_state(&file, "fake");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("its mode");
    let foreign = fake.run(&["url"]);
    assert!(foreign.stderr.contains("others may open it (mode 644)"), "{foreign:?}");
    fs::write(&file, "{\"pid\"").expect("a file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("its mode");
    let damaged = fake.run(&["url"]);
    assert!(damaged.stderr.contains("it is not JSON"), "{damaged:?}");
    assert_eq!((foreign.code, damaged.code), (4, 4));
    assert!(fake.seen().is_empty());
}

#[test]
fn a_busy_daemon_of_another_build_is_left_alone() {
    let status = json!({"calls": 1, "clients": []});
    let fake = Fake::new(&[
        ("url", Answer::of([json!({"url": "http://a/"})])),
        ("status", Answer::of([status])),
    ]);
    let mut command = fake.command(&["url"]);
    command.env("BROWSE_DAEMON", "/bin/sh");
    let output = output(command);
    assert_eq!(output.code, 4, "{output:?}");
    assert!(output.stderr.contains("browse restart"), "{output:?}");
    assert_eq!(fake.seen().len(), 1);
}

#[test]
fn a_daemon_that_is_shutting_down_is_waited_for() {
    let details = ErrorDetails::with_error_info("SHUTTING_DOWN", "browse", []);
    let status = Status::with_error_details(tonic::Code::Unavailable, "it ends", details);
    let mut fake = Fake::new(&[("status", Answer::failing(status))]);
    let mut command = fake.command(&["status"]);
    let waiting = command.stderr(std::process::Stdio::piped()).spawn().expect("browse is built");
    while fake.seen().is_empty() {
        std::thread::yield_now();
    }
    fake.end();
    let output = waiting.wait_with_output().expect("it ends");
    assert!(String::from_utf8_lossy(&output.stderr).contains("no daemon runs"), "{output:?}");
}

#[test]
fn a_project_that_cannot_be_written_is_told() {
    let fake = url();
    let mut command = fake.command(&["url"]);
    command.env("BROWSE_PROJECT", "/proc");
    let output = output(command);
    assert!(output.stderr.starts_with("error: `/proc/.browse` cannot be written: "), "{output:?}");
    assert!(output.stderr.contains("hint: Set BROWSE_PROJECT"), "{output:?}");
    assert_eq!(output.code, 2);
}
