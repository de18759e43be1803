//! Reports two programs that use the default session at the same time: two agents that
//! were started in one project act in the same tabs unless one names a session.

use std::{
    collections::HashSet,
    str::FromStr,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use browse_process::processes;

/// Time within which two callers use the session together.
const SHARING_SPAN: Duration = Duration::from_secs(60);
/// Callers and reports that are kept; callers that come after that are not reported.
const MAX_ENTRIES: usize = 1_000;
/// Ancestors of a process that are looked at.
const MAX_ANCESTORS: usize = 64;

/// The program that a call comes from, as the command line reports it: a process and its
/// start time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallerProcess {
    pid: i32,
    /// In the clock of the operating system; only compared.
    started: u64,
}

impl FromStr for CallerProcess {
    type Err = ();

    /// Reads `<pid>:<start time>`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (pid, started) = text.split_once(':').ok_or(())?;
        let pid = pid.parse().ok().filter(|pid| *pid > 0).ok_or(())?;
        Ok(Self { pid, started: started.parse().map_err(|_| ())? })
    }
}

impl CallerProcess {
    fn is_running(self) -> bool {
        processes::find_process(self.pid)
            .is_some_and(|process| process.started == self.started && !process.zombie)
    }

    /// Whether `other` is an ancestor of this process.
    fn descends_from(self, other: Self) -> bool {
        let parent = |pid: &i32| processes::find_process(*pid).map(|process| process.parent);
        std::iter::successors(Some(self.pid), parent)
            .take(MAX_ANCESTORS)
            .any(|pid| pid == other.pid)
    }
}

/// Who used the default session lately, and which pairs were reported.
#[derive(Debug, Default)]
pub struct SessionSharing(Mutex<SharingState>);

#[derive(Debug, Default)]
struct SharingState {
    callers: Vec<(CallerProcess, Instant)>,
    /// Who received a report, and about whom.
    reported: HashSet<(CallerProcess, CallerProcess)>,
}

impl SessionSharing {
    /// Records that `caller` uses the session `session` now. The result is a notice for it
    /// when another program did so within a minute and still runs; each pair gets one
    /// notice per side.
    pub fn record(&self, session: &str, caller: CallerProcess) -> Option<String> {
        let others = self.unreported(caller, Instant::now());
        let other = others.into_iter().find(|(other, _)| {
            // A program and the script that it runs are one.
            other.is_running() && !other.descends_from(caller) && !caller.descends_from(*other)
        });
        let (other, idle) = other?;
        self.lock().reported.insert((caller, other));
        let name = processes::process_name(other.pid).unwrap_or_default();
        let name = printable(&name);
        Some(format!(
            "`{name}` (process {}) used the session `{session}` {} s ago and acts in the same \
             tabs; for tabs of your own, run `browse session new NAME` and `export \
             BROWSE_SESSION=NAME`",
            other.pid,
            idle.as_secs(),
        ))
    }

    /// Others that used the session within the span, the last one first, each with the
    /// time since then, without those that `caller` has a report of.
    fn unreported(&self, caller: CallerProcess, now: Instant) -> Vec<(CallerProcess, Duration)> {
        let mut state = self.lock();
        state.callers.retain(|(known, used)| {
            *known != caller && now.saturating_duration_since(*used) < SHARING_SPAN
        });
        let mut others: Vec<_> = state.callers.clone();
        others.retain(|(other, _)| !state.reported.contains(&(caller, *other)));
        others.reverse();
        if state.callers.len() < MAX_ENTRIES {
            state.callers.push((caller, now));
        }
        if state.reported.len() >= MAX_ENTRIES {
            state.reported.retain(|(one, other)| one.is_running() && other.is_running());
        }
        let age =
            |(other, used): (CallerProcess, Instant)| (other, now.saturating_duration_since(used));
        others.into_iter().map(age).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, SharingState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name of a process, which the process can choose, without what a terminal obeys.
fn printable(name: &str) -> String {
    let plain = |letter: &char| letter.is_ascii_alphanumeric() || "-_.+: ".contains(*letter);
    let name: String = name.chars().filter(plain).collect();
    if name.is_empty() { "a process".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    struct Running(Child);

    impl Running {
        fn start() -> Self {
            Self(Command::new("sleep").arg("600").spawn().expect("spawned"))
        }

        fn caller(&self) -> CallerProcess {
            caller_of(self.0.id())
        }
    }

    impl Drop for Running {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn caller_of(pid: u32) -> CallerProcess {
        let process = processes::find_process(pid.cast_signed()).expect("runs");
        CallerProcess { pid: process.pid, started: process.started }
    }

    #[test]
    fn two_programs_are_reported_to_each_other_once() {
        let (one, two) = (Running::start(), Running::start());
        let sharing = SessionSharing::default();
        assert_eq!(sharing.record("default", one.caller()), None);
        let notice = sharing.record("default", two.caller()).expect("a notice");
        let pid = one.0.id();
        assert!(notice.starts_with(&format!("`sleep` (process {pid}) used")), "{notice}");
        assert_eq!(sharing.record("default", two.caller()), None);
        assert!(sharing.record("default", one.caller()).is_some());
        assert_eq!(sharing.record("default", one.caller()), None);
    }

    #[test]
    fn a_parent_an_ended_process_and_an_old_use_are_not_reported() {
        let (one, two) = (Running::start(), Running::start());
        let sharing = SessionSharing::default();
        let parent = caller_of(std::process::id());
        assert_eq!(sharing.record("default", parent), None);
        assert_eq!(sharing.record("default", one.caller()), None, "a child of the first");
        assert_eq!(sharing.record("default", parent), None);

        let sharing = SessionSharing::default();
        let ended = one.caller();
        assert_eq!(sharing.record("default", ended), None);
        drop(one);
        assert_eq!(sharing.record("default", two.caller()), None, "the other one ended");

        let sharing = SessionSharing::default();
        assert_eq!(sharing.record("default", parent), None);
        let later = Instant::now() + SHARING_SPAN;
        assert_eq!(sharing.unreported(two.caller(), later), Vec::new());
    }

    #[test]
    fn a_hint_that_names_no_process_is_ignored() {
        for text in ["", "1", ":", "x:1", "1:x", "-1:5", "0:5", "1:2:3", "99999999999:1"] {
            assert_eq!(text.parse::<CallerProcess>(), Err(()), "{text}");
        }
        let absent: CallerProcess = "1234567:1".parse().expect("a caller");
        assert!(!absent.is_running());
    }

    #[test]
    fn the_name_of_a_process_holds_no_control_characters() {
        assert_eq!(printable("cla\u{1b}[31mude`; "), "cla31mude ");
        assert_eq!(printable("\n"), "a process");
    }
}
