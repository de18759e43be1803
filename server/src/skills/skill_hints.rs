//! A word on skills to those who drive one host for long without one. Off
//! unless `skillify_prompts` is set.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use browse_proto::Command;
use url::Url;

use crate::dispatch::CallContext;

/// Commands on one host after which it is said, once.
const COMMANDS_BEFORE_HINT: u32 = 20;

/// Hosts that are counted; a caller who visits more drives no flow.
const MAX_COUNTED_HOSTS: usize = 1000;

/// The commands of each session by host.
#[derive(Default)]
pub struct SkillHints {
    counts: Mutex<HashMap<(String, String), u32>>,
}

impl SkillHints {
    /// Counts a command that was carried out, and answers what its caller
    /// should be told.
    pub fn count_command(&self, cx: &CallContext) -> Option<String> {
        let is_browser = |command: &Command| command.service == "BrowserService";
        if !cx.settings().skillify_prompts || !is_browser(cx.command()) || !cx.is_root() {
            return None;
        }
        let tab = cx.tab_if_any()?;
        let url = Url::parse(&tab.page().url()).ok()?;
        let host = url.host_str()?.to_owned();
        if !self.is_threshold_reached(tab.session(), &host)
            || !cx.daemon().skills().suggest(&url).is_empty()
        {
            return None;
        }
        Some(format!(
            "{COMMANDS_BEFORE_HINT} commands on {host}, which has no skill: `browse guide skillify` says how to make one"
        ))
    }

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
        let said = |session: &str, host: &str, times: u32| {
            (0..times).filter(|_| nudges.is_threshold_reached(session, host)).count()
        };
        assert_eq!(said("a", "one.example", COMMANDS_BEFORE_HINT - 1), 0);
        assert_eq!(said("b", "one.example", 1) + said("a", "two.example", 1), 0);
        assert_eq!(said("a", "one.example", 3 * COMMANDS_BEFORE_HINT), 1);
        for number in 0..2 * MAX_COUNTED_HOSTS {
            nudges.is_threshold_reached("a", &format!("{number}.example"));
        }
        assert!(nudges.counts.lock().expect("it is free").len() <= MAX_COUNTED_HOSTS);
    }
}
