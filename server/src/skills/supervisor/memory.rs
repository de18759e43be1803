//! Holds all processes of a run together to a limit of memory, where no control
//! group does. They are looked at ten times a second, and ended when they have more:
//! what is taken and given back in between goes unseen.
//!
//! Counted are the memory of processes and its page tables, and the most that their
//! sockets and pipes can hold. What else the kernel keeps for a process (descriptors,
//! mappings, locks) is limited by their number.

mod buffers;

use std::fs;
use std::thread;
use std::time::Duration;

use nix::unistd::Pid;

use crate::skills::process_plan::{Confinement, ProcessPlan};
use buffers::BufferCounter;

const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Looks at everything below this process from now on; `end` ends it. `child` is the
/// first of it.
pub fn watch(child: Pid, plan: &ProcessPlan, end: impl FnOnce() + Send + 'static) {
    let most = plan.limits.together;
    let own_network = matches!(plan.confinement, Confinement::Namespaces { .. });
    let buffers = BufferCounter::for_network(own_network.then_some(child), plan.limits.files);
    thread::spawn(move || {
        loop {
            thread::sleep(POLL_INTERVAL);
            // Those who lost their parent are children of this process.
            let all = descendants(Pid::this().as_raw());
            let held = buffers.max_bytes(&all);
            // Pages that several share count for each, until that matters.
            if held + all.iter().map(|pid| private_bytes(*pid)).sum::<u64>() > most
                && held + all.iter().map(|pid| proportional_bytes(*pid)).sum::<u64>() > most
            {
                eprintln!("{}", super::memory_exceeded_message(most));
                end();
                return;
            }
        }
    });
}

/// All processes below this one.
fn descendants(root: i32) -> Vec<i32> {
    let mut all = children(root);
    let mut next = 0;
    while let Some(pid) = all.get(next).copied() {
        next += 1;
        all.extend(children(pid));
    }
    all
}

/// The children of a process: each of its threads has a list of its own.
fn children(pid: i32) -> Vec<i32> {
    let list = |thread| fs::read_to_string(format!("{thread}/children")).unwrap_or_default();
    let pids = |list: String| {
        list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()
    };
    threads(pid).map(list).flat_map(pids).collect()
}

/// The folders of the threads of a process. What is asked of one is asked of any of
/// them: the first may have ended, and then the process seems to have nothing.
fn threads(pid: i32) -> impl Iterator<Item = String> {
    let folder = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    folder.map(|thread| thread.path().display().to_string())
}

/// Bytes of memory that is of no file, and of the tables of its pages.
fn private_bytes(pid: i32) -> u64 {
    let names = ["RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:"];
    threads(pid).find_map(|thread| sum_lines(&format!("{thread}/status"), &names)).unwrap_or(0)
}

/// The same, with its share of what it shares with others.
fn proportional_bytes(pid: i32) -> u64 {
    let names = ["Pss_Anon:", "Pss_Shmem:", "SwapPss:"];
    let exact = threads(pid).find_map(|thread| {
        let tables = sum_lines(&format!("{thread}/status"), &["VmPTE:"])?;
        Some(tables + sum_lines(&format!("{thread}/smaps_rollup"), &names)?)
    });
    exact.unwrap_or_else(|| private_bytes(pid))
}

/// The sum of these lines of a file, which are in KiB; none when it has none.
fn sum_lines(file: &str, names: &[&str]) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let mut found = None;
    for line in text.lines() {
        let Some((name, rest)) = line.split_once(char::is_whitespace) else { continue };
        if names.contains(&name) {
            let number = rest.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0);
            found = Some(found.unwrap_or(0) + (number << 10));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use super::{descendants, private_bytes, proportional_bytes};

    /// A child is measured: the process of the tests allocates and frees all the time.
    #[test]
    fn the_memory_of_a_child_is_counted() {
        let program = "memory = b'x' * (32 << 20); print('ready', flush=True); input()";
        let mut child = Command::new("python3")
            .args(["-c", program])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("spawned");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("read");
        let pid = child.id().cast_signed();
        let all = descendants(std::process::id().cast_signed());
        let (private, proportional) = (private_bytes(pid), proportional_bytes(pid));
        child.kill().expect("killed");
        child.wait().expect("collected");
        assert_eq!(line, "ready\n");
        assert!(all.contains(&pid), "{all:?}");
        let expected = (32 << 20)..(64 << 20);
        assert!(
            expected.contains(&private) && expected.contains(&proportional),
            "{private} {proportional}"
        );
        assert_eq!((private_bytes(i32::MAX), proportional_bytes(i32::MAX)), (0, 0));
    }
}
