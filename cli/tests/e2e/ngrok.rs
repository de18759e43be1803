//! Tunnels of ngrok: our program for them, and a service that is played.

use std::{fs, process::Command, time::Duration};

use serde_json::Value;

use crate::{
    played_ngrok::Ngrok,
    project::{Output, Project, browsed, eventually},
};

/// Longer than anything takes on a busy machine.
const WAIT_TIMEOUT: Duration = Duration::from_secs(60);

/// What the account is known by.
const TOKEN: &str = "2abcDEF0123456789_s3cretOfTheAccount";

const START: [&str; 5] = ["tunnel", "start", "--provider", "ngrok", "--yes"];

struct Owner {
    project: Project,
    service: Ngrok,
}

impl Owner {
    fn new() -> Self {
        Self::with(TOKEN)
    }

    /// An owner who has set this token.
    fn with(token: &str) -> Self {
        let service = Ngrok::start(TOKEN);
        let project = Project::new().with("BROWSE_NO_BROWSER", "1");
        let authority = project.write("ca.pem", service.authority()).display().to_string();
        let project = project
            .with("NGROK_AUTHTOKEN", token)
            .with("NGROK_SERVER_ADDR", &service.service())
            .with("NGROK_ROOT_CAS", &authority);
        Self { project, service }
    }

    fn status(&self) -> Value {
        self.project.json(&["tunnel", "status"])
    }

    /// Our programs that forward to the listener.
    fn programs(&self) -> Vec<u32> {
        let listener = self.status()["listener"].as_str().expect("a listener").to_owned();
        programs(&listener)
    }

    /// Waits until `status` has what is looked for.
    fn until<T>(&self, look: impl Fn(&Value) -> Option<T>) -> T {
        let found = eventually(WAIT_TIMEOUT, || {
            let status = self.status();
            look(&status).ok_or(status)
        });
        found.unwrap_or_else(|status| panic!("it never came: {status}"))
    }
}

fn programs(listener: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("a proc file system").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let own = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        line.contains("browse-ngrok\0") && line.contains(&format!("\0{listener}\0"))
    };
    pids.filter(own).collect()
}

fn kill(pid: u32) {
    let killed = Command::new("kill").args(["-9", &pid.to_string()]).status();
    assert!(killed.expect("there is kill").success());
}

