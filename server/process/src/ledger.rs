//! The lines between daemon and guardian, and the list they add up to.
//!
//! ```text
//! kill 4711 98765          process and everything below it, if it still started then
//! kill-marked 0f…          processes whose environment carries that mark
//! remove /tmp/x            file or directory
//! remove-if-pid 4700 /p    a state file, if it still names that pid
//! forget kill 4711 98765   takes an earlier line back
//! ```

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::mark::ProcessMark;

/// One thing that must not stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LedgerEntry {
    /// A process, its descendants and its process group.
    Kill { pid: i32, started: u64 },
    /// All who carry a mark.
    KillMarked(ProcessMark),
    /// A file or a directory.
    Remove(PathBuf),
    /// A JSON file, only while its `pid` field is this.
    RemoveIfPid { pid: i32, path: PathBuf },
}

impl LedgerEntry {
    /// The line for this entry, without its end.
    pub(crate) fn to_line(&self) -> String {
        match self {
            Self::Kill { pid, started } => format!("kill {pid} {started}"),
            Self::KillMarked(mark) => format!("kill-marked {}", mark.text()),
            Self::Remove(path) => format!("remove {}", escape(path)),
            Self::RemoveIfPid { pid, path } => format!("remove-if-pid {pid} {}", escape(path)),
        }
    }

    /// Reads a line; `None` when it is not one of ours.
    fn parse(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ')?;
        match word {
            "kill-marked" => ProcessMark::parse(rest).map(Self::KillMarked),
            "kill" => {
                let (pid, started) = rest.split_once(' ')?;
                Some(Self::Kill {
                    pid: pid.parse().ok().filter(|pid| *pid > 1)?,
                    started: started.parse().ok()?,
                })
            }
            "remove" => unescape(rest).map(Self::Remove),
            "remove-if-pid" => {
                let (pid, path) = rest.split_once(' ')?;
                Some(Self::RemoveIfPid { pid: pid.parse().ok()?, path: unescape(path)? })
            }
            _ => None,
        }
    }
}

/// The entries in force.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Vec<LedgerEntry>);

impl Ledger {
    /// Applies one line.
    pub(crate) fn apply(&mut self, line: &str) {
        if let Some(entry) = line.strip_prefix("forget ").and_then(LedgerEntry::parse) {
            self.forget(&entry);
        } else if let Some(entry) = LedgerEntry::parse(line) {
            self.add(entry);
        }
    }

    /// Adds an entry once.
    pub(crate) fn add(&mut self, entry: LedgerEntry) {
        if !self.0.contains(&entry) {
            self.0.push(entry);
        }
    }

    /// Takes an entry back.
    pub(crate) fn forget(&mut self, entry: &LedgerEntry) {
        self.0.retain(|known| known != entry);
    }

    /// What is in force, in the order it came.
    pub(crate) fn entries(&self) -> &[LedgerEntry] {
        &self.0
    }
}

/// Paths are bytes; lines are not. Everything but plain ASCII is `%XX`.
fn escape(path: &Path) -> String {
    path.as_os_str()
        .as_bytes()
        .iter()
        .map(|byte| match byte {
            b'!'..=b'~' if *byte != b'%' => (*byte as char).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// The path of an escaped text; only absolute ones are taken.
fn unescape(text: &str) -> Option<PathBuf> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        if *first == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    let path = PathBuf::from(OsString::from_vec(bytes));
    // `/` itself can only be a mistake.
    (path.is_absolute() && path.parent().is_some()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_as_they_went() {
        let odd = PathBuf::from(OsString::from_vec(b"/tmp/a b\n%\xff/c".to_vec()));
        for entry in [
            LedgerEntry::Kill { pid: 4711, started: 98765 },
            LedgerEntry::KillMarked(ProcessMark::new().expect("random numbers")),
            LedgerEntry::Remove(odd.clone()),
            LedgerEntry::RemoveIfPid { pid: 12, path: odd },
        ] {
            let line = entry.to_line();
            assert!(!line.contains('\n'));
            assert_eq!(LedgerEntry::parse(&line), Some(entry));
        }
    }

    #[test]
    fn forgetting_takes_back_exactly_one_entry() {
        let mut ledger = Ledger::default();
        for line in ["remove /a", "remove /b", "remove /a", "forget remove /a", "nonsense"] {
            ledger.apply(line);
        }
        assert_eq!(ledger.entries(), [LedgerEntry::Remove("/b".into())]);
    }

    #[test]
    fn dangerous_lines_are_ignored() {
        for line in [
            "remove /",
            "remove relative",
            "kill 1 0",
            "kill 0 0",
            "kill -1 0",
            "kill-marked ",
            "kill-marked ab",
        ] {
            assert_eq!(LedgerEntry::parse(line), None, "{line}");
        }
    }
}
