//! Looking at processes without mistaking one for another.
//!
//! A pid alone may have been given to somebody else meanwhile; a pid with its
//! start time cannot.

/// What is known of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessInfo {
    pub pid: i32,
    pub parent: i32,
    pub group: i32,
    /// In the clock of the operating system; only compared.
    pub started: u64,
    /// Ended, but not yet collected by its parent.
    pub zombie: bool,
}

/// Looks one process up.
pub fn find_process(pid: i32) -> Option<ProcessInfo> {
    system::look(pid)
}

/// The name of the program that a process runs, at most 15 bytes, which the process can
/// change.
pub fn process_name(pid: i32) -> Option<String> {
    system::name(pid)
}

/// All processes that can be seen.
pub fn all_processes() -> Vec<ProcessInfo> {
    system::pids().into_iter().filter_map(system::look).collect()
}

/// The children of this process, which takes no look at all others; `None`
/// where the system does not tell.
pub fn own_children() -> Option<Vec<i32>> {
    system::own_children()
}

/// Those who were started with `entry`, but for this process. Nobody where
/// the system does not tell.
pub fn processes_with_variable(entry: &str) -> Vec<i32> {
    let us = std::process::id().cast_signed();
    let carries = |pid: &i32| {
        let environment = system::environment(*pid).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|found| found == entry.as_bytes())
    };
    let living = |pid: &i32| find_process(*pid).is_some_and(|process| !process.zombie);
    system::pids().into_iter().filter(|pid| *pid != us && carries(pid) && living(pid)).collect()
}

/// The process and all below it, the process itself first.
pub fn process_tree(root: i32, all: &[ProcessInfo]) -> Vec<i32> {
    let mut tree = vec![root];
    let mut next = 0;
    while let Some(parent) = tree.get(next).copied() {
        next += 1;
        let children = all.iter().filter(|process| process.parent == parent);
        tree.extend(children.map(|process| process.pid).filter(|pid| *pid != parent));
    }
    tree
}

#[cfg(target_os = "linux")]
mod system {
    use super::ProcessInfo;

    pub(super) fn look(pid: i32) -> Option<ProcessInfo> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may hold anything, parentheses included.
        let (_, fields) = stat.rsplit_once(") ")?;
        let field = |number: usize| fields.split(' ').nth(number - 3);
        Some(ProcessInfo {
            pid,
            parent: field(4)?.parse().ok()?,
            group: field(5)?.parse().ok()?,
            started: field(22)?.trim().parse().ok()?,
            zombie: matches!(field(3)?, "Z" | "X"),
        })
    }

    pub(super) fn name(pid: i32) -> Option<String> {
        let name = std::fs::read(format!("/proc/{pid}/comm")).ok()?;
        Some(String::from_utf8_lossy(&name).trim_end().to_owned())
    }

    pub(super) fn environment(pid: i32) -> Option<Vec<u8>> {
        std::fs::read(format!("/proc/{pid}/environ")).ok()
    }

    /// Each thread has a list of its own.
    pub(super) fn own_children() -> Option<Vec<i32>> {
        let mut children = Vec::new();
        for thread in std::fs::read_dir("/proc/self/task").ok()? {
            let list = std::fs::read_to_string(thread.ok()?.path().join("children")).ok()?;
            children.extend(list.split_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
        }
        Some(children)
    }

    pub(super) fn pids() -> Vec<i32> {
        let Ok(folder) = std::fs::read_dir("/proc") else {
            return Vec::new();
        };
        folder.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
    }
}

#[cfg(target_os = "macos")]
mod system {
    use super::ProcessInfo;
    use nix::libc;

    #[allow(unsafe_code)]
    pub(super) fn look(pid: i32) -> Option<ProcessInfo> {
        // SAFETY: the buffer is a plain C struct of exactly the size we pass.
        let info: libc::proc_bsdinfo = unsafe {
            let mut info: libc::proc_bsdinfo = std::mem::zeroed();
            let size = std::mem::size_of::<libc::proc_bsdinfo>() as libc::c_int;
            let buffer = std::ptr::from_mut(&mut info).cast();
            let written = libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, buffer, size);
            (written == size).then_some(info)?
        };
        Some(ProcessInfo {
            pid,
            parent: info.pbi_ppid as i32,
            group: info.pbi_pgid as i32,
            started: info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec,
            zombie: info.pbi_status == libc::SZOMB,
        })
    }

    pub(super) fn name(_: i32) -> Option<String> {
        None
    }

    pub(super) fn environment(_: i32) -> Option<Vec<u8>> {
        None
    }

    pub(super) fn own_children() -> Option<Vec<i32>> {
        None
    }

    #[allow(unsafe_code)]
    pub(super) fn pids() -> Vec<i32> {
        let mut pids = vec![0i32; 16 * 1024];
        let size = std::mem::size_of_val(pids.as_slice()) as libc::c_int;
        // SAFETY: the buffer has exactly the size we pass.
        let count = unsafe { libc::proc_listallpids(pids.as_mut_ptr().cast(), size) };
        pids.truncate(usize::try_from(count).unwrap_or_default());
        pids
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn we_find_ourselves_and_our_child() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("spawned");
        let pid = child.id() as i32;
        let us = std::process::id() as i32;
        let seen = find_process(pid).expect("there");
        assert_eq!((seen.parent, seen.zombie), (us, false));
        assert!(process_tree(us, &all_processes()).contains(&pid));
        assert!(own_children().is_none_or(|children| children.contains(&pid)));
        child.kill().expect("killed");
        child.wait().expect("collected");
        assert!(find_process(pid).is_none_or(|other| other.started != seen.started));
    }
}