#[test]
fn one_pairs_through_ngrok_with_nothing_but_a_token() {
    let owner = Owner::new();
    let project = &owner.project;
    let asked = project.run(&START[..4]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    assert!(asked.stderr.contains("through the servers of ngrok"), "{asked:?}");
    assert!(owner.service.requests().is_empty(), "nobody has agreed");
    let started = project.json(&START);
    assert_eq!(started["address"], owner.service.public());
    assert_eq!(started["trust"], "session-key");
    let paired = project.json(&["pair", "new", "Laptop"]);
    let link = paired["link"].as_str().expect("a link");

    let authority = project.path().join("ca.pem").display().to_string();
    let agent = Project::new().with("SSL_CERT_FILE", &authority);
    let redeemed = agent.ok(&["redeem", link]);
    assert!(redeemed.starts_with("laptop: read,write"), "{redeemed}");
    let who = agent.ok(&["--remote", "laptop", "whoami"]);
    assert!(who.contains("name: laptop"), "{who}");
    assert_eq!(agent.fail(&["--remote", "laptop", "tunnel", "status"]).0, "TUNNEL_DENIED");

    // The service goes away, which is reported, and comes back, which is not waited for.
    owner.service.go_away();
    let why = owner.until(|status| status["away"].as_str().map(str::to_owned));
    assert!(why.contains(&owner.service.service()), "{why}");
    assert_eq!(owner.status()["state"], "running");
    assert!(project.ok(&["tunnel", "status"]).contains("\naway: "));
    owner.service.come_back();
    let back = eventually(WAIT_TIMEOUT, || match agent.run(&["--remote", "laptop", "whoami"]) {
        Output { code: Some(0), .. } => Ok(()),
        other => Err(other),
    });
    assert!(back.is_ok(), "{back:?}");
    owner.until(|status| status["away"].is_null().then_some(()));

    // The token is where it belongs, and nowhere else.
    let log = fs::read_to_string(project.home().join("tunnel/receipts/chain.jsonl"));
    assert!(!log.expect("receipts").contains(TOKEN));
    let mut texts = vec![paired.to_string(), started.to_string(), owner.status().to_string()];
    texts.extend(project.processes().into_iter().map(|(_, line)| line));
    assert!(!texts.iter().any(|text| text.contains(TOKEN)));
    let holding = Command::new("grep").args(["-rl", TOKEN]).arg(project.user_home()).output();
    assert_eq!(Output::of(holding.expect("there is grep")).stdout, "", "it is in no file");

    let listener = owner.status()["listener"].as_str().expect("a listener").to_owned();
    assert_eq!(programs(&listener).len(), 1);
    assert_eq!(project.ok(&["tunnel", "stop"]), "stopped\n");
    assert!(programs(&listener).is_empty());
    // It ends with the daemon and with its supervisor, by whatever death.
    project.json(&START);
    let [program] = owner.programs()[..] else { panic!("{:?}", owner.programs()) };
    kill(u32::try_from(owner.status()["pid"].as_u64().expect("a pid")).expect("a pid"));
    owner.until(|status| (status["state"] == "ended").then_some(()));
    let gone = |pid: u32| {
        let left =
            eventually(WAIT_TIMEOUT, || match fs::read_to_string(format!("/proc/{pid}/stat")) {
                Ok(stat) if !stat.contains(") Z ") => Err(stat),
                _ => Ok(()),
            });
        assert!(left.is_ok(), "{left:?} is left");
    };
    gone(program);
    project.json(&START);
    let [program] = owner.programs()[..] else { panic!("{:?}", owner.programs()) };
    kill(project.daemon_pid().expect("a daemon"));
    gone(program);
    project.assert_empty_within(WAIT_TIMEOUT);
}

#[test]
fn what_ngrok_does_not_give_is_said() {
    let owner = Owner::with("wrong-token-of-mine");
    let failed = owner.project.run(&START);
    assert_eq!(failed.code, Some(2), "{failed:?}");
    assert!(failed.stderr.contains("(ERR_NGROK_105)"), "{failed:?}");
    assert!(failed.stderr.contains("Set NGROK_AUTHTOKEN to the token of https://"), "{failed:?}");
    assert!(failed.stderr.contains("'ngrok http {url} --log stdout'"), "{failed:?}");
    assert!(!failed.stderr.contains("wrong-token-of-mine"), "{failed:?}");
    assert_eq!(owner.status()["listener"], "");
    let with = |name: &str, value: &str| {
        let mut command = owner.project.command(&[&["--json"][..], &START].concat());
        let output = Output::of(command.env(name, value).output().expect("browse is built"));
        let document: Value = serde_json::from_str(&output.stdout).expect("JSON");
        document["error"].clone()
    };
    assert_eq!(with("NGROK_AUTHTOKEN", "")["reason"], "TUNNEL_TOKEN_MISSING");
    for (name, value) in [("NGROK_SERVER_ADDR", "a b"), ("NGROK_ROOT_CAS", "/dev/null")] {
        let wrong = with(name, value);
        assert_eq!(wrong["reason"], "NGROK_SETTING_INVALID", "{wrong}");
        let hint = wrong["hint"].as_str().unwrap_or_default();
        assert!(hint.contains(&format!("`unset {name}`")), "{hint}");
        assert!(hint.contains("`browse tunnel start --provider ngrok`"), "{hint}");
    }
    assert_eq!(with("NGROK_ROOT_CAS", "trusted")["reason"], "NGROK_UNTRUSTED");
    owner.service.refuse_agents("Your account is limited to 1 agent session.\n\nERR_NGROK_108");
    let limit = with("NGROK_AUTHTOKEN", TOKEN);
    assert_eq!(limit["reason"], "NGROK_REFUSED");
    assert!(
        limit["hint"].as_str().unwrap_or_default().contains("/errors/err_ngrok_108"),
        "{limit}"
    );
    owner.service.go_away();
    assert_eq!(with("NGROK_AUTHTOKEN", TOKEN)["reason"], "NGROK_UNREACHABLE");
    assert_eq!(
        owner.project.fail(&["tunnel", "start", "--provider", "ngrok", "--address", "a.b:1"]).0,
        "ARGUMENT_INVALID"
    );

    // A daemon that was installed without our program for it.
    let beside = browsed().parent().expect("a folder").to_owned();
    let folder = tempfile::Builder::new().prefix("alone-").tempdir_in(beside).expect("a folder");
    let daemon = folder.path().join("browsed");
    let linked = fs::hard_link(browsed(), &daemon);
    linked.or_else(|_| fs::copy(browsed(), &daemon).map(drop)).expect("a copy");
    let alone = Project::new().with("BROWSE_NO_BROWSER", "1").with("NGROK_AUTHTOKEN", TOKEN);
    let alone = alone.with("BROWSE_DAEMON", &daemon.display().to_string());
    let missing = alone.run(&START);
    assert_eq!(missing.code, Some(2), "{missing:?}");
    assert!(missing.stderr.contains("/browse-ngrok` is missing"), "{missing:?}");
    assert!(missing.stderr.contains("Install `browse-ngrok` beside `browsed`"), "{missing:?}");
    assert_eq!(alone.json(&["tunnel", "status"])["receipts"], 0);
}
