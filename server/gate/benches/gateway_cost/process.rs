//! What the kernel counts for a process, and on which cores it may run.

use std::{collections::HashMap, fs, process::Command, time::Duration};

use serde::Serialize;

use super::failure::{During as _, Failure, Outcome};

/// Milliseconds of one tick, in which `/proc` counts processor time (USER_HZ).
const TICK_MS: u64 = 10;

/// Memory of a process, in bytes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Memory {
    /// All that is resident, with the pages of its program.
    pub resident: u64,
    /// What it has written itself.
    pub anonymous: u64,
}

/// A line of the table of processes.
struct Stat {
    parent: u32,
    cpu_time: Duration,
}

/// The memory of a process.
///
/// # Errors
/// It has ended.
pub fn memory(pid: u32) -> Outcome<Memory> {
    let path = format!("/proc/{pid}/status");
    let text = fs::read_to_string(&path).during(&path)?;
    Ok(Memory { resident: bytes_of(&text, "VmRSS:")?, anonymous: bytes_of(&text, "RssAnon:")? })
}

/// The processor time that a process has used, in user and kernel mode.
///
/// # Errors
/// It has ended.
pub fn cpu_time(pid: u32) -> Outcome<Duration> {
    let path = format!("/proc/{pid}/stat");
    let text = fs::read_to_string(&path).during(&path)?;
    let stat = parse_stat(&text);
    stat.map(|stat| stat.cpu_time).ok_or_else(|| Failure::general(format!("{path}: `{text}`")))
}

/// The processor time of a process and of all below it that run.
///
/// # Errors
/// `/proc` cannot be read.
pub fn cpu_time_of_tree(root: u32) -> Outcome<Duration> {
    let mut all = HashMap::new();
    for entry in fs::read_dir("/proc").during("/proc")? {
        let Ok(entry) = entry else { continue };
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        // One that has ended meanwhile has no file any more.
        let Ok(text) = fs::read_to_string(entry.path().join("stat")) else { continue };
        if let Some(stat) = parse_stat(&text) {
            all.insert(pid, stat);
        }
    }
    let is_below = |mut pid: u32| {
        while let Some(stat) = all.get(&pid) {
            if pid == root {
                return true;
            }
            pid = stat.parent;
        }
        false
    };
    Ok(all.iter().filter(|(pid, _)| is_below(**pid)).map(|(_, stat)| stat.cpu_time).sum())
}

/// The cores on which this process may run.
///
/// # Errors
/// `/proc` cannot be read.
pub fn allowed_cores() -> Outcome<Vec<usize>> {
    let path = "/proc/self/status";
    let text = fs::read_to_string(path).during(path)?;
    let list = text.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.and_then(|list| parse_cores(list.trim()))
        .ok_or_else(|| Failure::general(format!("{path} does not list the allowed cores")))
}

/// Checks that this process, and those that it starts, may open as many files.
///
/// # Errors
/// They may not.
pub fn check_open_files(needed: u64) -> Outcome<()> {
    let path = "/proc/self/limits";
    let text = fs::read_to_string(path).during(path)?;
    let line = text.lines().find_map(|line| line.strip_prefix("Max open files"));
    let limit = line.and_then(|line| line.split_whitespace().next()).unwrap_or("unlimited");
    match limit.parse::<u64>() {
        Ok(limit) if limit < needed => Err(Failure::new(
            format!("{needed} open files are needed, and {limit} are allowed"),
            format!("Run `ulimit -n {needed}` first, or use deploy/gateway-cost.sh"),
        )),
        _ => Ok(()),
    }
}

/// Keeps this process on these cores.
///
/// # Errors
/// `taskset` is missing, or refuses.
pub fn pin_self(cores: &[usize]) -> Outcome<()> {
    let list: Vec<String> = cores.iter().map(ToString::to_string).collect();
    let pid = std::process::id().to_string();
    let output = Command::new("taskset").args(["-a", "-p", "-c", &list.join(","), &pid]).output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(unpinned(String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Err(unpinned(&error.to_string())),
    }
}

fn unpinned(why: &str) -> Failure {
    let hint = "Install util-linux, which has `taskset`, or pass `--no-pin`";
    Failure::new(format!("this process cannot be kept on some cores: {why}"), hint)
}

fn bytes_of(text: &str, key: &str) -> Outcome<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    let number =
        line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    number
        .map(|kibibytes| kibibytes << 10)
        .ok_or_else(|| Failure::general(format!("`{key}` is missing in the status of a process")))
}

/// Reads a line of `/proc/PID/stat`. Format: proc_pid_stat(5).
fn parse_stat(text: &str) -> Option<Stat> {
    // The name of the program is in brackets, and may have blanks and brackets itself.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    let ticks = number(11)?.checked_add(number(12)?)?;
    Some(Stat {
        parent: u32::try_from(number(1)?).ok()?,
        cpu_time: Duration::from_millis(ticks.checked_mul(TICK_MS)?),
    })
}

/// The cores of a list such as `0-2,5`.
fn parse_cores(list: &str) -> Option<Vec<usize>> {
    let mut cores = Vec::new();
    for range in list.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        cores.extend(first.parse::<usize>().ok()?..=last.parse::<usize>().ok()?);
    }
    Some(cores)
}
