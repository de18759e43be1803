//! Tunnels: a program that prints an address, and ends TLS with a certificate
//! of its own; with no browser behind it all.

mod start_failures;

use std::{fs, path::PathBuf, time::Duration};

use serde_json::Value;

use crate::project::{Project, eventually};

/// Longer than anything takes on a busy machine.
const WAIT_TIMEOUT: Duration = Duration::from_secs(30);

/// A tunnel of TLS and HTTP/1.1, which does to answers what a file says.
const TUNNEL: &str = include_str!("tunnel.py");

/// An owner, and the tunnel that it has.
struct Owner {
    project: Project,
}

impl Owner {
    fn new() -> Self {
        let project = Project::new().with("BROWSE_NO_BROWSER", "1");
        project.write("tunnel.py", TUNNEL);
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]);
        let made = made.expect("a certificate");
        project.write("cert.pem", &made.cert.pem());
        project.write("key.pem", &made.signing_key.serialize_pem());
        project.write("mode", "honest");
        Self { project }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.project.path().join(name)
    }

    fn command(&self) -> String {
        format!("python3 '{}' {{port}}", self.file("tunnel.py").display())
    }

    fn start(&self) -> Value {
        self.project.json(&["tunnel", "start", "--tunnel-cmd", &self.command(), "--yes"])
    }

    fn status(&self) -> Value {
        self.project.json(&["tunnel", "status"])
    }

    fn pair(&self) -> Value {
        self.project.json(&["pair", "new", "Laptop"])
    }

    /// An agent somewhere else, whose machine takes the word for the tunnel.
    fn agent(&self) -> Project {
        let roots = self.file("cert.pem").display().to_string();
        Project::new().with("SSL_CERT_FILE", &roots)
    }

    fn receipts(&self) -> PathBuf {
        self.project.home().join("tunnel/receipts/chain.jsonl")
    }

    fn events(&self) -> Vec<String> {
        let text = fs::read_to_string(self.receipts()).unwrap_or_default();
        let event = |line: &str| {
            let line: Value = serde_json::from_str(line).expect("a line of JSON");
            line["event"].as_str().expect("an event").to_owned()
        };
        text.lines().map(event).collect()
    }

    /// Waits until the tunnel that ran is known to have ended.
    fn ended(&self) -> String {
        let why = eventually(WAIT_TIMEOUT, || {
            let status = self.status();
            status["ended"].as_str().map(str::to_owned).ok_or(status)
        });
        why.expect("it has ended")
    }
}

