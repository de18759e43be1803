//! Skills that are run here and drive the browser of a fleet: what they do is what they do with
//! the browser of this machine, and what they may not do is refused on the way.

use std::{
    fs,
    net::TcpListener,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use browse_proto::Command as BrowseCommand;
use http::StatusCode;
use serde_json::{Value, json};

use crate::{
    login::Client,
    real_pods::RealPod,
    site::Site,
    support::{World, call, eventually},
};

const PAGE: &str = "<title>Shop</title><button onclick=\"document.title = 'Sold'\">Buy</button>
<a href=/a>Ropes</a> <a href=/b style='opacity: 0'>Words that no person sees on this page</a>";

/// Languages, each with its program.
const LANGUAGES: [&str; 3] = ["python", "typescript", "rust"];

/// A project with skills and a daemon of its own. Dropping it stops the daemon.
pub struct Workspace {
    client: Client,
}

impl Workspace {
    pub fn new() -> Self {
        let client = Client::new();
        fs::create_dir_all(client.folder().join("work")).expect("a folder");
        Self { client }
    }

    /// One that is signed in to the fleet with the key of `acme`.
    pub fn signed_in(world: &World) -> Self {
        let workspace = Self::new();
        workspace.sign_in(world, "acme-key");
        workspace
    }

    fn sign_in(&self, world: &World, key: &str) {
        fs::write(self.client.folder().join("work/key"), key).expect("written");
        let url = format!("http://{}", world.replicas[0].address);
        let login = self.run(&["login", &url, "--name", "fleet", "--token-file", "key"]);
        assert!(login.status.success(), "{login:?}");
    }

    fn project(&self) -> PathBuf {
        self.client.folder().join("work")
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("browse is built")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.client.command(args);
        command.env("PATH", path_with_node()).env("BROWSE_PROJECT", self.project());
        command.current_dir(self.project());
        for (name, folder) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
            let home = || Some(std::env::home_dir()?.join(folder).into());
            command.envs(std::env::var_os(name).or_else(home).map(|value| (name, value)));
        }
        command.envs(std::env::var_os("BROWSE_CHROMIUM").map(|value| ("BROWSE_CHROMIUM", value)));
        command
    }

    /// The result of a command that succeeds.
    #[track_caller]
    pub fn json(&self, args: &[&str]) -> Value {
        let output = self.run(&[&["--json", "--raw"], args].concat());
        assert!(output.status.success(), "{args:?}: {output:?}");
        let document: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
        document["result"].clone()
    }

    /// Reason and hint of a command that fails.
    #[track_caller]
    fn failure(&self, args: &[&str]) -> (String, String) {
        let output = self.run(&[&["--json"], args].concat());
        let document: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{args:?}: {error}: {output:?}"));
        let text = |name: &str| document["error"][name].as_str().unwrap_or("ok").to_owned();
        (text("reason"), text("hint"))
    }

    /// Writes a skill that may visit the site.
    pub fn skill(&self, name: &str, site: &Site, args: &str, files: &[(&str, String)]) {
        let folder = self.client.folder().join("home/skills").join(name);
        let manifest = format!(
            "---\nname: {name}\ndescription: Does it. Well.\nhost: '127.0.0.1:{}'\n{args}\n---\n\nProse.\n",
            site.port()
        );
        let manifest = ("SKILL.md", manifest);
        for (file, text) in files.iter().chain([&manifest]) {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, text).expect("written");
            let mode = if *file == "run" { 0o755 } else { 0o644 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
        }
    }

    /// The flow in each language.
    pub fn flows(&self, site: &Site) {
        let sdk = |path: &str| {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
            fs::read_to_string(root.join(path)).expect("an SDK")
        };
        for language in LANGUAGES {
            let files = match language {
                "python" => vec![
                    ("script.py", include_str!("skills/flow.py").to_owned()),
                    ("_lib/browse_sdk.py", sdk("sdk-python/vendor/browse_sdk.py")),
                ],
                "typescript" => vec![
                    ("script.ts", include_str!("skills/flow.ts").to_owned()),
                    ("_lib/browse.ts", sdk("sdk-ts/vendor/browse.ts")),
                ],
                _ => vec![
                    ("Cargo.toml", "[package]\nname = \"rust\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n".to_owned()),
                    ("Cargo.lock", "version = 4\n\n[[package]]\nname = \"rust\"\nversion = \"0.1.0\"\n".to_owned()),
                    ("src/main.rs", include_str!("skills/flow.rs").to_owned()),
                    ("_lib/browse_sdk.rs", sdk("sdk-rust/vendor/browse_sdk.rs")),
                ],
            };
            self.skill(language, site, "args: [{name: url, required: true}]", &files);
        }
    }

    /// How it stands with the browser of this machine.
    fn browser(&self) -> Value {
        self.json(&["status"])["browser"].clone()
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        self.run(&["stop"]);
    }
}

