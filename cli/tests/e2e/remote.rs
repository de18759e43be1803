//! The walk of a remote agent, by every way there is: the command line, curl
//! and each SDK, over the real listener at another address of loopback.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use browse_sdk::{Any, Error, NewTabRequest, SnapshotRequest, Step, TextRequest};
use serde_json::Value;

use crate::{
    project::{Project, eventually},
    site::Site,
};

const PAGE: &str = "<title>Page</title><h1>Hello</h1>
<button onclick=\"document.querySelector('h1').textContent += ' Pressed'\">Press</button>";

/// Calls that a walk makes until the one that waits, with that.
const CALLS: u64 = 8;
const WAIT_TIMEOUT: Duration = Duration::from_secs(60);

/// What every SDK prints until it waits, and what after its pairing is ended.
const BEFORE: [&str; 7] = [
    "PAIRING_LINK_INVALID False",
    "REMOTE_MISMATCH False",
    "REMOTE_UNKNOWN False",
    "200",
    "True",
    "20",
    "SETUP_KEY_INVALID False",
];
const AFTER: [&str; 2] = ["TOKEN_REVOKED False", "TOKEN_INVALID False"];

struct Owner {
    project: Project,
    site: Site,
}

impl Owner {
    fn new() -> Self {
        let owner = Self { project: Project::new(), site: Site::page(PAGE) };
        // With it the listener stays open when another goes.
        let stays = owner.pair("stays");
        browse_sdk::redeem(text(&stays, "link"), None).expect("a good key");
        owner
    }

    fn pair(&self, name: &str) -> Value {
        let host = format!("127.0.0.1:{}", self.site.port());
        // Otherwise than where the owner calls.
        let listen = if cfg!(target_os = "linux") { "127.0.0.2:0" } else { "127.0.0.1:0" };
        let args = ["pair", "new", name, "--host", &host, "--rate", "1000", "--listen", listen];
        self.project.json(&args)
    }

    /// Waits until the call of `name` that waits is in flight.
    fn in_flight(&self, name: &str) {
        let calls = || {
            let list = self.project.json(&["pair", "list"]);
            let row = list.as_array()?.iter().find(|row| row["name"] == name)?.clone();
            let calls = &row["calls"];
            calls.as_u64().or_else(|| calls.as_str()?.parse().ok())
        };
        let seen =
            eventually(WAIT_TIMEOUT, || calls().filter(|calls| *calls >= CALLS).ok_or_else(calls));
        assert!(seen.is_ok(), "{name} made {seen:?} calls");
    }

    /// Ends a pairing; answers when that was begun.
    fn revoke(&self, name: &str) -> Instant {
        let begun = Instant::now();
        let ended = self.project.ok(&["pair", "revoke", name]);
        assert!(ended.starts_with(&format!("revoked {name}; ")), "{ended}");
        begun
    }

    /// Runs a walk that prints its steps; answers what it printed before it
    /// waited and after its pairing was ended.
    fn walk(&self, name: &str, mut command: Command) -> (Vec<String>, Vec<String>) {
        let mut child =
            Walk(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs"));
        let output = child.0.stdout.take().expect("a pipe");
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        let before: Vec<_> = lines.by_ref().take_while(|line| line != "waiting").collect();
        if before.len() < 5 {
            let mut reported = String::new();
            let _ = child.0.stderr.take().expect("a pipe").read_to_string(&mut reported);
            panic!("{name}: {before:?} {reported}");
        }
        self.in_flight(name);
        let ended = std::thread::spawn(move || {
            let first = lines.next();
            let ended = Instant::now();
            (first.into_iter().chain(lines).collect::<Vec<_>>(), ended)
        });
        let begun = self.revoke(name);
        let (after, ended) = ended.join().expect("lines");
        tell(name, begun, ended);
        (before, after)
    }
}

fn tell(name: &str, begun: Instant, ended: Instant) {
    let late = ended.saturating_duration_since(begun);
    eprintln!("{name}: a call in flight ended {late:?} after `pair revoke` was begun");
}

struct Walk(Child);

impl Drop for Walk {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn text<'a>(paired: &'a Value, key: &str) -> &'a str {
    paired[key].as_str().expect(key)
}

