//! Looking at processes from outside, through /proc.

use std::path::Path;
use std::time::{Duration, Instant};

/// A process that cannot be mistaken for a later one with its pid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub pid: i32,
    pub parent: i32,
    started: String,
    pub command: String,
}

fn look(pid: i32) -> Option<Seen> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    if matches!(fields[0], "Z" | "X") {
        return None;
    }
    let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    Some(Seen {
        pid,
        parent: fields[1].parse().ok()?,
        started: fields[19].to_owned(),
        command: String::from_utf8_lossy(&command).replace('\0', " "),
    })
}

fn all() -> Vec<Seen> {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| look(entry.file_name().to_str()?.parse().ok()?))
        .collect()
}

/// All descendants of a process.
pub fn below(root: u32) -> Vec<Seen> {
    let all = all();
    let mut found = vec![root as i32];
    let mut below = Vec::new();
    while let Some(parent) = found.pop() {
        for process in all.iter().filter(|process| process.parent == parent) {
            found.push(process.pid);
            below.push(process.clone());
        }
    }
    below
}

/// All processes whose environment mentions a folder.
pub fn living_in(folder: &Path) -> Vec<Seen> {
    let folder = folder.to_str().unwrap().as_bytes();
    let mentions = |process: &Seen| {
        std::fs::read(format!("/proc/{}/environ", process.pid))
            .is_ok_and(|environment| environment.windows(folder.len()).any(|part| part == folder))
    };
    all().into_iter().filter(mentions).collect()
}

pub fn still_there(process: &Seen) -> bool {
    look(process.pid).is_some_and(|now| now.started == process.started)
}

/// Waits until `left` finds nothing; answers how long that took.
pub fn wait_clean(max_wait: Duration, mut left: impl FnMut() -> Vec<String>) -> Duration {
    let start = Instant::now();
    loop {
        let found = left();
        if found.is_empty() {
            return start.elapsed();
        }
        assert!(start.elapsed() < max_wait, "still there after {max_wait:?}: {found:#?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
