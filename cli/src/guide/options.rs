//! What `guide install` and `guide remove` are given.

use browse_proto::Reason;

use super::{
    USAGE,
    agents::{AGENTS, Agent, PartChoice},
};
use crate::{
    failure::{Failure, Result},
    suggest,
};

/// What is to be done with the parts of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuideTask {
    /// They are written.
    Install,
    /// They are removed.
    Remove,
}

/// What is asked for.
pub struct GuideOptions {
    /// For which agent.
    pub agent: &'static Agent,
    /// Which parts.
    pub choice: PartChoice,
    /// Whether edits are lost.
    pub force: bool,
    /// Whether nobody is asked.
    pub is_confirmed: bool,
    /// Whether nothing is written.
    pub is_preview: bool,
}

impl GuideTask {
    /// The word of the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Remove => "remove",
        }
    }
}

/// Reads the words after `guide install` or `guide remove`.
pub fn parse(task: GuideTask, words: &[&str]) -> Result<GuideOptions> {
    let (mut name, mut choice) = (None, PartChoice::default());
    let (mut force, mut is_confirmed, mut is_preview, mut in_home) = (false, false, false, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match (*word, word.strip_prefix("--agent=")) {
            ("--project", _) => choice.in_project = true,
            ("--user", _) => in_home = true,
            ("--force", _) => force = true,
            ("--yes" | "-y", _) => is_confirmed = true,
            ("--dry-run", _) => is_preview = true,
            ("--skills", _) => choice.only_skills = true,
            ("--hook", _) => choice.with_hook = true,
            (_, Some(value)) => name = Some(value),
            ("--agent", _) => name = words.next().copied(),
            _ => {
                let message = format!("`guide {}` does not take `{word}`", task.word());
                return Err(usage_failure(&message));
            }
        }
    }
    let Some(name) = name else {
        return Err(usage_failure(&format!("`guide {}` requires `--agent`", task.word())));
    };
    let Some(agent) = AGENTS.iter().find(|agent| agent.name == name) else {
        let failure = usage_failure(&format!("`{name}` is not an agent that browse knows"));
        return Err(match suggest::nearest(name, AGENTS.iter().map(|agent| agent.name)) {
            Some(near) => {
                let word = task.word();
                failure.with_hint(format!("Did you mean `browse guide {word} --agent {near}`?"))
            }
            None => failure,
        });
    };
    let contradiction = [
        (choice.in_project && in_home, "`--user` and `--project` contradict each other"),
        (is_confirmed && is_preview, "`--yes` and `--dry-run` contradict each other"),
        (choice.only_skills && choice.with_hook, "`--skills` and `--hook` contradict each other"),
        (in_home && !agent.has_home(), "`agents-md` is a file of the project: leave `--user` out"),
        (
            choice.only_skills && !agent.has_home(),
            "`agents-md` has no skills: leave `--skills` out",
        ),
        (choice.with_hook && !agent.has_hook(), "`--hook` is for claude: other agents have none"),
    ];
    if let Some((_, message)) = contradiction.iter().find(|(is_wrong, _)| *is_wrong) {
        return Err(usage_failure(message));
    }
    choice.in_project |= !agent.has_home();
    // Everything of an agent is removed, the hook too.
    choice.with_hook |= task == GuideTask::Remove && !choice.only_skills;
    Ok(GuideOptions { agent, choice, force, is_confirmed, is_preview })
}

fn usage_failure(message: &str) -> Failure {
    let names: Vec<_> = AGENTS.iter().map(|agent| agent.name).collect();
    Failure::new(Reason::ArgumentInvalid, message)
        .with_usage(USAGE)
        .with_hint(format!("Use one of {}", names.join(", ")))
}