#[test]
fn one_pairs_through_a_tunnel_that_ends_tls() {
    let owner = Owner::new();
    let project = &owner.project;
    let start = ["tunnel", "start", "--tunnel-cmd", &owner.command()];
    let refused = project.run(&start);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.stderr.contains("reachable from") && refused.stderr.contains("--yes"));
    assert!(owner.events().is_empty() && owner.status()["listener"] == "", "nothing was opened");
    let started = owner.start();
    assert_eq!(
        (started["provider"].as_str(), started["trust"].as_str()),
        (Some("command"), Some("session-key"))
    );
    assert_eq!(owner.events(), ["consent", "start", "open"]);
    assert_eq!(project.fail(&start), ("TUNNEL_RUNS".to_owned(), 1));
    let status = project.ok(&["tunnel", "status"]);
    assert!(status.contains("tunnel: command since 2") && status.contains("3, the chain holds"));

    let paired = owner.pair();
    let link = paired["link"].as_str().expect("a link").to_owned();
    let address = started["address"].as_str().expect("an address");
    let begin = format!("browse-pair://{address}/setup-");
    assert!(link.starts_with(&begin) && link.contains("/session-"), "{link}");
    assert_eq!(paired["trust"], "session-key");
    // Nobody vouches for the tunnel on this one.
    let unknown_peer = Project::new();
    assert_eq!(unknown_peer.fail(&["redeem", &link]), ("REMOTE_MISMATCH".to_owned(), 3));

    // What was changed on the way is not an answer.
    let agent = owner.agent();
    let file = agent.home().join("remotes/laptop.json");
    for mode in ["flip", "scopes", "replay"] {
        project.write("mode", mode);
        assert_eq!(agent.fail(&["redeem", &link]), ("REMOTE_UNPROVEN".to_owned(), 3), "{mode}");
        assert!(!file.exists(), "{mode}");
    }
    project.write("mode", "honest");
    let redeemed = agent.ok(&["redeem", &link]);
    assert!(redeemed.starts_with("laptop: read,write hosts:* until 2"), "{redeemed}");
    // Who ended TLS has seen neither key, and not the token.
    let seen = String::from_utf8_lossy(&fs::read(owner.file("seen")).expect("a file")).into_owned();
    let kept: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
    let token = kept["token"].as_str().expect("a token");
    assert!(seen.contains("sealed-"), "it has seen the request");
    for secret in ["key", "session_key"] {
        assert!(!seen.contains(paired[secret].as_str().expect("a secret")), "{secret}");
    }
    assert!(!seen.contains(token));
    let who = agent.ok(&["--remote", "laptop", "whoami"]);
    assert!(who.contains("name: laptop"), "{who}");
    assert_eq!(agent.ok(&["--remote", "laptop", "tabs"]), "");
    assert_eq!(agent.fail(&["--remote", "laptop", "tunnel", "status"]).0, "TUNNEL_DENIED");
    assert_eq!(agent.fail(&["redeem", &link]).0, "SETUP_KEY_INVALID");
    // A page of the tunnel is not an answer of the daemon.
    project.write("mode", "page");
    let page = agent.run(&["--remote", "laptop", "whoami"]);
    assert!(page.stderr.contains("HTTP 200 with `text/html`"), "{page:?}");
    assert!(page.stderr.contains("browse tunnel status"), "{page:?}");
    assert_eq!(agent.fail(&["--remote", "laptop", "whoami"]), ("REMOTE_FOREIGN".to_owned(), 4));
    project.write("mode", "honest");

    // The SDK for Python shows the tunnel no more than that.
    let paired = project.json(&["pair", "new", "python"]);
    let script = "import sys, browse_sdk\nbrowse_sdk.redeem(sys.argv[1], keep='python')";
    let mut python = std::process::Command::new("python3");
    python.args(["-B", "-c", script, paired["link"].as_str().expect("a link")]);
    let sources = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../sdk-python/src");
    python.env("PYTHONPATH", sources).env("BROWSE_HOME", agent.home());
    let done = python.env("SSL_CERT_FILE", owner.file("cert.pem")).output().expect("it is there");
    assert!(done.status.success(), "{done:?}");
    let kept = fs::read(agent.home().join("remotes/python.json")).expect("a file");
    let kept: Value = serde_json::from_slice(&kept).expect("JSON");
    let seen = String::from_utf8_lossy(&fs::read(owner.file("seen")).expect("a file")).into_owned();
    assert!(!seen.contains(kept["token"].as_str().expect("a token")));
    assert!(!seen.contains(paired["key"].as_str().expect("a key")));
    let who = agent.ok(&["--remote", "python", "whoami"]);
    assert!(who.contains("name: python"), "{who}");
    project.ok(&["pair", "revoke", "python"]);

    assert_eq!(project.ok(&["tunnel", "stop"]), "stopped\n");
    let gone = agent.run(&["--remote", "laptop", "whoami"]);
    assert!(!gone.stderr.contains("browse restart") && gone.stderr.contains("ask the owner"));
    assert_eq!(agent.fail(&["--remote", "laptop", "whoami"]).0, "DAEMON_UNREACHABLE");
    assert_eq!(project.ok(&["tunnel", "stop"]), "none ran\n");
    assert_eq!(owner.events(), ["consent", "start", "open", "end"]);
    assert_ne!(owner.status()["listener"], "", "somebody is paired");
    project.ok(&["pair", "revoke", "laptop"]);
    assert_eq!(owner.status()["listener"], "", "the listener goes with the last");
    // What was agreed to once is not asked again.
    project.ok(&start);
    project.ok(&["pair", "new", "one"]);
    project.ok(&["pair", "revoke", "one"]);
    assert_ne!(owner.status()["listener"], "", "the tunnel forwards to it");
    project.ok(&["tunnel", "stop"]);
    assert_eq!(owner.status()["listener"], "");
}

