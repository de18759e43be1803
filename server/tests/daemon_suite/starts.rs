//! Start and orderly end.

use std::{fs, net::TcpListener, os::unix::fs::PermissionsExt, time::Duration};

use browse_proto::v1;

use super::process::{Place, reason, until};

#[test]
fn of_fifty_starts_one_serves() {
    let place = Place::new();
    let mut all: Vec<_> = (0..50).map(|_| place.spawn(&[])).collect();
    let pid = place.state()["pid"].as_u64().unwrap();
    for daemon in &mut all {
        if u64::from(daemon.child.id()) != pid {
            assert!(daemon.end().success(), "{}", daemon.log_text());
            assert!(daemon.log_text().contains("already runs"), "{}", daemon.log_text());
        }
    }
    assert_eq!(all.iter_mut().filter_map(|daemon| daemon.lives().then_some(())).count(), 1);
    assert_eq!(place.state()["pid"].as_u64().unwrap(), pid);
}

#[tokio::test]
async fn stop_answers_and_leaves_nothing() {
    let place = Place::new();
    let mut daemon = place.spawn(&[]);
    let client = place.client().await;
    let mode = fs::metadata(place.file("daemon.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let token = place.state()["token"].as_str().unwrap().to_owned();
    client.stop().await;
    assert!(daemon.end().success());
    assert!(place.is_gone());
    let log = fs::read_to_string(place.file("daemon.log")).unwrap();
    assert!(log.contains("the daemon ends") && !log.contains(&token), "{log}");
    until("the guardian's end", || place.processes().is_empty().then_some(()));
    let left: Vec<_> =
        fs::read_dir(place.file("")).unwrap().flatten().map(|e| e.file_name()).collect();
    assert!(
        left.iter().all(|name| ["daemon.log", ".gitignore"].iter().any(|own| name == own)),
        "{left:?}"
    );
}

#[tokio::test]
async fn a_signal_ends_it_in_order() {
    let place = Place::new();
    let mut daemon = place.spawn(&[]);
    place.state();
    let pid = nix::unistd::Pid::from_raw(i32::try_from(daemon.child.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    assert!(daemon.end().success());
    assert!(place.is_gone());
}

#[tokio::test]
async fn restart_puts_a_new_daemon_in_the_place_of_the_old() {
    let place = Place::new();
    let daemon = place.spawn(&[]);
    let before = place.state();
    let client = place.client().await;
    client.daemon().restart(client.ask(v1::RestartRequest {})).await.unwrap();
    let after = until("the new daemon", || {
        let state = fs::read(place.file("daemon.json")).ok()?;
        let state: serde_json::Value = serde_json::from_slice(&state).ok()?;
        (state["started_at"] != before["started_at"]).then_some(state)
    });
    assert_eq!(after["pid"].as_u64().unwrap(), u64::from(daemon.child.id()));
    assert_ne!(after["token"], before["token"]);
    assert_eq!(place.client().await.status().await.unwrap().pid, daemon.child.id());
}

#[tokio::test]
async fn the_token_of_the_last_daemon_is_foreign_to_the_next() {
    let place = Place::new();
    let mut daemon = place.spawn(&[]);
    let old = place.state();
    place.client().await.stop().await;
    daemon.end();
    let _daemon = place.spawn(&[]);
    let mut mixed = place.state();
    mixed["token"] = old["token"].clone();
    let refused = super::process::Client::of(&mixed).await.status().await.unwrap_err();
    assert_eq!(reason(&refused), "TOKEN_FOREIGN");
}

#[test]
fn nobody_calls_and_it_ends() {
    let mut place = Place::new();
    place.variables.push(("BROWSE_IDLE_TIMEOUT", "200".to_owned()));
    let mut daemon = place.spawn(&[]);
    assert!(daemon.end().success());
    assert!(place.is_gone());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_flight_is_not_idle() {
    let mut place = Place::new();
    place.variables.push(("BROWSE_IDLE_TIMEOUT", "300".to_owned()));
    let mut daemon = place.spawn(&[]);
    let client = place.client().await;
    let follow = client.ask(v1::ActivityRequest { follow: true });
    let following = client.daemon().activity(follow).await.unwrap();
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert!(daemon.lives());
    drop(following);
    assert!(daemon.end().success());
}

#[test]
fn a_taken_port_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let place = Place::new();
    let mut daemon = place.spawn(&["--port", &port]);
    assert_eq!(daemon.end().code(), Some(4));
    let log_text = daemon.log_text();
    assert!(
        log_text.contains(&format!("port {port}")) && log_text.contains("PORT_TAKEN"),
        "{log_text}"
    );
    assert!(place.is_gone());
    let _next = place.spawn(&[]);
    place.state();
}

#[test]
fn a_bad_setting_names_file_and_line() {
    let place = Place::new();
    fs::create_dir(place.file("")).unwrap();
    fs::write(place.file("config.toml"), "port = 0\nprot = 1\n").unwrap();
    let mut daemon = place.spawn(&[]);
    assert_eq!(daemon.end().code(), Some(2));
    let log_text = daemon.log_text();
    assert!(
        log_text.contains("config.toml:2") && log_text.contains("SETTING_INVALID"),
        "{log_text}"
    );
}

#[tokio::test]
async fn a_damaged_state_file_is_replaced() {
    let place = Place::new();
    fs::create_dir(place.file("")).unwrap();
    fs::write(place.file("daemon.json"), "{\"pid\": 1, \"addr").unwrap();
    let _daemon = place.spawn(&[]);
    assert!(place.client().await.status().await.is_ok());
}

#[test]
fn a_folder_in_the_place_of_the_state_file_is_an_error() {
    let place = Place::new();
    fs::create_dir_all(place.file("daemon.json/x")).unwrap();
    let mut daemon = place.spawn(&[]);
    assert_ne!(daemon.end().code(), Some(0));
    assert!(daemon.log_text().contains("daemon.json"), "{}", daemon.log_text());
    assert!(place.file("daemon.json/x").exists());
}

#[test]
fn a_link_in_a_cloned_project_is_not_followed() {
    let place = Place::new();
    fs::create_dir(place.file("")).unwrap();
    let victim = place.project().join("victim");
    fs::write(&victim, "untouched").unwrap();
    std::os::unix::fs::symlink(&victim, place.file("console.log")).unwrap();
    let mut daemon = place.spawn(&[]);
    assert_eq!(daemon.end().code(), Some(4));
    assert!(daemon.log_text().contains("is a link"), "{}", daemon.log_text());
    assert_eq!(fs::read_to_string(victim).unwrap(), "untouched");
}

#[test]
fn a_place_that_cannot_be_written_is_an_error() {
    let mut place = Place::new();
    // Not even root can make a file there.
    place.variables.push(("BROWSE_STATE_FILE", "/proc/sys/none/daemon.json".to_owned()));
    let mut daemon = place.spawn(&[]);
    assert_ne!(daemon.end().code(), Some(0));
    let log_text = daemon.log_text();
    assert!(log_text.contains("/proc/sys/none") && log_text.contains("hint: "), "{log_text}");
}

#[tokio::test]
async fn without_a_browser_the_control_plane_answers_and_commands_say_why() {
    let place = Place::new();
    let _daemon = place.spawn(&[]);
    let client = place.client().await;
    // A command waits until it is known that there is none; the status does not.
    for _ in 0..2 {
        let refused = client.browser().text(client.ask(v1::TextRequest { target: None })).await;
        assert_eq!(reason(&refused.unwrap_err()), "BROWSER_MISSING");
    }
    assert_eq!(client.status().await.unwrap().browser.unwrap().state, "missing");
}
