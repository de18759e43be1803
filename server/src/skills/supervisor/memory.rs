//! Holds all processes of a skill together to a limit of memory. The kernel
//! limits each of them; a control group, which would limit all, is seldom ours
//! to make. So they are looked at ten times a second, and ended when they have
//! more: what is taken and given back in between goes unseen.

use std::fs;
use std::thread;
use std::time::Duration;

use nix::unistd::Pid;

const BETWEEN: Duration = Duration::from_millis(100);

/// Looks at `child` and all below it from now on; `end` ends them.
pub fn watch(child: Pid, most: u64, end: impl FnOnce() + Send + 'static) {
    thread::spawn(move || {
        loop {
            thread::sleep(BETWEEN);
            let all = below(child.as_raw());
            // Pages that several share count for each, until that matters.
            if all.iter().map(|pid| own(*pid)).sum::<u64>() > most
                && all.iter().map(|pid| share(*pid)).sum::<u64>() > most
            {
                eprintln!(
                    "error: the skill was ended: its processes took more than {} MiB of memory together",
                    most >> 20
                );
                end();
                return;
            }
        }
    });
}

/// The process and all below it.
fn below(root: i32) -> Vec<i32> {
    let mut all = vec![root];
    let mut next = 0;
    while let Some(pid) = all.get(next).copied() {
        next += 1;
        let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        for thread in threads {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            all.extend(children.split_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
        }
    }
    all
}

/// Bytes of memory that is of no file.
fn own(pid: i32) -> u64 {
    sum(&format!("/proc/{pid}/status"), &["RssAnon:", "RssShmem:", "VmSwap:"]).unwrap_or(0)
}

/// The same, with its share of what it shares with others.
fn share(pid: i32) -> u64 {
    let exact = sum(&format!("/proc/{pid}/smaps_rollup"), &["Pss_Anon:", "Pss_Shmem:", "SwapPss:"]);
    exact.unwrap_or_else(|| own(pid))
}

/// The sum of these lines of a file, which are in KiB; none when it has none.
fn sum(file: &str, names: &[&str]) -> Option<u64> {
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
    use super::{below, own, share};

    #[test]
    fn our_memory_is_seen_and_our_children() {
        let own_pid = std::process::id().cast_signed();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("spawned");
        let all = below(own_pid);
        assert!(all.contains(&own_pid) && all.contains(&child.id().cast_signed()), "{all:?}");
        child.kill().expect("killed");
        child.wait().expect("collected");
        let before = share(own_pid);
        let memory = vec![1u8; 32 << 20];
        assert!(own(own_pid) >= 32 << 20 && share(own_pid) >= before + (24 << 20));
        assert_eq!(memory[memory.len() - 1], 1);
        assert_eq!((own(i32::MAX), share(i32::MAX)), (0, 0));
    }
}
