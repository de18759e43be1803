//! Pairing by the command line on both sides, with no browser between.

use std::{fs, os::unix::fs::PermissionsExt as _, time::Duration};

use serde_json::Value;

use crate::project::{Project, eventually};

fn pair(owner: &Project, args: &[&str]) -> Value {
    owner.json(&[&["pair", "new"], args].concat())
}

#[test]
fn one_redeems_what_the_other_pairs() {
    let owner = Project::new().with("BROWSE_NO_BROWSER", "1");
    let agent = Project::new();
    let twins = pair(&owner, &["twins"]);
    let both = [(); 2].map(|()| {
        let mut redeem = agent.command(&["redeem", twins["link"].as_str().expect("a link")]);
        redeem.stdout(std::process::Stdio::null()).spawn().expect("browse is built")
    });
    for mut redeem in both {
        assert!(redeem.wait().expect("it ends").success());
    }
    // The later of their tokens is good, and is the one that was kept.
    assert!(agent.ok(&["--remote", "twins", "whoami"]).contains("name: twins"));
    owner.ok(&["pair", "revoke", "twins"]);
    let paired = pair(&owner, &["Laptop", "--scope", "read,write", "--ttl", "1h"]);
    let link = paired["link"].as_str().expect("a link").to_owned();
    let redeemed = agent.ok(&["redeem", &link]);
    assert!(redeemed.starts_with("laptop: read,write hosts:* until 2"), "{redeemed}");
    let file = agent.home().join("remotes/laptop.json");
    let mode = fs::metadata(&file).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let remote = |args: &[&str]| agent.ok(&[&["--remote", "laptop"], args].concat());
    let who = remote(&["whoami"]);
    assert!(who.contains("name: laptop") && who.contains("kind: paired"), "{who}");
    assert_eq!(agent.fail(&["--remote", "laptop", "js", "1"]).0, "TUNNEL_DENIED");
    assert_eq!(agent.fail(&["--remote", "laptop", "stop"]).0, "TUNNEL_DENIED");
    assert_eq!(agent.fail(&["--remote", "laptop", "skill", "list"]).0, "TUNNEL_DENIED");
    let other = agent.run(&["--remote", "other", "whoami"]);
    assert!(other.stderr.contains("there is no remote `other`; there is `laptop`"), "{other:?}");
    assert!(agent.fail(&["--remote", "../x", "whoami"]).0 == "ARGUMENT_INVALID");
    // The key is spent, and the project of the agent runs no daemon of its own.
    assert_eq!(agent.fail(&["redeem", &link]), ("SETUP_KEY_INVALID".to_owned(), 3));
    assert_eq!(agent.daemon_pid(), None);
    let list = owner.ok(&["pair", "list"]);
    assert!(list.starts_with("laptop active read,write hosts:* session:pair-laptop-"), "{list}");
    // It is written beside the calls.
    let logged = eventually(Duration::from_secs(20), || match owner.ok(&["pair", "log"]) {
        log if log.contains(" TUNNEL_DENIED ") && log.contains(" SETUP_KEY_INVALID ") => Ok(()),
        log => Err(log),
    });
    logged.expect("refusals are in the log");

    // A proxy in between has another key, and can read nothing.
    let text = fs::read_to_string(&file).expect("a file");
    let pin = paired["fingerprint"].as_str().expect("a fingerprint");
    fs::write(&file, text.replace(pin, &"0".repeat(64))).expect("it is written");
    assert_eq!(agent.fail(&["--remote", "laptop", "whoami"]), ("REMOTE_MISMATCH".to_owned(), 3));
    fs::write(&file, &text).expect("it is written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("a mode");
    assert_eq!(agent.fail(&["--remote", "laptop", "whoami"]).0, "REMOTE_FILE_INVALID");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("a mode");

    assert_eq!(
        owner.ok(&["pair", "revoke", "laptop"]),
        "revoked laptop; 0 tabs closed, 0 released\n"
    );
    assert_eq!(agent.fail(&["--remote", "laptop", "whoami"]).0, "DAEMON_UNREACHABLE");
    let gone = agent.run(&["--remote", "laptop", "whoami"]);
    assert!(gone.stderr.contains("ask the owner") && !gone.stderr.contains("restart"), "{gone:?}");
    // What speaks no TLS there is no daemon of ours.
    let plain = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = paired["address"].as_str().expect("an address");
    let there = plain.local_addr().expect("bound").to_string();
    fs::write(&file, text.replace(address, &there)).expect("it is written");
    let page = std::thread::spawn(move || {
        let (mut stream, _) = plain.accept().expect("a call");
        let mut greeting = [0; 16];
        let _ = std::io::Read::read(&mut stream, &mut greeting);
        let _ = std::io::Write::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n");
        stream
    });
    assert_eq!(agent.fail(&["--remote", "laptop", "whoami"]), ("REMOTE_FOREIGN".to_owned(), 4));
    drop(page.join());
    assert_eq!(owner.fail(&["pair", "revoke", "laptop"]).0, "PAIRING_NOT_FOUND");
    let secrets = [paired["key"].as_str().expect("a key"), &text];
    for place in [owner.path().join(".browse"), owner.home().join("security")] {
        for entry in fs::read_dir(place).expect("a folder").flatten() {
            let found = fs::read_to_string(entry.path()).unwrap_or_default();
            assert!(!secrets.iter().any(|secret| found.contains(*secret)), "{entry:?}");
        }
    }
}

#[test]
fn what_cannot_be_paired_is_told_why() {
    let owner = Project::new().with("BROWSE_NO_BROWSER", "1");
    for (args, reason) in [
        (&["root"][..], "PAIRING_NAME_INVALID"),
        (&["ROOT"], "PAIRING_NAME_INVALID"),
        (&["a b"], "PAIRING_NAME_INVALID"),
        (&["ada", "--scope", "all"], "ARGUMENT_INVALID"),
        (&["ada", "--host", "https://a.b/"], "ARGUMENT_INVALID"),
        (&["ada", "--ttl", "30d"], "ARGUMENT_INVALID"),
        (&["ada", "--rate", "0"], "ARGUMENT_INVALID"),
        (&["ada", "--listen", "0.0.0.0:0"], "ARGUMENT_INVALID"),
        (&["ada", "--listen", "192.0.2.1:0"], "TUNNEL_UNAVAILABLE"),
        (&["ada", "--session", "default", "--host", "a.b"], "PAIRING_HOSTS_UNHELD"),
        (&["ada", "--dashboard", "--host", "a.b"], "ARGUMENT_INVALID"),
        (&["ada", "--dashboard", "--tab-policy", "own"], "ARGUMENT_INVALID"),
        (&["ada", "--dashboard", "--session", "default"], "ARGUMENT_INVALID"),
        (&["17", "--dashboard"], "PAIRING_NAME_INVALID"),
    ] {
        let (found, _) = owner.fail(&[&["pair", "new"], args].concat());
        assert_eq!(found, reason, "{args:?}");
    }
    assert_eq!(owner.ok(&["pair", "list"]), "", "nothing of it is left");
    let pin = "0a".repeat(32);
    let nowhere = format!("browse-pair://:9443/setup-00ff/pin-{pin}");
    for link in [&nowhere, "", "setup-1", "https://example.com", "browse-pair://a:1/setup-1/pin-1"]
    {
        assert_eq!(owner.fail(&["redeem", link]).0, "PAIRING_LINK_INVALID", "{link}");
    }
}
