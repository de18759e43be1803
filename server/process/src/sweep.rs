//! Ending what must end and removing what must go, within two seconds.

use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use super::ledger::LedgerEntry;
use super::processes::{self, ProcessInfo};

/// Everything is over by then, done or not.
const SWEEP_TIMEOUT: Duration = Duration::from_millis(1800);
/// Between two looks at a process that is dying.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Ends all processes first, then removes all paths.
pub(crate) fn sweep(entries: &[LedgerEntry]) {
    let deadline = Instant::now() + SWEEP_TIMEOUT;
    let mut dying = Vec::new();
    for entry in entries {
        match entry {
            LedgerEntry::Kill { pid, started } => dying.extend(kill_tree(*pid, *started)),
            LedgerEntry::KillMarked(mark) => mark.kill_all(),
            LedgerEntry::Remove(_) | LedgerEntry::RemoveIfPid { .. } => {}
        }
    }
    // A process that still runs may write into a directory we remove.
    while Instant::now() < deadline && dying.iter().any(is_alive) {
        std::thread::sleep(POLL_INTERVAL);
    }
    for entry in entries {
        match entry {
            LedgerEntry::Kill { .. } | LedgerEntry::KillMarked(_) => {}
            LedgerEntry::Remove(path) => remove(path, deadline),
            LedgerEntry::RemoveIfPid { pid, path } if has_pid(path, *pid) => remove(path, deadline),
            LedgerEntry::RemoveIfPid { .. } => {}
        }
    }
}

/// Kills a process with its descendants and its group; answers whom it hit.
fn kill_tree(pid: i32, started: u64) -> Vec<ProcessInfo> {
    let all = processes::all_processes();
    let leader = all.iter().find(|process| process.pid == pid);
    // A leader of another age is somebody else, and so is its group. With no
    // leader at all the group can only be what the dead one left behind.
    if leader.is_some_and(|leader| leader.started != started) {
        return Vec::new();
    }
    let below = leader.map(|_| processes::process_tree(pid, &all)).unwrap_or_default();
    let hit: Vec<ProcessInfo> = all
        .iter()
        .filter(|process| process.group == pid || below.contains(&process.pid))
        .filter(|process| process.pid != std::process::id() as i32)
        .copied()
        .collect();
    if leader.is_some() {
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
    if hit.iter().any(|process| process.group == pid) {
        let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
    }
    for process in &hit {
        if is_alive(process) {
            let _ = kill(Pid::from_raw(process.pid), Signal::SIGKILL);
        }
    }
    hit
}

fn is_alive(process: &ProcessInfo) -> bool {
    processes::find_process(process.pid)
        .is_some_and(|now| now.started == process.started && !now.zombie)
}

/// Removes a file or a tree, again while something still writes into it.
fn remove(path: &Path, deadline: Instant) {
    loop {
        let removed = match path.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => std::fs::remove_dir_all(path),
            Ok(_) => std::fs::remove_file(path),
            Err(_) => return,
        };
        if removed.is_ok() || Instant::now() >= deadline {
            return;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Whether the state file is still the one of the daemon with this pid.
fn has_pid(path: &Path, pid: i32) -> bool {
    std::fs::read(path)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok())
        .and_then(|state| state.get("pid")?.as_i64())
        .is_some_and(|named| named == i64::from(pid))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;

    #[test]
    fn a_reused_pid_is_never_hit() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("spawned");
        let pid = child.id() as i32;
        let started = processes::find_process(pid).expect("there").started;
        sweep(&[LedgerEntry::Kill { pid, started: started + 1 }]);
        assert!(child.try_wait().expect("asked").is_none(), "somebody else was killed");
        sweep(&[LedgerEntry::Kill { pid, started }]);
        assert!(child.wait().expect("collected").code().is_none(), "killed by a signal");
    }

    #[test]
    fn the_whole_group_ends() {
        let mut shell = std::process::Command::new("sh")
            .args(["-c", "sleep 61 & sleep 62 & wait"])
            .process_group(0)
            .spawn()
            .expect("spawned");
        let pid = shell.id() as i32;
        let members = || {
            processes::all_processes().into_iter().filter(|p| p.group == pid && !p.zombie).count()
        };
        while members() < 3 {
            std::thread::yield_now();
        }
        let started = processes::find_process(pid).expect("there").started;
        sweep(&[LedgerEntry::Kill { pid, started }]);
        shell.wait().expect("collected");
        assert_eq!(members(), 0);
    }

    #[test]
    fn a_state_file_of_another_daemon_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("daemon.json");
        std::fs::write(&path, r#"{"pid": 17, "address": "x"}"#).expect("written");
        sweep(&[LedgerEntry::RemoveIfPid { pid: 18, path: path.clone() }]);
        assert!(path.exists());
        sweep(&[LedgerEntry::RemoveIfPid { pid: 17, path: path.clone() }]);
        assert!(!path.exists());
    }
}
