//! Why a daemon did not come up, from what it left on its standard error.

use std::{
    fs, io,
    path::Path,
    process::{self, ExitStatus},
};

use browse_proto::Reason;

use crate::{failure::Failure, project::Project, save};

/// Lines of its last words that are worth telling.
const LINES: usize = 5;

/// The failure of a start. A daemon that knows why it cannot run says so in
/// lines `error: …`, `hint: …` and `reason: …`.
pub fn failure(project: &Project, status: Option<ExitStatus>) -> Failure {
    let words = fs::read(&project.words).unwrap_or_default();
    let words = String::from_utf8_lossy(&words);
    if words.is_empty()
        && let Err(error) = room(project)
    {
        return save::unwritable(&project.words, &error);
    }
    told(&words).unwrap_or_else(|| {
        let end = match status {
            Some(status) => format!("the daemon ended at once ({status})"),
            None => "the daemon did not come up in time".to_owned(),
        };
        let lines: Vec<_> = words.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(LINES)..].join("\n");
        let message = if last.is_empty() { end } else { format!("{end}: {last}") };
        let log = project.words.display().to_string();
        Failure::with(Reason::DaemonLaunchFailed, message, [("log", log)])
    })
}

/// Whether anything can be written where the daemon writes; on a full disk it can
/// say nothing.
fn room(project: &Project) -> io::Result<()> {
    let folder = project.words.parent().unwrap_or(Path::new("/"));
    let probe = folder.join(format!(".room.{}", process::id()));
    let written = fs::write(&probe, [0; 4096]);
    let _ = fs::remove_file(&probe);
    written
}

fn told(words: &str) -> Option<Failure> {
    let last = |key: &str| words.lines().rev().find_map(|line| line.strip_prefix(key));
    let reason = Reason::by_name(last("reason: ")?)?;
    let failure = Failure::new(reason, last("error: ")?);
    Some(match last("hint: ") {
        Some(hint) => failure.hint(hint),
        None => failure,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_that_knows_why_is_quoted() {
        let failure =
            told("warming up\nerror: port 80 is taken\nhint: Unset it\nreason: PORT_TAKEN\n");
        let failure = failure.expect("it is told");
        assert!(failure.is(Reason::PortTaken));
        assert_eq!(
            (failure.message.as_str(), failure.hint.as_str()),
            ("port 80 is taken", "Unset it")
        );
    }

    #[test]
    fn other_words_are_no_reason() {
        assert_eq!(told("thread 'main' panicked at x"), None);
    }
}