#[test]
fn no_tunnel_outlives_its_program_or_its_daemon() {
    let owner = Owner::new();
    let mine = || {
        let all = owner.project.processes();
        all.into_iter().filter(|(_, line)| line.contains("tunnel.py")).collect::<Vec<_>>()
    };
    owner.start();
    let kill = |pid: u32| {
        let killed = std::process::Command::new("kill").args(["-9", &pid.to_string()]).status();
        assert!(killed.expect("there is kill").success());
    };
    kill(mine().first().expect("the program runs").0);
    assert!(owner.ended().contains("code 137"), "{}", owner.ended());
    assert_eq!(owner.events(), ["consent", "start", "open", "end"]);
    let closed = eventually(WAIT_TIMEOUT, || {
        let status = owner.status();
        if status["listener"] == "" { Ok(()) } else { Err(status) }
    });
    assert!(closed.is_ok(), "{closed:?}");
    owner.start();
    assert!(!mine().is_empty());
    kill(owner.project.daemon_pid().expect("a daemon"));
    owner.project.assert_empty_within(WAIT_TIMEOUT);
    // The chain goes on where it was.
    owner.start();
    assert_eq!(owner.status()["receipts"], 8);
    // An end in order leaves nothing either, and is written down.
    owner.project.ok(&["stop"]);
    owner.project.assert_empty_within(WAIT_TIMEOUT);
    assert_eq!(owner.events().last().map(String::as_str), Some("end"));
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_of_a_tunnel_outlives_its_supervisors() {
    let owner = Owner::new();
    let path = owner.file("tunnel.py").display().to_string();
    // One that leaves its group and its session, and loses its parent.
    let command = format!("sh -c 'setsid sleep 1000 & exec python3 {path} {{port}}'");
    let mine = || {
        let all = owner.project.processes();
        let mine = |line: &str| line.contains("tunnel.py") || line.contains("sleep 1000");
        all.into_iter().filter(|(_, line)| mine(line)).collect::<Vec<_>>()
    };
    let start = ["tunnel", "start", "--yes", "--tunnel-cmd", &command];
    for victims in ["outer", "inner", "both"] {
        owner.project.json(&start);
        let both =
            eventually(WAIT_TIMEOUT, || if mine().len() >= 2 { Ok(()) } else { Err(mine()) });
        assert!(both.is_ok(), "{both:?}");
        let outer = owner.status()["pid"].as_u64().expect("a supervisor").to_string();
        let children = fs::read_to_string(format!("/proc/{outer}/task/{outer}/children"));
        let children = children.expect("it runs");
        let inner = children.split(' ').next().expect("a child");
        let kill = |args: &[&str]| {
            let killed = std::process::Command::new("kill").args(args).status();
            assert!(killed.expect("there is kill").success());
        };
        match victims {
            "outer" => kill(&["-9", &outer]),
            "inner" => kill(&["-9", inner]),
            _ => {
                // So that neither sees the other go.
                kill(&["-STOP", inner]);
                kill(&["-9", &outer, inner]);
            }
        }
        let gone =
            eventually(WAIT_TIMEOUT, || if mine().is_empty() { Ok(()) } else { Err(mine()) });
        assert!(gone.is_ok(), "{victims}: {gone:?}");
        owner.ended();
    }
}

#[test]
fn what_does_not_start_says_why_and_leaves_nothing() {
    let owner = Owner::new();
    let project = &owner.project;
    let fail = |command: &str| {
        let words = ["tunnel", "start", "--tunnel-cmd", command, "--yes"];
        // A program has half of the time to print an address.
        let short = ["--timeout", "10s"];
        let short = if command.contains("page; sleep") { &short[..] } else { &[] };
        let failed = project.fail(&[&words[..], short].concat());
        assert_eq!(owner.status()["listener"], "", "{command}");
        failed.0
    };
    assert_eq!(fail("no-such-program-anywhere"), "TUNNEL_PROGRAM_MISSING");
    assert_eq!(fail("sh -c 'echo it broke >&2; exit 3'"), "TUNNEL_ENDED");
    assert_eq!(fail("sh -c 'echo https://a.example/page; sleep 600'"), "TUNNEL_ADDRESS_MISSING");
    // Who forwards plain HTTP would show tokens to everybody on the way.
    assert_eq!(fail("sh -c 'echo url: http://a.example/; sleep 600'"), "TUNNEL_PLAIN");
    assert_eq!(project.fail(&["tunnel", "start"]).0, "ARGUMENT_INVALID");
    assert_eq!(project.fail(&["tunnel", "start", "--provider", "x"]).0, "ARGUMENT_INVALID");
    let reported =
        project.run(&["tunnel", "start", "--tunnel-cmd", "sh -c 'echo it broke; exit 3'", "--yes"]);
    assert!(reported.stderr.contains("ended with code 3: it broke"), "{reported:?}");

    let again = "run `browse tunnel start --tunnel-cmd \"sh -c 'echo it broke; exit 3'\"`";
    assert!(reported.stderr.contains(again), "{reported:?}");
    start_failures::what_its_path_says(&owner);
    start_failures::whoever_stops_it_is_told_how_to_start_it(&owner);

    // An agent of ngrok of the user's, as far as it can be played.
    let refused = "sh -c 'echo \"err=authentication failed ERR_NGROK_4018\"; exit 1'";
    assert_eq!(fail(refused), "TUNNEL_TOKEN_MISSING");

    // Without a receipt nothing is forwarded.
    let text = fs::read_to_string(owner.receipts()).expect("receipts");
    let line = 2;
    let changed: Vec<_> = text
        .lines()
        .enumerate()
        .map(
            |(at, text)| {
                if at + 1 == line { text.replace("root", "toor") } else { text.to_owned() }
            },
        )
        .collect();
    fs::write(owner.receipts(), changed.join("\n") + "\n").expect("it is written");
    let broken = owner.status()["broken"].as_str().unwrap_or_default().to_owned();
    assert!(broken.starts_with("chain.jsonl:2: "), "{broken}");
    assert_eq!(fail(&owner.command()), "RECEIPTS_BROKEN");
    let open = |mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(owner.receipts(), mode).expect("a mode");
    };
    open(0o666);
    assert_eq!(fail(&owner.command()), "RECEIPTS_UNUSABLE");
    let status = project.ok(&["tunnel", "status"]);
    assert!(status.contains("BROKEN") && status.contains("written by others"), "{status}");
    open(0o600);
    let folder = owner.receipts().parent().expect("a folder").to_owned();
    fs::remove_dir_all(&folder).expect("it goes");
    // An end that cannot be written is reported, and written when it can be.
    owner.start();
    let aside = folder.with_extension("aside");
    fs::rename(&folder, &aside).expect("it is moved");
    fs::write(&folder, "").expect("it is written");
    project.ok(&["tunnel", "stop"]);
    let owed = owner.status()["unwritten"].as_str().unwrap_or_default().to_owned();
    assert!(owed.starts_with("`end` of "), "{owed}");
    assert!(project.ok(&["tunnel", "status"]).contains("NOT WRITTEN: `end`"));
    fs::remove_file(&folder).expect("it goes");
    fs::rename(&aside, &folder).expect("it is back");
    assert_eq!(owner.status()["unwritten"], Value::Null);
    assert_eq!(owner.events(), ["consent", "start", "open", "end"]);
    fs::remove_dir_all(&folder).expect("it goes");
    fs::write(&folder, "").expect("it is written");
    assert_eq!(fail(&owner.command()), "RECEIPTS_UNUSABLE");
    assert!(!project.processes().iter().any(|(_, line)| line.contains("tunnel.py")));
}

