//! Where the daemon is found. One test: it changes the environment of a child,
//! never its own.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

/// What `examples/where` would say: the test binary runs itself.
fn found(folder: &Path, variables: &[(&str, &str)]) -> String {
    let me = std::env::current_exe().expect("a program");
    let mut child = Command::new(me);
    child.args(["--ignored", "--exact", "says_where", "--nocapture"]).current_dir(folder);
    child.env_clear().envs(variables.iter().copied());
    let output = child.output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.split_once("says: ").map(|(_, said)| said));
    line.unwrap_or_else(|| panic!("{text}")).to_owned()
}

#[test]
#[ignore = "run by the other test, in a folder and an environment of its own"]
fn says_where() {
    match browse_sdk::connect() {
        Ok(browse) => println!("says: {browse:?}"),
        Err(error) => println!("says: {}: {}", error.reason, error.message),
    }
}

#[test]
fn the_environment_counts_first_then_the_state_file_when_it_is_ours_alone() {
    let root = std::env::temp_dir().join(format!("browse-sdk-place-{}", std::process::id()));
    let deep = root.join("deep/er");
    fs::create_dir_all(&deep).expect("made");
    fs::create_dir_all(root.join(".git")).expect("made");
    fs::create_dir_all(root.join(".browse")).expect("made");
    assert!(found(&deep, &[]).starts_with("DAEMON_NOT_RUNNING"));
    let state = root.join(".browse/daemon.json");
    let write = |text: &str, mode: u32| {
        fs::write(&state, text).expect("written");
        fs::set_permissions(&state, fs::Permissions::from_mode(mode)).expect("set");
    };
    let good = r#"{"address": "http://127.0.0.1:7", "token": "t"}"#;
    write(good, 0o600);
    assert_eq!(found(&deep, &[]), "Browse { address: \"127.0.0.1:7\", .. }");
    let named = [("BROWSE_ADDR", "unix:/s"), ("BROWSE_SKILL_TOKEN", "a")];
    assert_eq!(found(&deep, &named), "Browse { address: \"unix:/s\", .. }");
    for (text, mode, fault) in [
        (good, 0o644, "others may open it"),
        ("{", 0o600, "it is no JSON"),
        (
            r#"{"address": "192.0.2.1:7", "token": "t"}"#,
            0o600,
            "its address is not on this machine",
        ),
        (r#"{"address": "127.0.0.1:7"}"#, 0o600, "it holds no token"),
    ] {
        write(text, mode);
        let said = found(&deep, &[]);
        assert!(said.starts_with("STATE_FILE_INVALID") && said.ends_with(fault), "{said}");
    }
    write(good, 0o600);
    fs::rename(&state, root.join("elsewhere")).expect("moved");
    std::os::unix::fs::symlink(root.join("elsewhere"), &state).expect("linked");
    assert!(found(&deep, &[]).contains("it is a link"));
    fs::remove_dir_all(root).expect("removed");
}
