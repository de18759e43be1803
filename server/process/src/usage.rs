//! What memory processes take.

use super::processes::{all_processes, process_tree};

/// The memory of one process, in bytes.
#[derive(Debug, Clone)]
pub struct ProcessUsage {
    /// Process id.
    pub pid: u32,
    /// Process id of its parent.
    pub parent: u32,
    /// What it is for: the type that Chromium gives it, else its program.
    pub kind: String,
    /// Resident memory.
    pub rss: u64,
    /// The same with shared pages divided among those who share them.
    pub pss: Option<u64>,
}

/// This process and all below it, itself first. Reads files: not for a task.
pub fn own_process_tree() -> Vec<ProcessUsage> {
    let all = all_processes();
    let pids = process_tree(std::process::id() as i32, &all);
    let known = pids.iter().filter_map(|pid| all.iter().find(|process| process.pid == *pid));
    let known = known.filter(|process| !process.zombie);
    known
        .filter_map(|process| {
            let (rss, pss) = system::memory(process.pid)?;
            let kind = kind(&system::command(process.pid));
            let (pid, parent) = (process.pid as u32, process.parent as u32);
            Some(ProcessUsage { pid, parent, kind, rss, pss })
        })
        .collect()
}

/// The kind of process that was started with this command line, whose words
/// end in NUL or, where a process wrote it itself, in blanks.
fn kind(command: &str) -> String {
    let mut words = command.split(['\0', ' ']);
    let program = words.next().unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or(program);
    if words.clone().any(|word| word == super::process::GUARDIAN_FLAG) {
        return "guardian".to_owned();
    }
    let found = words.find_map(|word| word.strip_prefix("--type="));
    found.unwrap_or(name).chars().take(40).collect()
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs::read_to_string;

    /// Resident memory, and the share where we may read it.
    pub(super) fn memory(pid: i32) -> Option<(u64, Option<u64>)> {
        let kilobytes = |text: &str, key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key))?;
            line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|number| number << 10)
        };
        let status = read_to_string(format!("/proc/{pid}/status")).ok()?;
        let rollup = read_to_string(format!("/proc/{pid}/smaps_rollup")).ok();
        let pss = rollup.and_then(|text| kilobytes(&text, "Pss:"));
        Some((kilobytes(&status, "VmRSS:")?, pss))
    }

    pub(super) fn command(pid: i32) -> String {
        let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::process::Command;

    fn ps(pid: i32, column: &str) -> Option<String> {
        let output =
            Command::new("ps").args(["-o", column, "-p", &pid.to_string()]).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    pub(super) fn memory(pid: i32) -> Option<(u64, Option<u64>)> {
        let kilobytes: u64 = ps(pid, "rss=")?.parse().ok()?;
        Some((kilobytes << 10, None))
    }

    pub(super) fn command(pid: i32) -> String {
        ps(pid, "command=").unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_told_by_their_command_lines() {
        let table = [
            ("/usr/lib/chromium/chromium\0--type=renderer\0--lang=en\0", "renderer"),
            ("/usr/lib/chromium/chromium --type=gpu-process --x", "gpu-process"),
            ("/usr/bin/node\0script.ts\0", "node"),
            ("/opt/browsed\0--guardian\0", "guardian"),
            ("", ""),
        ];
        for (command, expected) in table {
            assert_eq!(kind(command), expected, "{command}");
        }
    }

    #[test]
    fn this_process_is_the_first() {
        let usage = own_process_tree();
        assert_eq!(usage[0].pid, std::process::id());
        assert!(usage[0].rss > 1 << 20, "a test takes more than 1 MiB: {:?}", usage[0]);
    }
}
