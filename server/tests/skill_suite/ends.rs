//! A run ends with everything that it started, however it ends.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use browse_proto::v1::GetUrlRequest;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::{
    daemon::{Daemon, Failure, until},
    processes::below,
    shelf::skill,
};

/// What is dead already is found so within this, on a busy machine too.
const AT_ONCE: Duration = Duration::from_secs(2);

/// Leaves its group, its session and its parent, and keeps writing its pid.
const STUBBORN: &str = r#"
import os, signal, sys, time
for number in range(1, 32):
    try: signal.signal(number, signal.SIG_IGN)
    except OSError: pass
def go(name):
    with open(os.path.join(sys.argv[1], name), 'w') as file: file.write(str(os.getpid()))
    time.sleep(600)
if os.fork() == 0: go('child')
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: go('grandchild')
    os._exit(0)
go('program')
"#;

/// A skill that starts three stubborn processes which write their pids into
/// the folder.
fn stubborn(daemon: &Daemon, more: &str, end: &str) -> PathBuf {
    let pids = daemon.project().join("pids");
    std::fs::create_dir_all(&pids).unwrap();
    let script = format!("python3 \"$PWD/stubborn.py\" {} {end}", pids.display());
    skill(&daemon.home(), "a", more).shell(&script).file("stubborn.py", STUBBORN);
    pids
}

/// The pids, once all three are there.
async fn pids(folder: &Path) -> Vec<u32> {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok()?.parse().ok();
    let all = until(|| {
        ["program", "child", "grandchild"].into_iter().map(read).collect::<Option<Vec<u32>>>()
    });
    all.await.expect("they begin")
}

