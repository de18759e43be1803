//! A word on skills to those who drive one host for long without one. Off
//! unless `skillify_prompts` is set.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use browse_proto::Command;
use url::Url;

use crate::dispatch::Context;

/// Commands on one host after which it is said, once.
const ENOUGH: u32 = 20;

/// Hosts that are counted; a caller who visits more drives no flow.
const MOST: usize = 1000;

/// The commands of each session by host.
#[derive(Default)]
pub struct Nudges {
    counts: Mutex<HashMap<(String, String), u32>>,
}

impl Nudges {
    /// Counts a command that was carried out, and answers what its caller
    /// should be told.
    pub fn count(&self, cx: &Context) -> Option<String> {
        let is_browser = |command: &Command| command.service == "BrowserService";
        if !cx.settings().skillify_prompts || !is_browser(cx.command()) || !cx.is_root() {
            return None;
        }
        let tab = cx.tab_if_any()?;
        let url = Url::parse(&tab.page().url()).ok()?;
        let host = url.host_str()?.to_owned();
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MOST {
            counts.clear();
        }
        let count = counts.entry((tab.session().to_owned(), host.clone())).or_default();
        *count += 1;
        if *count != ENOUGH || !cx.daemon().skills().suggest(&url).is_empty() {
            return None;
        }
        Some(format!(
            "{ENOUGH} commands on {host}, which has no skill: `browse guide skillify` says how to make one"
        ))
    }
}
