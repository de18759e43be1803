//! Whatever dies, and however, nothing is left behind.
//!
//! The "daemon" of these tests is this test binary, started again to run
//! `victim` alone.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use browse_chromium::{Browser, BrowserOptions, ContextOptions, Error, Sandbox};
use browse_process::Guardian;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::browser::{options, soon};
use crate::support::processes::{below, living_in, still_there, wait_clean};

/// The promise: two seconds. The rest is for test machines under load.
const WAIT_TIMEOUT: Duration = Duration::from_secs(15);

/// Starts guardian and browser, says so, and waits for its death.
#[tokio::test]
#[ignore = "started by the other tests"]
async fn victim() {
    let guardian = Guardian::start(env!("CARGO_BIN_EXE_browsed")).unwrap();
    println!("guardian {}", guardian.pid().unwrap());
    let extra = std::env::temp_dir().join("state file");
    std::fs::write(&extra, format!("{{\"pid\": {}}}", std::process::id())).unwrap();
    guardian.remove_at_exit_if_pid(&extra, std::process::id());
    let mut options = BrowserOptions::default();
    options.launch.guardian = Some(guardian);
    let browser = Browser::launch(options).await.unwrap();
    let context = browser.new_context(&ContextOptions::default()).await.unwrap();
    let page = context.new_page().await.unwrap();
    println!("browser {}", browser.info().pid);
    let frame = page.main_frame().id;
    // A page that hangs must not keep anything alive.
    page.evaluate(&frame, "while (true) {}", Default::default()).unwrap().ignore();
    println!("ready 0");
    browser.wait_gone().await;
    browser.close().await;
    println!("closed 0");
    std::future::pending::<()>().await;
}

struct Victim {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
    folder: tempfile::TempDir,
}

impl Victim {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "death::victim", "--ignored", "--nocapture"])
            .env("TMPDIR", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output, folder }
    }

    /// Waits for a line such as `browser 123` and answers its number.
    fn wait_for(&mut self, word: &str) -> i32 {
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the victim ended early");
            // The harness prints its own words on the same line.
            let mut words = line.split_whitespace().skip_while(|found| *found != word);
            if words.next().is_some() {
                return words.next().unwrap().parse().unwrap();
            }
        }
    }

    /// Kills the daemon and answers how long the traces lasted.
    fn kill_and_wait(mut self) -> Duration {
        let family = below(self.child.id());
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let folder = self.folder.path().to_owned();
        wait_clean(WAIT_TIMEOUT, || {
            let mut left: Vec<String> =
                family.iter().filter(|p| still_there(p)).map(|p| format!("{p:?}")).collect();
            left.extend(living_in(&folder).into_iter().map(|process| format!("{process:?}")));
            left.extend(files_in(&folder));
            left
        })
    }
}

fn files_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    entries.map(|entry| entry.path().display().to_string()).collect()
}

#[test]
fn a_killed_daemon_leaves_nothing_whenever_it_dies() {
    let mut worst = Duration::ZERO;
    // From before the guardian to long after the page.
    for moment in 0..12 {
        let mut victim = Victim::start();
        victim.wait_for("guardian");
        std::thread::sleep(Duration::from_millis(moment * 23 + moment * moment));
        worst = worst.max(victim.kill_and_wait());
    }
    println!("the last trace was gone after {worst:?}");
}

#[test]
fn a_killed_daemon_with_a_hanging_page_leaves_nothing() {
    let mut victim = Victim::start();
    victim.wait_for("ready");
    let took = victim.kill_and_wait();
    println!("the last trace was gone after {took:?}");
}

#[test]
fn a_killed_browser_is_noticed_and_its_profile_removed() {
    let mut victim = Victim::start();
    let browser = victim.wait_for("browser");
    victim.wait_for("ready");
    kill(Pid::from_raw(browser), Signal::SIGKILL).unwrap();
    victim.wait_for("closed");
    let profiles =
        || files_in(victim.folder.path()).into_iter().filter(|path| path.contains("browse-"));
    assert_eq!(profiles().collect::<Vec<_>>(), Vec::<String>::new());
    victim.kill_and_wait();
}