#[test]
fn settings_open_the_listener_and_start_what_was_agreed_to() {
    let local = Project::new().with("BROWSE_NO_BROWSER", "1").with("BROWSE_TUNNEL_LOCAL_ONLY", "1");
    local.ok(&["tabs"]);
    let listener = eventually(WAIT_TIMEOUT, || {
        let status = local.json(&["tunnel", "status"]);
        let listener = status["listener"].as_str().unwrap_or_default().to_owned();
        if listener.is_empty() { Err(status) } else { Ok(listener) }
    });
    assert!(listener.expect("it is open").starts_with("127.0.0.1:"));
    let words = ["tunnel", "start", "--provider", "none", "--yes"];
    assert_eq!(local.fail(&words).0, "TUNNEL_LOCAL_ONLY");

    let owner = Owner::new();
    owner.start();
    owner.project.ok(&["stop"]);
    let mut start = owner.project.command(&["tabs"]);
    start.env("BROWSE_TUNNEL", "command").env("BROWSE_TUNNEL_CMD", owner.command());
    assert!(start.status().expect("browse is built").success());
    let state = eventually(WAIT_TIMEOUT, || {
        let status = owner.status();
        if status["state"] == "running" { Ok(()) } else { Err(status) }
    });
    assert!(state.is_ok(), "{state:?}");
    owner.project.ok(&["stop"]);
    // Nobody has agreed to this one.
    let mut start = owner.project.command(&["tabs"]);
    start.env("BROWSE_TUNNEL", "ngrok");
    assert!(start.status().expect("browse is built").success());
    let why = owner.ended();
    assert!(why.starts_with("did not start: ") && why.contains("ngrok"), "{why}");
}
