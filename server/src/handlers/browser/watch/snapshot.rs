//! One look at a tab.

use std::{sync::Arc, time::Duration};

use browse_sessions::{Tab, TabState};

/// Time that a page gets to be read.
const READ_TIMEOUT: Duration = Duration::from_secs(3);

/// Bytes of lines that are compared; what is beyond is not.
const MAX_COMPARED_BYTES: usize = 1 << 20;

/// What a look saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchSnapshot {
    pub url: String,
    pub title: String,
    /// Lines of the snapshot, without refs.
    pub lines: String,
    /// Why the page was not read; its lines are those of the last look then.
    pub read_failure: Option<&'static str>,
}

/// Looks at `tab`. A page that hangs or loads is not asked: it shows what
/// `last` saw.
pub async fn take_snapshot(
    tab: &Arc<Tab>,
    last: Option<&WatchSnapshot>,
    seen: bool,
) -> WatchSnapshot {
    let url = tab.page().url();
    // The browser process knows the title, whatever the page does.
    let title = tab.page().title().await.unwrap_or_default();
    let (lines, trouble) = match read_lines(tab, seen).await {
        Ok(lines) => (lines, None),
        Err(trouble) => (last.map(|last| last.lines.clone()).unwrap_or_default(), Some(trouble)),
    };
    WatchSnapshot { url, title, lines, read_failure: trouble }
}

async fn read_lines(tab: &Arc<Tab>, seen: bool) -> Result<String, &'static str> {
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
    match tokio::time::timeout(READ_TIMEOUT, tab.engine().summary(seen)).await {
        Ok(Ok(mut lines)) => {
            lines.truncate(lines.floor_char_boundary(MAX_COMPARED_BYTES));
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
