//! A control group (cgroup v2) for one run, where one can be had: the kernel holds all
//! of its processes together to their limits, buffers and tables included.
//!
//! It is made beside one of the groups that this process is in: only where their owner
//! has handed out memory and processes already, and lets us make another. A group with
//! processes, as our own, cannot hand out anything.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::unistd::Pid;

use crate::skills::process_plan::Limits;

/// What the name of each begins with; the pid of its supervisor follows.
const GROUP_NAME_PREFIX: &str = "browse-run-";

/// Times that a group is removed, which the kernel refuses until all processes in it are
/// cleared away.
const MAX_REMOVE_ATTEMPTS: u32 = 20;

/// A group of our own. Dropping it removes it.
#[derive(Debug)]
pub struct ControlGroup(PathBuf);

impl ControlGroup {
    /// A group with these limits that holds this process and all that it will start;
    /// none where there is none to be had.
    pub fn create(process: Pid, limits: &Limits) -> Option<Self> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        let ours = fs::read_to_string("/proc/self/cgroup").ok()?;
        let own = own_cgroup(&cgroup_mount(&mounts)?, &ours)?;
        Self::create_below(&own, process, limits)
    }

    /// The same, where this is the group of this process.
    fn create_below(
        (root, own): &(PathBuf, PathBuf),
        process: Pid,
        limits: &Limits,
    ) -> Option<Self> {
        let outer = own.ancestors().take_while(|folder| folder.starts_with(root));
        outer.filter(|folder| delegates_controllers(folder)).find_map(|folder| {
            remove_stale(folder);
            let group = folder.join(format!("{GROUP_NAME_PREFIX}{}", std::process::id()));
            fs::create_dir(&group).ok()?;
            let group = Self(group);
            group.configure(process, limits).ok().map(|()| group)
        })
    }

    fn configure(&self, process: Pid, limits: &Limits) -> io::Result<()> {
        let set = |file: &str, value: &str| fs::write(self.0.join(file), value);
        set("memory.max", &limits.together.to_string())?;
        // Not on every kernel; without swap there is none to limit.
        let _ = set("memory.swap.max", "0");
        // One of them without the others is of no use.
        set("memory.oom.group", "1")?;
        set("pids.max", &limits.processes.to_string())?;
        set("cgroup.procs", &process.to_string())
    }

    /// Whether the kernel has ended it for its memory.
    pub fn was_exceeded(&self) -> bool {
        let events = fs::read_to_string(self.0.join("memory.events")).unwrap_or_default();
        let mut kills = events.lines().filter_map(|line| line.strip_prefix("oom_kill "));
        kills.any(|count| count != "0")
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        for _ in 0..MAX_REMOVE_ATTEMPTS {
            match fs::remove_dir(&self.0) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    thread::sleep(Duration::from_millis(1));
                }
                _ => return,
            }
        }
    }
}

/// Where the hierarchy is mounted, and which of its groups is the root there.
fn cgroup_mount(mounts: &str) -> Option<(PathBuf, PathBuf)> {
    let (fields, _) = mounts.lines().filter_map(|line| line.split_once(" - cgroup2 ")).next()?;
    let mut fields = fields.split(' ').skip(3);
    let (root, place) = (fields.next()?, fields.next()?);
    Some((place.into(), root.into()))
}

/// Where it is mounted, and the folder of our own group.
fn own_cgroup((place, root): &(PathBuf, PathBuf), ours: &str) -> Option<(PathBuf, PathBuf)> {
    let group = ours.lines().find_map(|line| line.strip_prefix("0::"))?;
    let inner = Path::new(group).strip_prefix(root).ok()?;
    // A group outside of what is mounted is shown so.
    (!group.contains("..")).then(|| (place.clone(), place.join(inner)))
}

/// Whether groups in this one have memory and processes of their own.
fn delegates_controllers(folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
    let has = |name| text.split_whitespace().any(|controller| controller == name);
    has("memory") && has("pids")
}

/// Removes the groups of supervisors that were killed. Those with processes stay.
fn remove_stale(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(GROUP_NAME_PREFIX));
        if pid.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};

    use nix::unistd::Pid;

    use super::{ControlGroup, GROUP_NAME_PREFIX, cgroup_mount, own_cgroup};
    use crate::skills::process_plan::{Limits, Purpose};

    const MOUNTS: &str = "22 1 0:20 / /proc rw - proc proc rw\n\
        32 25 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

    /// Shows nothing where there is no group to be had.
    #[test]
    fn the_kernel_ends_what_takes_more() {
        let mut child = Command::new("sh");
        child.args(["-c", "read line; head -c 200m /dev/zero | tail -c 200m"]);
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("spawned");
        let limits = Limits::for_purpose(Purpose::Run).with_memory(64 << 20);
        let group = ControlGroup::create(Pid::from_raw(child.id().cast_signed()), &limits);
        if let Some(group) = group {
            child.stdin.take().expect("piped").write_all(b"\n").expect("it reads");
            assert!(!child.wait().expect("collected").success());
            assert!(group.was_exceeded());
            let folder = group.0.clone();
            drop(group);
            assert!(!folder.exists(), "{} is left", folder.display());
            println!("the kernel ended it");
            return;
        }
        child.kill().expect("killed");
        child.wait().expect("collected");
    }

    #[test]
    fn our_group_is_found() {
        let place = cgroup_mount(MOUNTS).expect("it is mounted");
        assert_eq!(place, ("/sys/fs/cgroup".into(), "/".into()));
        let ours = "1:name=systemd:/x\n0::/user.slice/a.scope\n";
        let own_group = PathBuf::from("/sys/fs/cgroup/user.slice/a.scope");
        assert_eq!(own_cgroup(&place, ours), Some(("/sys/fs/cgroup".into(), own_group)));
        assert_eq!(own_cgroup(&place, "0::/../b\n"), None);
        assert_eq!(own_cgroup(&place, "4:memory:/a\n"), None);
        assert_eq!(cgroup_mount("22 1 0:20 / /proc rw - proc proc rw\n"), None);
    }

    /// Ordinary files, as the kernel names its own.
    #[test]
    fn the_nearest_group_that_hands_out_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let hands = |path: &Path, text: &str| {
            fs::create_dir_all(path).expect("made");
            fs::write(path.join("cgroup.subtree_control"), text).expect("written");
        };
        let (slice, scope) = (root.join("slice"), root.join("slice/a.scope"));
        hands(root, "cpu memory pids");
        hands(&slice, "cpu pids memory");
        hands(&scope, "");
        let place = (root.to_owned(), scope);
        let limits = Limits::for_purpose(Purpose::Run).with_memory(256 << 20);
        let group = ControlGroup::create_below(&place, Pid::from_raw(7), &limits).expect("a group");
        assert_eq!(group.0, slice.join(format!("{GROUP_NAME_PREFIX}{}", std::process::id())));
        let file = |name: &str| fs::read_to_string(group.0.join(name)).expect("written");
        assert_eq!((&*file("memory.max"), &*file("pids.max")), ("268435456", "128"));
        assert_eq!((&*file("memory.oom.group"), &*file("cgroup.procs")), ("1", "7"));
        assert!(!group.was_exceeded());
        fs::write(group.0.join("memory.events"), "oom 1\noom_kill 3\n").expect("written");
        assert!(group.was_exceeded());
        hands(root, "cpu pids");
        hands(&slice, "memory");
        assert!(ControlGroup::create_below(&place, Pid::from_raw(7), &limits).is_none());
    }
}