#[tokio::test]
async fn a_browser_killed_at_any_moment_is_reported_and_leaves_nothing() {
    let folder = tempfile::Builder::new().prefix("b").tempdir().unwrap();
    for moment in 0..10u64 {
        let mut options = options();
        options.launch.extra_args.push(format!("--moment={}{moment}", folder.path().display()));
        let mark = options.launch.extra_args[0].clone();
        let mut launch = tokio::spawn(Browser::launch(options));
        let browser = loop {
            let found = below(std::process::id()).into_iter().find(|process| {
                process.command.contains(&mark) && !process.command.contains("type=")
            });
            match found {
                Some(browser) => break browser,
                None => tokio::task::yield_now().await,
            }
        };
        let wait = tokio::time::sleep(Duration::from_millis(moment * 17));
        let early = tokio::select! { launched = &mut launch => Some(launched), () = wait => None };
        let family = below(browser.pid as u32);
        kill(Pid::from_raw(browser.pid), Signal::SIGKILL).unwrap();
        let launched = match early {
            Some(launched) => launched,
            None => soon(launch).await,
        };
        let profile = match launched.unwrap() {
            Ok(browser) => {
                let reason = soon(browser.wait_gone()).await;
                assert!(reason.contains("SIGKILL"), "{reason}");
                soon(browser.close()).await;
                Some(browser.info().profile.clone())
            }
            Err(Error::LaunchFailed { problem, .. }) => {
                assert!(problem.contains("SIGKILL"), "{problem}");
                None
            }
            Err(error) => panic!("{error}"),
        };
        wait_clean(WAIT_TIMEOUT, || {
            let mut left: Vec<String> =
                family.iter().filter(|p| still_there(p)).map(|p| format!("{p:?}")).collect();
            left.extend(
                profile.iter().filter(|path| path.exists()).map(|path| format!("{path:?}")),
            );
            left
        });
    }
}

#[test]
fn a_killed_guardian_is_replaced_by_one_that_knows_everything() {
    let mut victim = Victim::start();
    let guardian = victim.wait_for("guardian");
    victim.wait_for("ready");
    kill(Pid::from_raw(guardian), Signal::SIGKILL).unwrap();
    let daemon = victim.child.id();
    wait_clean(WAIT_TIMEOUT, || {
        let successor = below(daemon)
            .into_iter()
            .any(|process| process.command.contains("--guardian") && process.pid != guardian);
        if successor { Vec::new() } else { vec!["no successor".to_owned()] }
    });
    victim.kill_and_wait();
}

#[test]
fn a_guardian_is_tiny() {
    let guardian = Guardian::start(env!("CARGO_BIN_EXE_browsed")).unwrap();
    let pid = guardian.pid().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("goes away");
    std::fs::create_dir_all(path.join("with/what/is/in/it")).unwrap();
    let stays = folder.path().join("stays");
    std::fs::write(&stays, "").unwrap();
    guardian.remove_at_exit(&path);
    guardian.remove_at_exit(&stays);
    guardian.forget_remove(&stays);
    let value = |name: &str| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_default().trim().trim_end_matches(" kB").to_owned()
    };
    // Until it has started and sleeps at its pipe.
    wait_clean(WAIT_TIMEOUT, || {
        let (name, state) = (value("Name:"), value("State:"));
        if name == "browsed" && state.starts_with('S') { Vec::new() } else { vec![name, state] }
    });
    // What it allocates. The program's pages are shared with the daemon, but for those
    // that the loader relocates, whose number is a matter of the build.
    let maps = std::fs::read_to_string(format!("/proc/{pid}/smaps")).unwrap();
    let (mut own, mut of_files, mut is_file) = (0, 0, false);
    for line in maps.lines() {
        match line.split_once(':') {
            Some((name, size)) if name.starts_with("Private_") => {
                let size = size.trim().trim_end_matches(" kB").parse::<u64>().unwrap();
                *(if is_file { &mut of_files } else { &mut own }) += size;
            }
            // A mapping begins: its range, rights, offset, device, inode and path.
            Some((range, _)) if range.contains('-') => is_file = line.contains('/'),
            _ => {}
        }
    }
    println!("own memory: {own} KiB, of files: {of_files} KiB, all: {} KiB", value("VmRSS:"));
    assert!((1..256).contains(&own), "{own} KiB");
    assert!(guardian.finish(WAIT_TIMEOUT));
    assert!(!path.exists() && stays.exists());
    assert_eq!(guardian.pid(), None);
}

#[tokio::test]
async fn the_sandbox_is_off_only_with_a_reason() {
    let browser = Browser::launch(options()).await.unwrap();
    println!("{:?}", browser.info().sandbox);
    match &browser.info().sandbox {
        Sandbox::On => assert!(!nix::unistd::geteuid().is_root()),
        Sandbox::Off { reason } => assert!(!reason.is_empty()),
    }
    let profile = browser.info().profile.clone();
    let mode = std::os::unix::fs::PermissionsExt::mode(&profile.metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700);
    drop(browser);
    assert!(!profile.exists());
}
