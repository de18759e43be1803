//! What an untrusted skill cannot do, tried one by one, in each language and
//! with each means of confinement.
//!
//! Each way out is first taken without a sandbox, where it must be open: a
//! probe that cannot succeed shows nothing.

use std::collections::BTreeMap;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::time::{Duration, Instant};

use browse_proto::v1::{DoctorRequest, RunSkillRequest};
use serde_json::json;

use crate::{
    daemon::{Daemon, until},
    shelf::{skill, skill_for},
    site::Site,
};

/// What each probe came to.
type Found = BTreeMap<String, bool>;

const LANGUAGES: [&str; 4] = ["python", "typescript", "rust", "executable"];

/// What Landlock alone leaves open, as `doctor` says.
const GAPS: [&str; 1] = ["fills_scratch"];

/// Of root only: its processes are not counted.
const GAPS_OF_ROOT: [&str; 1] = ["forks_beyond_limit"];

/// What the probes are aimed at. Dropping it closes the listeners.
struct Targets {
    _listeners: (TcpListener, UdpSocket, UnixListener, UnixListener),
}

impl Targets {
    /// Plants them around a daemon, and tells the skills where they are.
    fn plant(daemon: &Daemon) -> Self {
        let home = daemon.project().join("of-user");
        std::fs::create_dir_all(home.join(".ssh")).unwrap();
        std::fs::write(home.join(".ssh/id_rsa"), "a private key").unwrap();
        let other = skill(&daemon.home(), "other", "").shell("echo null");
        // Any host of this machine is heard, so that an anonymous caller\'s is too.
        let tcp = TcpListener::bind("0.0.0.0:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let path = home.join("agent.sock");
        let by_path = UnixListener::bind(&path).unwrap();
        let name = format!("browse-test-{}", tcp.local_addr().unwrap().port());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let by_name = UnixListener::bind_addr(&address).unwrap();
        let targets = json!({
            "key": home.join(".ssh/id_rsa"),
            "state": daemon.project().join(".browse/daemon.json"),
            "other": other.folder().join("SKILL.md"),
            "daemon": daemon.pid(),
            "outside": home.join("written"),
            "tcp": tcp.local_addr().unwrap().port(),
            "udp": udp.local_addr().unwrap().port(),
            "unix": path,
            "abstract": name,
        });
        for language in LANGUAGES {
            draft(daemon, language, &targets.to_string());
        }
        Self { _listeners: (tcp, udp, by_path, by_name) }
    }
}

fn draft(daemon: &Daemon, language: &str, targets: &str) {
    let draft = skill(&daemon.home(), language, "").file("targets.json", targets);
    match language {
        "python" => draft.file("script.py", include_str!("escapes/probes.py")),
        "typescript" => draft.file("script.ts", include_str!("escapes/probes.ts")),
        "rust" => draft
            .file(
                "Cargo.toml",
                "[package]\nname = \"rust\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n",
            )
            .file("Cargo.lock", "version = 4\n\n[[package]]\nname = \"rust\"\nversion = \"0.1.0\"\n")
            .file("src/main.rs", include_str!("escapes/probes.rs")),
        _ => {
            let script = include_str!("escapes/probes.sh");
            draft.executable(script)
        }
    };
}

async fn daemon(sandbox: &str) -> Daemon {
    Daemon::start_with(&[("BROWSE_NO_BROWSER", "1"), ("BROWSE_SKILL_SANDBOX", sandbox)]).await
}

/// Runs every language's probes under these means.
async fn probe(sandbox: &str) -> BTreeMap<&'static str, Found> {
    let daemon = daemon(sandbox).await;
    let _targets = Targets::plant(&daemon);
    let mut all = BTreeMap::new();
    for language in LANGUAGES {
        let request = RunSkillRequest {
            name: language.to_owned(),
            allow_unsandboxed: true,
            ..Default::default()
        };
        let outcome = daemon.run_with(request, Some(Duration::from_secs(60))).await;
        let confined = !outcome.stderr.contains("runs without a sandbox");
        assert_eq!(confined, sandbox != "none", "{}", outcome.stderr);
        let output = outcome.output.unwrap_or_else(|| {
            panic!("{sandbox} {language}: {:?} {}", outcome.error, outcome.stderr)
        });
        all.insert(language, serde_json::from_value(output).unwrap());
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_way_leads_out() {
    let (free, namespaces, landlock) =
        tokio::join!(probe("none"), probe("namespaces"), probe("landlock"));
    let root = nix::unistd::geteuid().is_root();
    let mut wrong = Vec::new();
    println!("{:<11} {:<28} {:<8} {:<11} landlock", "language", "probe", "without", "namespaces");
    for (language, probes) in &free {
        for (name, open) in probes {
            let (first, second) = (namespaces[language][name], landlock[language][name]);
            let word = |open: bool| if open { "OPEN" } else { "closed" };
            let words = (word(*open), word(first), word(second));
            println!("{language:<11} {name:<28} {:<8} {:<11} {}", words.0, words.1, words.2);
            let declared =
                GAPS.contains(&name.as_str()) || root && GAPS_OF_ROOT.contains(&name.as_str());
            // What the kernel of this machine lacks cannot be shown.
            let lacking = [
                "tcp_multipath",
                "tcp_fast_open",
                "io_uring",
                "perf_events",
                "keyring",
                "traces_daemon",
                "listens_for_others",
            ];
            let shown = *open || lacking.contains(&name.as_str());
            if !shown || first || second && !declared {
                wrong.push(format!("{language} {name} {words:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Leaves its group, its session and its parent, and hears no signal.
const DETACHED: &str = r#"
import os, signal, sys, time
for number in range(1, 32):
    try: signal.signal(number, signal.SIG_IGN)
    except OSError: pass
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        try: open(sys.argv[0] + '.begun', 'w')
        except OSError: pass
        for name in (0, 1, 2): os.close(name)
        time.sleep(600)
    os._exit(0)
time.sleep(600)
"#;

/// Processes whose command line has this word.
fn living(word: &str) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let named = |pid: &i32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(word)
    };
    pids.filter(named).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_detached_child_does_not_outlive_its_run() {
    // Without a supervisor it does outlive its parent.
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("detached.py");
    std::fs::write(&script, DETACHED).unwrap();
    let mut parent = std::process::Command::new("python3").arg(&script).spawn().unwrap();
    let word = script.display().to_string();
    until(|| script.with_extension("py.begun").exists().then_some(())).await.unwrap();
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert_eq!(living(&word).len(), 1);
    for pid in living(&word) {
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::SIGKILL);
    }
    tokio::join!(detached("none"), detached("namespaces"), detached("landlock"));
}

async fn detached(sandbox: &str) {
    let daemon = daemon(sandbox).await;
    let draft = skill(&daemon.home(), "a", "timeout: 1500ms").file("script.py", DETACHED);
    let word = draft.folder().display().to_string();
    let watched = async {
        let begun = || (living(&word).len() >= 2).then_some(());
        until(begun).await.unwrap_or_else(|| panic!("{sandbox}: it does not begin"));
    };
    let request =
        RunSkillRequest { name: "a".to_owned(), allow_unsandboxed: true, ..Default::default() };
    let (outcome, ()) = tokio::join!(daemon.run_with(request, None), watched);
    assert_eq!(outcome.error.map(|error| error.reason).as_deref(), Some("SKILL_TIMEOUT"));
    let left = until(|| living(&word).is_empty().then_some(())).await;
    assert!(left.is_some(), "{sandbox}: {:?}", living(&word));
}

/// Takes memory in the given number of processes, and stays.
const HUNGRY: &str = "import os, sys, time\n\
    for _ in range(int(sys.argv[1].split('=')[1])):\n    if os.fork() == 0:\n        \
    taken = bytearray(b'x') * (150 << 20); time.sleep(2); os._exit(0)\n\
    while True:\n    try: os.wait()\n    except ChildProcessError: break\n\
    print('null')";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_processes_together_have_a_limit_of_memory() {
    let limit = (256 << 20).to_string();
    let settings = [("BROWSE_NO_BROWSER", "1"), ("BROWSE_SKILL_MEMORY", limit.as_str())];
    let daemon = Daemon::start_with(&settings).await;
    skill(&daemon.home(), "a", "args: [{name: n}]").file("script.py", HUNGRY);
    let run = async |number: usize| {
        let arg = vec![format!("n={number}")];
        daemon
            .run_with(RunSkillRequest { name: "a".to_owned(), arg, ..Default::default() }, None)
            .await
    };
    // Each of them has less than the limit.
    let (one, three) = tokio::join!(run(1), run(3));
    assert_eq!(one.output, Some(json!(null)), "{one:?}");
    assert_eq!(three.error.map(|error| error.reason).as_deref(), Some("SKILL_FAILED"));
    let reported = "took more than 256 MiB of memory together";
    assert!(three.stderr.contains(reported), "{}", three.stderr);
}

#[tokio::test]
async fn where_nothing_confines_a_skill_is_refused() {
    let daemon = daemon("none").await;
    skill(&daemon.home(), "a", "").shell("echo null");
    let error = daemon.run("a").await.error.unwrap();
    assert_eq!(error.reason, "SANDBOX_UNAVAILABLE");
    let request =
        RunSkillRequest { name: "a".to_owned(), allow_unsandboxed: true, ..Default::default() };
    let outcome = daemon.run_with(request, None).await;
    assert_eq!(outcome.output, Some(json!(null)));
    assert!(outcome.stderr.starts_with("note: `a` runs without a sandbox"), "{}", outcome.stderr);
}

#[tokio::test]
async fn gaps_are_said_where_there_are_some() {
    let daemon = daemon("landlock").await;
    skill(&daemon.home(), "a", "").shell("echo null");
    let outcome = daemon.run("a").await;
    let note = "note: the sandbox is landlock; not enforced here: the host of a connection";
    assert!(outcome.stderr.starts_with(note), "{}", outcome.stderr);
    let checks = daemon.control().await.doctor(DoctorRequest {}).await.unwrap().into_inner().checks;
    let check = checks.iter().find(|check| check.name == "sandbox of skills").unwrap();
    assert_eq!(check.verdict, "warning");
    assert!(check.finding.contains("not enforced here"), "{}", check.finding);
}

#[tokio::test]
async fn the_socket_is_private_and_goes_with_the_daemon() {
    use std::os::unix::fs::MetadataExt as _;
    let folder = tempfile::Builder::new().prefix("b").tempdir_in("/tmp").unwrap();
    let temporary = folder.path().display().to_string();
    let mut daemon =
        Daemon::start_with(&[("BROWSE_NO_BROWSER", "1"), ("TMPDIR", &temporary)]).await;
    let socket = || {
        let entries = std::fs::read_dir(folder.path()).unwrap().flatten();
        entries.map(|entry| entry.path().join("skills.sock")).find(|path| path.exists())
    };
    let path = socket().unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    daemon.kill();
    let begun = Instant::now();
    until(|| socket().is_none().then_some(())).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_at_once_do_not_meet() {
    let daemon = Daemon::start().await;
    let script = "import json, os, sys, time\n\
        mine = json.loads(os.environ['BROWSE_SKILL_ARGS'])['n']\n\
        open('/tmp/mine', 'x').write(mine)\n\
        for _ in range(20):\n    print(mine, file=sys.stderr, flush=True); time.sleep(0.005)\n\
        print(json.dumps([mine, open('/tmp/mine').read(), os.environ['BROWSE_SKILL_TOKEN']]))";
    skill(&daemon.home(), "a", "args: [{name: n}]").file("script.py", script);
    let run = async |number: usize| {
        let arg = vec![format!("n=run-{number}-")];
        daemon
            .run_with(RunSkillRequest { name: "a".to_owned(), arg, ..Default::default() }, None)
            .await
    };
    let outcomes = futures::future::join_all((0..8).map(run)).await;
    let mut tokens = std::collections::HashSet::new();
    for (number, outcome) in outcomes.into_iter().enumerate() {
        let mine = format!("run-{number}-");
        assert_eq!(outcome.stderr, format!("{mine}\n").repeat(20));
        let output = outcome.output.unwrap();
        assert_eq!((&output[0], &output[1]), (&json!(mine), &json!(mine)));
        assert!(tokens.insert(output[2].as_str().unwrap().to_owned()));
    }
}

/// Keeps who came first in a cookie, and shows it as its title.
const COOKIES: &str = "<title>?</title><script>
    if (location.search) document.cookie = 'who=' + location.search.slice(1);
    document.title = document.cookie;
</script>";

const REMEMBERS: &str = r#"
import { type Browse, skill } from './_lib/browse.ts';
await skill(async ({ home, n }: Record<string, string>, browse: Browse) => {
  const titles: unknown[] = [];
  await browse.goto(`${home}?${n}`);
  for (let round = 0; round < 3; round += 1) {
    await browse.goto(String(home));
    titles.push((await browse.get('title')) as unknown);
  }
  return titles;
});
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_at_once_have_tabs_and_cookies_of_their_own() {
    let daemon = Daemon::start_with(&[]).await;
    let site = Site::start().await.page("/", COOKIES);
    let host = format!("127.0.0.1:{}", site.port());
    skill_for(&daemon.home(), "a", &host, "args: [{name: n}, {name: home}]").typescript(REMEMBERS);
    let run = async |number: usize| {
        let arg = vec![format!("n=run-{number}"), format!("home={}", site.url("/"))];
        daemon
            .run_with(RunSkillRequest { name: "a".to_owned(), arg, ..Default::default() }, None)
            .await
    };
    let outcomes = futures::future::join_all((0..8).map(run)).await;
    for (number, outcome) in outcomes.into_iter().enumerate() {
        let title = format!("who=run-{number}");
        assert_eq!(outcome.output, Some(json!([title, title, title])), "{outcome:?}");
    }
}
