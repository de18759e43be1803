//! Why a daemon did not come up, from what it left on its standard error.

use std::{
    fs, io,
    path::Path,
    process::{self, ExitStatus},
};

use browse_proto::Reason;

use crate::{failure::Failure, io_failure, project::ProjectPaths};

/// Lines of its last words that are worth telling.
const MAX_LINES: usize = 5;

/// The failure of a start. A daemon that knows why it cannot run says so in
/// lines `error: …`, `hint: …` and `reason: …`.
pub fn start_failure(project: &ProjectPaths, status: Option<ExitStatus>) -> Failure {
    let words = fs::read(&project.startup_stderr).unwrap_or_default();
    let words = String::from_utf8_lossy(&words);
    if words.is_empty()
        && let Err(error) = check_writable(project)
    {
        return io_failure::unwritable(&project.startup_stderr, &error);
    }
    reported_failure(&words).unwrap_or_else(|| {
        let end = match status {
            Some(status) => format!("the daemon ended at once ({status})"),
            None => "the daemon did not come up in time".to_owned(),
        };
        let lines: Vec<_> = words.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(MAX_LINES)..].join("\n");
        let message = if last.is_empty() { end } else { format!("{end}: {last}") };
        let log = project.startup_stderr.display().to_string();
        Failure::with_values(Reason::DaemonLaunchFailed, message, [("log", log)])
    })
}

/// Whether anything can be written where the daemon writes; on a full disk it can
/// say nothing.
fn check_writable(project: &ProjectPaths) -> io::Result<()> {
    let folder = project.startup_stderr.parent().unwrap_or(Path::new("/"));
    let probe = folder.join(format!(".room.{}", process::id()));
    let written = fs::write(&probe, [0; 4096]);
    let _ = fs::remove_file(&probe);
    written
}

/// The failure in the lines `error: …`, `hint: …` and `reason: …`, if they are there.
pub fn reported_failure(words: &str) -> Option<Failure> {
    let last = |key: &str| words.lines().rev().find_map(|line| line.strip_prefix(key));
    let reason = Reason::by_name(last("reason: ")?)?;
    let failure = Failure::new(reason, last("error: ")?);
    Some(match last("hint: ") {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_that_knows_why_is_quoted() {
        let failure = reported_failure(
            "warming up\nerror: port 80 is taken\nhint: Unset it\nreason: PORT_TAKEN\n",
        );
        let failure = failure.expect("it is reported");
        assert!(failure.has_reason(Reason::PortTaken));
        assert_eq!(
            (failure.message.as_str(), failure.hint.as_str()),
            ("port 80 is taken", "Unset it")
        );
    }

    #[test]
    fn other_words_are_no_reason() {
        assert_eq!(reported_failure("thread 'main' panicked at x"), None);
    }
}
