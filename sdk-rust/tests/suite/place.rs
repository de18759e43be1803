//! Where the daemon is found. One test: it changes the environment of a child,
//! never its own.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::support::{Fake, Reply};

/// What `examples/where` would say: the test binary runs itself.
fn found(folder: &Path, variables: &[(&str, &str)]) -> String {
    run("place::says_where", folder, variables)
}

fn run(test: &str, folder: &Path, variables: &[(&str, &str)]) -> String {
    let me = std::env::current_exe().expect("a program");
    let mut child = Command::new(me);
    child.args(["--ignored", "--exact", test, "--nocapture"]).current_dir(folder);
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
#[ignore = "run by the other test, in a folder and an environment of its own"]
fn says_url() {
    match browse_sdk::connect().and_then(|browse| browse.url()) {
        Ok(url) => println!("says: {url}"),
        Err(error) => println!("says: {}: {}", error.reason, error.message),
    }
}

#[test]
fn the_environment_names_the_remote_and_the_session() {
    let home = std::env::temp_dir().join(format!("browse-sdk-named-{}", std::process::id()));
    fs::create_dir_all(home.join("remotes")).expect("made");
    let fake = Fake::tcp(|_| Reply::Messages(vec![r#"{"url":"u"}"#.to_owned()]));
    let path = home.join("remotes/prod.json");
    let document = format!(r#"{{"kind":"fleet","url":"http://{}","token":"good"}}"#, fake.address);
    fs::write(&path, document).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
    let folder = home.display().to_string();
    let of = |more: &[(&str, &str)]| {
        let variables = [("BROWSE_HOME", folder.as_str()), ("BROWSE_SESSION", "night")];
        run("place::says_url", &home, &[&variables[..], more].concat())
    };
    assert_eq!(of(&[("BROWSE_ADDR", fake.address.as_str()), ("BROWSE_TOKEN", "own")]), "u");
    let skill = [("BROWSE_ADDR", fake.address.as_str()), ("BROWSE_SKILL_TOKEN", "skill")];
    assert_eq!(of(&[&skill[..], &[("BROWSE_REMOTE", "prod")]].concat()), "u");
    let mut expected = vec![("Bearer own", "night"), ("Bearer skill", "night")];
    let named = of(&[("BROWSE_REMOTE", "prod"), ("BROWSE_ADDR", "127.0.0.1:1")]);
    let unknown = of(&[("BROWSE_REMOTE", "other")]);
    match cfg!(feature = "remote") {
        true => {
            expected.push(("Bearer good", "night"));
            assert_eq!(named, "u");
            assert!(unknown.starts_with("REMOTE_UNKNOWN"), "{unknown}");
        }
        false => assert!(named.starts_with("SETTING_INVALID"), "{named}"),
    }
    let calls = fake.seen();
    let seen: Vec<_> = calls
        .iter()
        .map(|call| (&*call.headers["authorization"], &*call.headers["browse-session"]))
        .collect();
    assert_eq!(seen, expected);
    fs::remove_dir_all(home).expect("removed");
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
