//! A word on skills to those who drive one host for long without one. Off
//! unless `skillify_prompts` is set.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use url::Url;

use super::Skills;

/// Commands on one host before the hint, which is given once.
const COMMANDS_BEFORE_HINT: u32 = 20;

/// Hosts that are counted; a caller who visits more drives no flow.
const MAX_COUNTED_HOSTS: usize = 1000;

/// The commands of each session by host.
#[derive(Default)]
pub struct SkillHints {
    counts: Mutex<HashMap<(String, String), u32>>,
}

impl Skills {
    /// Counts a command that was carried out on `url` in `session`, and returns what its
    /// caller should know.
    pub fn count_command(&self, session: &str, url: &Url) -> Option<String> {
        let host = url.host_str()?;
        if !self.hints().is_threshold_reached(session, host) || !self.suggest(url).is_empty() {
            return None;
        }
        Some(format!(
            "{COMMANDS_BEFORE_HINT} commands on {host}, which has no skill: `browse guide skillify` says how to make one"
        ))
    }
}

impl SkillHints {
    /// Counts one more, and tells whether it is the one that makes it enough.
    fn is_threshold_reached(&self, session: &str, host: &str) -> bool {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MAX_COUNTED_HOSTS {
            counts.clear();
        }
        let count = counts.entry((session.to_owned(), host.to_owned())).or_default();
        *count += 1;
        *count == COMMANDS_BEFORE_HINT
    }
}

#[cfg(test)]
mod tests {
    use super::{COMMANDS_BEFORE_HINT, MAX_COUNTED_HOSTS, SkillHints};

    #[test]
    fn it_is_said_once_for_a_host_of_a_session() {
        let nudges = SkillHints::default();
        let output = |session: &str, host: &str, times: u32| {
            (0..times).filter(|_| nudges.is_threshold_reached(session, host)).count()
        };
        assert_eq!(output("a", "one.example", COMMANDS_BEFORE_HINT - 1), 0);
        assert_eq!(output("b", "one.example", 1) + output("a", "two.example", 1), 0);
        assert_eq!(output("a", "one.example", 3 * COMMANDS_BEFORE_HINT), 1);
        for number in 0..2 * MAX_COUNTED_HOSTS {
            nudges.is_threshold_reached("a", &format!("{number}.example"));
        }
        assert!(nudges.counts.lock().expect("it is free").len() <= MAX_COUNTED_HOSTS);
    }
}