fn path_with_node() -> std::ffi::OsString {
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/node/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = fetched.is_dir().then_some(fetched).into_iter();
    std::env::join_paths(folders.chain(std::env::split_paths(&path))).unwrap_or(path)
}

fn path_of(command: &str) -> String {
    BrowseCommand::by_name(command).expect("a command").path.to_owned()
}

/// A pod whose pages may visit the site, and the world around it.
async fn fleet_for(site: &Site, name: &str) -> (World, RealPod) {
    let world = World::keeping_sessions(10).await;
    let hosts = ("BROWSE_POD_HOSTS", format!("127.0.0.1:{}", site.port()));
    let pod = RealPod::start(name, &world.pod_identity, &[hosts]).await;
    world.cluster.add_pod(pod.record.clone());
    // A pod without a session is deleted.
    let opened = world.call(0, "acme", "of-the-user", "tabs").await;
    assert_eq!(opened.reason(), "ok", "{opened:?}");
    (world, pod)
}

/// The names of the sessions of the tenant.
async fn sessions(world: &World) -> String {
    let listed = world.call(0, "acme", "of-the-user", "session list").await;
    assert_eq!(listed.reason(), "ok", "{listed:?}");
    listed.body.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_does_the_same_here_and_in_a_fleet() {
    let site = Site::page(PAGE);
    let (world, _pod) = fleet_for(&site, "skills-1").await;
    let (here, fleet) = (Workspace::new(), Workspace::signed_in(&world));
    here.flows(&site);
    fleet.flows(&site);
    let url = format!("url={}", site.url("/"));
    for language in LANGUAGES {
        let run = ["skill", "run", language, "--arg", &url];
        let expected = here.json(&run);
        assert_eq!(expected["title"], "Sold", "{language}");
        assert_eq!(fleet.json(&[&["--remote", "fleet"], &run[..]].concat()), expected);
    }
    let browser = fleet.browser();
    assert_eq!(browser["state"], "missing", "{browser}");
    // The list of skills is that of this machine.
    let listed = fleet.json(&["--remote", "fleet", "skill", "list", "--source", "global"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(LANGUAGES.len()), "{listed}");
    let (reason, hint) = fleet.failure(&["--remote", "fleet", "skill", "check", "python"]);
    assert!(reason == "FLEET_DENIED" && hint.contains("--remote"), "{reason} {hint}");
    // One that is trusted can act in the session of its user.
    fleet.json(&["skill", "trust", "python"]);
    let of_user = ["--remote", "fleet", "--session", "of-the-user"];
    fleet.json(&[&of_user[..], &["skill", "run", "python", "--arg", &url]].concat());
    let tabs = fleet.json(&[&of_user[..], &["tabs"]].concat());
    assert!(tabs.to_string().contains(&site.url("/")), "{tabs}");
    let (reason, _) =
        fleet.failure(&[&of_user[..], &["skill", "run", "typescript", "--arg", &url]].concat());
    assert_eq!(reason, "SESSION_DENIED");
    let open = sessions(&world).await;
    assert!(open.contains("of-the-user") && !open.contains("skill-"), "{open}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_is_held_to_what_it_declares_and_never_has_the_token_of_the_fleet() {
    let away = TcpListener::bind("127.0.0.1:0").expect("a port");
    away.set_nonblocking(true).expect("a listener");
    let away_url = format!("http://{}/", away.local_addr().expect("an address"));
    let page = format!(
        "<title>Home</title><a id=away href='{away_url}'>away</a><input id=file type=file>"
    );
    let site = Site::page(&page);
    let (world, _pod) = fleet_for(&site, "skills-2").await;
    let workspace = Workspace::signed_in(&world);
    let names = ["goto", "js", "upload", "batch", "click", "whoami"];
    let mut args = vec![format!("url={}", site.url("/")), format!("away={away_url}")];
    args.extend(names.map(|name| format!("{name}={}", path_of(name))));
    args.push(format!("close={}", path_of("session close")));
    let declared = args.iter().filter_map(|arg| arg.split('=').next());
    let declared: Vec<_> = declared.map(|name| format!("{{name: {name}}}")).collect();
    let manifest = format!("args: [{}]", declared.join(", "));
    let probe = include_str!("skills/probe.py").to_owned();
    workspace.skill("probe", &site, &manifest, &[("run", probe)]);
    let mut words = vec!["--remote", "fleet", "skill", "run", "probe"];
    args.iter().for_each(|arg| words.extend(["--arg", arg.as_str()]));
    let found = workspace.json(&words);
    let expected = json!({
        "home": "ok", "away": "HOST_DENIED", "metadata": "HOST_DENIED",
        "session": "SESSION_DENIED", "script": "SCOPE_DENIED", "close": "SCOPE_DENIED",
        "upload": "FLEET_DENIED",
    });
    assert_eq!(found["reasons"], expected, "{found}");
    assert!(found["batch"].as_str().is_some_and(|text| text.contains("HOST_DENIED")), "{found}");
    assert!(away.accept().is_err(), "nothing arrives");
    let identity = &found["identity"];
    assert_eq!(
        (&identity["kind"], &identity["scopes"]),
        (&json!("skill"), &json!(["read", "write"]))
    );
    assert_eq!(identity["hosts"], json!([format!("127.0.0.1:{}", site.port())]));
    assert!(!found.to_string().contains("acme-key"), "{found}");
    // Its token has ended with the run, and so has its session.
    let state =
        fs::read_to_string(workspace.project().join(".browse/daemon.json")).expect("a file");
    let state: Value = serde_json::from_str(&state).expect("JSON");
    let address = state["address"].as_str().expect("an address");
    let token = found["environment"]["BROWSE_SKILL_TOKEN"].as_str().expect("a token");
    let (reason, _) = workspace.failure(&["--addr", address, "--token", token, "url"]);
    assert_eq!(reason, "TOKEN_REVOKED");
    assert!(!sessions(&world).await.contains("skill-"), "it is closed");
    assert_eq!(workspace.browser()["state"], "missing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fleet_that_does_not_hold_skills_to_their_hosts_runs_none() {
    let site = Site::page(PAGE);
    let world = World::keeping_sessions(10).await;
    let pod = world.add_pod().await;
    let workspace = Workspace::signed_in(&world);
    workspace.skill("nothing", &site, "", &[("run", "#!/bin/sh\necho null\n".to_owned())]);
    let run = ["--remote", "fleet", "skill", "run", "nothing"];
    // First its tokens are those of skills and its answers are not; then neither are.
    for _ in 0..2 {
        let (reason, hint) = workspace.failure(&run);
        assert!(reason == "FLEET_DENIED" && hint.contains("upgrade"), "{reason} {hint}");
        pod.make_old();
    }
    assert!(pod.calls().iter().all(|call| !call.contains("goto")), "{:?}", pod.calls());
    // A token for one session has no other for the skill.
    workspace.sign_in(&world, "narrow-key");
    let (reason, hint) = workspace.failure(&run);
    assert!(reason == "SESSION_DENIED" && hint.contains("all sessions"), "{reason} {hint}");
    fs::remove_file(workspace.client.folder().join("home/remotes/fleet.json")).expect("removed");
    assert_eq!(workspace.failure(&run).0, "REMOTE_UNKNOWN");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_given_up_while_its_session_opens_leaves_none() {
    let site = Site::page(PAGE);
    let world = World::keeping_sessions(10).await;
    let pod = world.add_pod().await;
    let workspace = Workspace::signed_in(&world);
    workspace.skill("nothing", &site, "", &[("run", "#!/bin/sh\necho null\n".to_owned())]);
    // The daemon runs from now on.
    let (reason, _) = workspace.failure(&["--remote", "fleet", "skill", "run", "missing"]);
    assert_eq!(reason, "SKILL_NOT_FOUND");
    pod.hold_next(1);
    let mut run = workspace.command(&["--remote", "fleet", "skill", "run", "nothing"]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it is built");
    let session = eventually(|| {
        let calls = pod.calls();
        let opening = calls.iter().find_map(|call| call.strip_suffix(" tabs"))?;
        Some(opening.to_owned())
    })
    .await;
    run.kill().expect("it runs");
    run.wait().expect("it has ended");
    let close = format!("{session} session close");
    eventually(|| pod.calls().contains(&close).then_some(())).await;
}

#[tokio::test]
async fn a_call_of_a_skill_reads_and_writes_in_its_session() {
    let world = World::new(10).await;
    let pod = world.add_pod().await;
    let hosts = [("browse-skill-hosts", "a.example,*.b.example")];
    let address = world.replicas[0].address;
    let opened = call(address, "acme", "run-1", "goto", &hosts).await;
    assert_eq!(opened.reason(), "ok", "{opened:?}");
    assert!(!opened.body["headers"].to_string().contains("browse-skill"), "{opened:?}");
    for command in ["memory", "cookies", "session list", "session close", "js"] {
        let refused = call(address, "acme", "run-1", command, &hosts).await;
        let found = (refused.status, refused.reason());
        assert_eq!(found, (StatusCode::FORBIDDEN, "SCOPE_DENIED"), "{command}");
    }
    for wrong in ["", "a b", "a,,b"] {
        let answer = call(address, "acme", "run-1", "goto", &[("browse-skill-hosts", wrong)]).await;
        assert_eq!(answer.reason(), "REQUEST_INVALID", "{wrong:?}");
    }
    // A pod of before does not know of hosts of skills, and is not called for one.
    pod.make_old();
    let refused = call(address, "acme", "run-2", "goto", &hosts).await;
    assert_eq!(refused.reason(), "FLEET_DENIED", "{refused:?}");
    assert!(pod.calls().iter().all(|call| !call.starts_with("run-2")), "{:?}", pod.calls());
}
