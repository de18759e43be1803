//! One look at a tab.

use std::{sync::Arc, time::Duration};

use crate::sessions::{Tab, TabState};

/// Time that a page gets to be read.
const PATIENCE: Duration = Duration::from_secs(3);

/// Bytes of lines that are compared; what is beyond is not.
const MOST_BYTES: usize = 1 << 20;

/// What a look saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    pub url: String,
    pub title: String,
    /// Lines of the snapshot, without refs.
    pub lines: String,
    /// Why the page was not read; its lines are those of the last look then.
    pub trouble: Option<&'static str>,
}

/// Looks at `tab`. A page that hangs or loads is not asked: it shows what
/// `last` saw.
pub async fn look(tab: &Arc<Tab>, last: Option<&Look>, seen: bool) -> Look {
    let url = tab.page().url();
    // The browser process knows the title, whatever the page does.
    let title = tab.page().title().await.unwrap_or_default();
    let (lines, trouble) = match read(tab, seen).await {
        Ok(lines) => (lines, None),
        Err(trouble) => (last.map(|last| last.lines.clone()).unwrap_or_default(), Some(trouble)),
    };
    Look { url, title, lines, trouble }
}

async fn read(tab: &Arc<Tab>, seen: bool) -> Result<String, &'static str> {
    match tab.state() {
        TabState::Hung => return Err("the page does not answer"),
        TabState::Crashed => return Err("the page crashed"),
        TabState::Dialog => return Err("a question of the page is open"),
        TabState::Unloaded => return Err("its browser ended"),
        TabState::Loading | TabState::Idle => {}
    }
    if tab.page().ensure_answering().is_err() {
        return Err("the page waits for its server");
    }
    match tokio::time::timeout(PATIENCE, tab.engine().glance(seen)).await {
        Ok(Ok(mut lines)) => {
            lines.truncate(lines.floor_char_boundary(MOST_BYTES));
            Ok(lines)
        }
        // Replaced by another document meanwhile, most likely: the next look tells.
        Ok(Err(_)) => Err("the page could not be read"),
        Err(_) if tab.page().ensure_answering().is_err() => Err("the page waits for its server"),
        Err(_) => {
            // The question still runs in the page; no other may queue behind it.
            tab.quarantine();
            Err("the page does not answer")
        }
    }
}