fn lives(pid: &u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

async fn gone(pids: &[u32], within: Duration) {
    let begun = Instant::now();
    let none =
        until(|| (!pids.iter().any(lives)).then(|| begun.elapsed())).await.expect("they end");
    assert!(none <= within, "{none:?}");
}

#[tokio::test]
async fn a_hang_is_ended_with_its_children() {
    let daemon = Daemon::start_free().await;
    let folder = stubborn(&daemon, "timeout: 2s", "");
    let error = daemon.run("a").await.error.unwrap();
    assert_eq!(error.reason, "SKILL_TIMEOUT");
    gone(&pids(&folder).await, AT_ONCE).await;
}

#[tokio::test]
async fn what_outlives_the_program_is_ended() {
    let daemon = Daemon::start_free().await;
    let wait = "& until test -e $0.d/grandchild; do sleep 0.02; done; echo null";
    let folder = stubborn(&daemon, "", "");
    let wait = wait.replace("$0.d", &folder.display().to_string());
    stubborn(&daemon, "", &format!(">/dev/null {wait}"));
    let outcome = daemon.run("a").await;
    assert!(outcome.output.is_some(), "{outcome:?}");
    gone(&pids(&folder).await, AT_ONCE).await;
}

#[tokio::test]
async fn what_outlives_a_confined_program_is_ended() {
    let daemon = Daemon::start().await;
    let mark = format!("599.{}", std::process::id());
    let sleeps = || all_processes().into_iter().any(|words| words == format!("sleep\0{mark}\0"));
    let left = format!(
        "sleep {mark} >/dev/null 2>&1 & until grep -qz {mark} /proc/$!/cmdline; do sleep 0.01; done;"
    );
    skill(&daemon.home(), "a", "").shell(&format!("{left} echo null"));
    skill(&daemon.home(), "b", "").shell(&format!("{left} exit 3"));
    let outcome = daemon.run("a").await;
    assert!(outcome.output.is_some(), "{outcome:?}");
    assert!(!sleeps());
    let error = daemon.run("b").await.error.unwrap();
    assert!(error.message.ends_with("exit code 3"), "{error:?}");
    assert!(!sleeps());
}

#[tokio::test]
async fn a_run_does_without_what_was_ready_for_it_and_died() {
    let daemon = Daemon::start().await;
    skill(&daemon.home(), "a", "").shell("echo null");
    assert!(daemon.run("a").await.output.is_some());
    let ready = until(|| {
        let mut supervisors = below(daemon.pid()).into_iter();
        let waits = supervisors.find(|process| process.command.contains("--supervise ahead"))?;
        below(u32::try_from(waits.pid).ok()?).pop()
    });
    let ready = ready.await.expect("one is made ready for the next run");
    kill(Pid::from_raw(ready.pid), Signal::SIGKILL).unwrap();
    until(|| (!lives(&ready.pid.cast_unsigned())).then_some(())).await.expect("it ends");
    let outcome = daemon.run("a").await;
    assert!(outcome.output.is_some(), "{outcome:?}");
}

/// The command lines of all processes, each word followed by a zero byte.
fn all_processes() -> Vec<String> {
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter_map(|process| std::fs::read_to_string(process.path().join("cmdline")).ok()).collect()
}

#[tokio::test]
async fn a_caller_who_leaves_ends_the_run() {
    let daemon = Daemon::start_free().await;
    let folder = stubborn(&daemon, "", "");
    let request = daemon.request("a");
    let mut skills = daemon.skills().await;
    let events = skills.run_skill(request).await.unwrap();
    let pids = pids(&folder).await;
    assert!(pids.iter().all(lives));
    drop((events, skills));
    gone(&pids, Duration::from_secs(10)).await;
}

#[tokio::test]
async fn a_killed_daemon_leaves_no_skill_behind() {
    let mut daemon = Daemon::start_free().await;
    let folder = stubborn(&daemon, "", "");
    let request = daemon.request("a");
    let _events = daemon.skills().await.run_skill(request).await.unwrap();
    let pids = pids(&folder).await;
    daemon.kill();
    gone(&pids, Duration::from_secs(10)).await;
}

#[tokio::test]
async fn the_token_dies_with_the_run() {
    let daemon = Daemon::start_free().await;
    let token = daemon.project().join("token");
    skill(&daemon.home(), "a", "")
        .shell(&format!("printf %s \"$BROWSE_SKILL_TOKEN\" > {}; echo null", token.display()));
    daemon.run("a").await;
    let token = std::fs::read_to_string(token).unwrap();
    assert!(token.len() > 100, "{token}");
    let refused = daemon.browser(&token).await.get_url(GetUrlRequest {}).await.unwrap_err();
    assert_eq!(Failure::from(refused).reason, "TOKEN_REVOKED");
}

/// A busy machine can hold any process up, so the best of three counts.
#[tokio::test]
async fn the_token_dies_within_50_ms_of_the_program() {
    let daemon = Daemon::start_free().await;
    let mut best = Duration::MAX;
    for name in ["a", "b", "c"] {
        best = best.min(time_to_revocation(&daemon, name).await);
    }
    assert!(best < Duration::from_millis(50), "{best:?}");
}

/// Runs a skill, ends it, and calls with its token until that is revoked.
async fn time_to_revocation(daemon: &Daemon, name: &str) -> Duration {
    let file = |what: &str| daemon.project().join(format!("{name}-{what}"));
    let (token, end) = (file("token"), file("end"));
    let script = r#"put() { printf %s "$2" > "$1.new"; mv "$1.new" "$1"; }
        put TOKEN "$BROWSE_SKILL_TOKEN"
        until test -e END; do sleep 0.01; done
        put END $$
        exit 3"#;
    let script = script.replace("TOKEN ", &format!("{} ", token.display()));
    skill(&daemon.home(), name, "").shell(&script.replace("END", &end.display().to_string()));
    let request = daemon.request(name);
    let _events = daemon.skills().await.run_skill(request).await.unwrap();
    let token = until(|| std::fs::read_to_string(&token).ok()).await.unwrap();
    let mut browser = daemon.browser(&token).await;
    let alive = Failure::from(browser.get_url(GetUrlRequest {}).await.unwrap_err());
    assert_ne!(alive.reason, "TOKEN_REVOKED");
    std::fs::write(&end, "").unwrap();
    let pid: u32 = until(|| std::fs::read_to_string(&end).ok()?.parse().ok()).await.unwrap();
    until(|| (!lives(&pid)).then_some(())).await.unwrap();
    let ended = Instant::now();
    loop {
        let failure = Failure::from(browser.get_url(GetUrlRequest {}).await.unwrap_err());
        if failure.reason == "TOKEN_REVOKED" {
            return ended.elapsed();
        }
        assert!(ended.elapsed() < Duration::from_secs(5), "{failure:?}");
    }
}