fn sources(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A program with no project and no daemon of its own.
fn outside(program: &str, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", home).env("BROWSE_HOME", home.join("home")).current_dir(home);
    command
}

#[test]
fn every_client_walks_the_same_way() {
    let (owner, agent) = (Owner::new(), tempfile::tempdir().expect("a folder"));
    let url = owner.site.url("/");
    let sdk = |name: &str, mut command: Command, args: &[&str]| {
        let paired = owner.pair(name);
        command.args(args).args([text(&paired, "block"), text(&paired, "fingerprint"), &url]);
        let (before, after) = owner.walk(name, command);
        assert_eq!(before, BEFORE, "{name}");
        assert_eq!(after, AFTER, "{name}");
    };
    for script in ["walk.py", "walk_async.py"] {
        let mut python = outside("python3", agent.path());
        python.arg("-B").env("PYTHONPATH", sources("../sdk-python/src"));
        let path = sources("tests/e2e/remote").join(script).display().to_string();
        sdk(script, python, &[&path]);
    }
    let module = compile(agent.path()).display().to_string();
    let walk = sources("tests/e2e/remote/walk.mjs").display().to_string();
    sdk("walk.mjs", outside("node", agent.path()), &[&walk, &module]);
    for file in ["py", "aio", "ts"] {
        // The command line drives what an SDK kept, and the other way round.
        let path = agent.path().join(format!("home/remotes/{file}.json"));
        let mode = std::os::unix::fs::PermissionsExt::mode(
            &fs::metadata(&path).expect(file).permissions(),
        );
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    rust(&owner, &url);
    curl(&owner, &url, agent.path());
    command_line(&owner, &url);
}

/// The TypeScript SDK as node takes it.
fn compile(folder: &Path) -> PathBuf {
    let sdk = sources("../sdk-ts");
    let compiler = sdk.join("node_modules/typescript/bin/tsc");
    assert!(compiler.exists(), "run `make setup` first: {} is missing", compiler.display());
    assert!(sdk.join("dist/browse.ts").exists(), "run `deploy/gen.sh --dist` first");
    fs::write(folder.join("package.json"), r#"{"type":"module"}"#).expect("a writable folder");
    let mut command = Command::new("node");
    command.arg(compiler).arg("-p").arg(sdk.join("tsconfig.build.json"));
    let done = command.arg("--outDir").arg(folder.join("sdk")).output().expect("node is installed");
    assert!(done.status.success(), "{done:?}");
    folder.join("sdk/browse.js")
}

/// The Rust SDK, in a thread of its own.
fn rust(owner: &Owner, url: &str) {
    let paired = owner.pair("rust");
    let block = text(&paired, "block");
    let reason = |error: Error| {
        assert!(!error.hint.is_empty(), "{error}");
        (error.reason.clone(), error.retryable())
    };
    let redeem = |block: &str| browse_sdk::redeem(block, None).map(|_| ()).map_err(reason);
    let refused = |reason: &str| Err((reason.to_owned(), false));
    assert_eq!(redeem(&block.replace("pin-", "pin-0")), refused("PAIRING_LINK_INVALID"));
    let other = block.replace(text(&paired, "fingerprint"), &"0".repeat(64));
    assert_eq!(redeem(&other), refused("REMOTE_MISMATCH"));
    let browse = browse_sdk::redeem(block, None).expect("a good key");
    let browse = browse.with_timeout(Duration::from_secs(100));
    browse.new_tab(None).expect("a tab");
    assert_eq!(browse.goto(url).expect("a page").status, Some(200));
    let request = SnapshotRequest { interactive: true, ..Default::default() };
    let tree = browse.snapshot_with(request).expect("a tree").tree;
    let line = tree.lines().find(|line| line.contains("Press")).expect("a button");
    browse.click(line.split_whitespace().next().expect("a ref")).expect("a click");
    assert!(browse.text(None).expect("a text").contains("Pressed"));
    let open = Any::of(&NewTabRequest { url: Some(url.to_owned()) });
    let step = |tab, request| Step { tab, request: Some(request) };
    let opened = browse.batch(vec![step(None, open); 20]).expect("a batch");
    let tabs = opened.iter().map(|done| {
        done.response.as_ref()?.to::<browse_sdk::NewTabResponse>().map(|tab| tab.tab_id)
    });
    let read = tabs.map(|tab| step(tab, Any::of(&TextRequest { target: None })));
    let read = browse.batch(read.collect()).expect("a batch");
    let texts =
        read.iter().filter_map(|done| done.response.as_ref()?.to::<browse_sdk::TextResponse>());
    assert_eq!(texts.filter(|text| text.text.contains("Hello")).count(), 20);
    assert_eq!(redeem(block), refused("SETUP_KEY_INVALID"));
    let waiting = browse.clone();
    let waiting = std::thread::spawn(move || {
        let error = waiting.wait(Some("#never")).expect_err("its pairing ends");
        (error, Instant::now())
    });
    owner.in_flight("rust");
    let begun = owner.revoke("rust");
    let (error, ended) = waiting.join().expect("a call");
    tell("rust", begun, ended);
    assert_eq!(reason(error), ("TOKEN_REVOKED".to_owned(), false));
    assert_eq!(reason(browse.text(None).expect_err("it is over")).0, "TOKEN_INVALID");
}

fn curl(owner: &Owner, url: &str, home: &Path) {
    if Command::new("curl").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("there is no curl here");
        return;
    }
    let paired = owner.pair("curl");
    let block = text(&paired, "block");
    let pin = block.split('\'').find(|word| word.starts_with("sha256//")).expect("a pin");
    let base = format!("https://{}/browse.v1", text(&paired, "address"));
    let mut command = outside("sh", home);
    command.arg(sources("tests/e2e/remote/walk.sh"));
    command.args([&base, text(&paired, "key"), pin, url]);
    let (before, after) = owner.walk("curl", command);
    // 90 is a pin that does not fit.
    let wanted = [
        "curl 90",
        "SETUP_KEY_INVALID",
        "\"status\":200",
        "1",
        "Pressed",
        "20",
        "SETUP_KEY_INVALID",
    ];
    assert_eq!(before, wanted);
    assert_eq!(after, ["TOKEN_REVOKED", "TOKEN_INVALID"]);
}

fn command_line(owner: &Owner, url: &str) {
    let (agent, paired) = (Project::new(), owner.pair("cli"));
    agent.ok(&["redeem", text(&paired, "link")]);
    let remote = |args: &[&str]| agent.ok(&[&["--remote", "cli"], args].concat());
    remote(&["newtab"]);
    assert!(remote(&["goto", url]).contains(&format!("200 {url}")));
    let tree = remote(&["snapshot", "-i"]);
    let line = tree.lines().find(|line| line.contains("button \"Press\"")).expect("a button");
    remote(&["click", line.split_whitespace().next().expect("a ref")]);
    assert!(remote(&["text"]).contains("Pressed"));
    let batch = |steps: String| {
        let output = agent.feed(&["--remote", "cli", "--json", "batch"], &steps);
        let document: Value = serde_json::from_str(&output.stdout).expect("JSON");
        document["result"].as_array().expect("steps").clone()
    };
    let opened = batch(format!("{{\"command\": [\"newtab\", \"{url}\"]}}\n").repeat(20));
    let tabs = opened.iter().map(|step| step["result"]["tab_id"].clone());
    let read =
        batch(tabs.map(|tab| format!("{{\"tab\": {tab}, \"command\": [\"text\"]}}\n")).collect());
    assert_eq!(read.iter().filter(|step| step.to_string().contains("Hello")).count(), 20);
    let args = ["--remote", "cli", "--timeout", "100s", "--json", "wait", "#never"];
    let mut waiting = Walk(agent.command(&args).stdout(Stdio::piped()).spawn().expect("it runs"));
    owner.in_flight("cli");
    let begun = owner.revoke("cli");
    let mut reported = String::new();
    let output = waiting.0.stdout.as_mut().expect("a pipe");
    output.read_to_string(&mut reported).expect("an answer");
    tell("cli, read when `pair revoke` had answered", begun, Instant::now());
    assert!(reported.contains("TOKEN_REVOKED"), "{reported}");
    assert_eq!(agent.fail(&["--remote", "cli", "text"]).0, "TOKEN_INVALID");
}
