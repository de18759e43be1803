//! The program that a call comes from: the nearest ancestor of this process that outlives
//! the call, which is an agent or an interactive shell.
//!
//! The daemon gets it as a hint to report two agents in one session. It grants nothing.

/// Ancestors that are looked at.
const MAX_ANCESTORS: usize = 16;

/// The caller as `<pid>:<start time>`, in clock ticks since the system started; `None`
/// where the system does not show ancestors.
pub fn nearest_lasting_ancestor() -> Option<String> {
    let mut pid = std::os::unix::process::parent_id();
    for _ in 0..MAX_ANCESTORS {
        let process = system::find(pid)?;
        if !ends_with_its_command(&process.name, || system::arguments(pid)) {
            return Some(format!("{pid}:{}", process.started));
        }
        pid = process.parent;
    }
    None
}

/// Whether a program ends when the command that it was started for does: a shell with
/// `-c`, or a wrapper such as `timeout`.
fn ends_with_its_command(name: &str, arguments: impl FnOnce() -> Vec<String>) -> bool {
    match name {
        "sh" | "bash" | "dash" | "zsh" | "fish" | "ksh" | "ash" | "busybox" => {
            let is_command = |word: &String| {
                word.starts_with('-') && !word.starts_with("--") && word.contains('c')
            };
            arguments().iter().skip(1).take_while(|word| word.starts_with('-')).any(is_command)
        }
        "timeout" | "time" | "sudo" | "doas" | "xargs" | "script" | "strace" | "npx" => true,
        _ => false,
    }
}

struct Ancestor {
    name: String,
    parent: u32,
    started: u64,
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;

    use super::Ancestor;

    pub(super) fn find(pid: u32) -> Option<Ancestor> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses can contain anything, parentheses included.
        let (head, fields) = stat.rsplit_once(") ")?;
        let (_, name) = head.split_once('(')?;
        let field = |number: usize| fields.split(' ').nth(number - 3);
        Some(Ancestor {
            name: name.to_owned(),
            parent: field(4)?.parse().ok()?,
            started: field(22)?.trim().parse().ok()?,
        })
    }

    pub(super) fn arguments(pid: u32) -> Vec<String> {
        let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::Ancestor;

    pub(super) fn find(_: u32) -> Option<Ancestor> {
        None
    }

    pub(super) fn arguments(_: u32) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_that_runs_one_command_ends_with_it() {
        let ends = |line: &str| {
            let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
            ends_with_its_command(&words[0].clone(), || words)
        };
        for line in ["bash -c ls", "sh -lc ls", "bash -e -c ls", "timeout 5 browse tabs"] {
            assert!(ends(line), "{line}");
        }
        for line in ["bash", "zsh -l", "bash run.sh -c", "bash --norc", "claude", "node agent.js"] {
            assert!(!ends(line), "{line}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_ancestor_is_a_process_that_runs() {
        let caller = nearest_lasting_ancestor().expect("an ancestor");
        let (pid, started) = caller.split_once(':').expect("pid and start time");
        let process = system::find(pid.parse().expect("a number")).expect("runs");
        assert_eq!(process.started.to_string(), started);
    }
}
