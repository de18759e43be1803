//! A mark in the environment of a program, by which all that it started is found
//! when nobody is left who watched over it. What has cleared its environment, or
//! is another user's, is not found.

use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::processes;
use browse_base::{Result, hex, random};

/// Letters of a mark.
const MARK_CHARS: usize = 32;
/// Rounds of looking for those who carry one.
const MAX_ROUNDS: usize = 200;
/// Between two rounds.
const ROUND_INTERVAL: Duration = Duration::from_millis(5);

/// A mark that nobody else has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessMark(String);

impl ProcessMark {
    /// The variable that holds it.
    pub const VARIABLE: &str = "BROWSE_PROCESS_MARK";

    /// A new one.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new() -> Result<Self> {
        Ok(Self(hex(&random::<16>()?)))
    }

    /// Reads one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let good = text.len() == MARK_CHARS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        good.then(|| Self(text.to_owned()))
    }

    /// What the variable holds.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Ends all who carry it. Who is found is stopped first and killed when
    /// nobody new turns up, so that nobody can outrun it by forking.
    pub fn kill_all(&self) {
        let entry = format!("{}={}", Self::VARIABLE, self.0);
        let mut known = Vec::new();
        let mut was_empty = false;
        for _ in 0..MAX_ROUNDS {
            let found = processes::processes_with_variable(&entry);
            // Who becomes another program at this moment has no environment.
            if found.is_empty() && was_empty {
                return;
            }
            was_empty = found.is_empty();
            let is_settled = found.iter().all(|pid| known.contains(pid));
            let signal = if is_settled { Signal::SIGKILL } else { Signal::SIGSTOP };
            for pid in &found {
                let _ = kill(Pid::from_raw(*pid), signal);
            }
            known = found;
            std::thread::sleep(ROUND_INTERVAL);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn who_carries_it_ends_wherever_it_went_and_nobody_else_does() {
        let [mark, other] =
            [ProcessMark::new(), ProcessMark::new()].map(|mark| mark.expect("random numbers"));
        let start = |mark: &ProcessMark| {
            let mut command = std::process::Command::new("setsid");
            command.args(["sleep", "600"]).env(ProcessMark::VARIABLE, mark.text());
            command.spawn().expect("spawned")
        };
        let (mut ours, mut others) = (start(&mark), start(&other));
        let carried = |mark: &ProcessMark| {
            let entry = format!("{}={}", ProcessMark::VARIABLE, mark.text());
            while processes::processes_with_variable(&entry).is_empty() {
                std::thread::yield_now();
            }
        };
        carried(&mark);
        carried(&other);
        mark.kill_all();
        assert!(ours.wait().expect("collected").code().is_none(), "killed by a signal");
        assert!(others.try_wait().expect("asked").is_none(), "somebody else was killed");
        other.kill_all();
        others.wait().expect("collected");
        assert_eq!(ProcessMark::parse(mark.text()), Some(mark));
        assert!(ProcessMark::parse("").is_none() && ProcessMark::parse(&"x".repeat(32)).is_none());
    }
}
