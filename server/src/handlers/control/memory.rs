//! What memory everything takes. Pages get a moment to answer, all at once: one
//! that hangs is identified by that, and holds nobody up.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use browse_proto::v1;
use futures::future::join_all;

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_process::usage::{self, ProcessUsage};
use browse_sessions::{BrowserState, Tab, TabState};

/// Time that a page gets to answer.
const TAB_TIMEOUT: Duration = Duration::from_millis(400);

/// Answers the memory of the daemon, the tabs and the processes.
pub async fn memory(cx: &CallContext, _: v1::MemoryRequest) -> Result<v1::MemoryResponse> {
    let sessions = cx.daemon().sessions();
    let visible = |tab: &Arc<Tab>| cx.capability().session.covers(tab.session());
    let tabs: Vec<_> = sessions.tabs().into_iter().filter(visible).collect();
    let browser = match sessions.browser_handle().state() {
        BrowserState::Running(browser) => Some(browser.info().pid),
        _ => None,
    };
    let processes = tokio::task::spawn_blocking(usage::own_process_tree);
    let (figures, processes) =
        tokio::join!(join_all(tabs.iter().map(|tab| tab_memory(tab))), processes);
    let is_held = |tab: &Arc<Tab>| {
        let session = sessions.get(tab.session());
        session.is_some_and(|session| cx.check_session_free(&session).is_err())
    };
    let shown = figures.into_iter().zip(&tabs).map(|(figures, tab)| match is_held(tab) {
        // Where a person is stays theirs.
        true => v1::TabMemory {
            id: figures.id,
            session: figures.session,
            state: figures.state,
            ..Default::default()
        },
        false => figures,
    });
    let tabs: Vec<_> = shown.collect();
    let processes =
        processes.map_err(|error| Error::new(browse_proto::Reason::Bug, error.to_string()))?;
    let total_bytes = processes.iter().map(|of| of.pss.unwrap_or(of.rss)).sum();
    let us = std::process::id();
    let own = processes.iter().find(|of| of.pid == us);
    let daemon_bytes = own.map_or(0, |of| of.rss);
    let describe = |of: &ProcessUsage| v1::ProcessMemory {
        pid: of.pid,
        parent: of.parent,
        kind: match of.pid {
            pid if pid == us => "daemon".to_owned(),
            pid if Some(pid) == browser => "browser".to_owned(),
            _ => of.kind.clone(),
        },
        rss_bytes: of.rss,
        pss_bytes: of.pss,
    };
    let mut response = v1::MemoryResponse {
        summary: String::new(),
        total_bytes,
        daemon_bytes,
        tabs,
        processes: match cx.is_root() {
            true => processes.iter().map(describe).collect(),
            false => Vec::new(),
        },
    };
    response.summary = summary(&response);
    Ok(response)
}

/// JavaScript heap in use of those of `tabs` that answer, in bytes.
pub(super) async fn heap_bytes(tabs: &[Arc<Tab>]) -> u64 {
    let memory = join_all(tabs.iter().map(|tab| tab_memory(tab))).await;
    memory.iter().filter_map(|tab| tab.heap_used_bytes).sum()
}

async fn tab_memory(tab: &Tab) -> v1::TabMemory {
    let state = tab.state();
    let known = v1::TabMemory {
        id: tab.id(),
        session: tab.session().to_owned(),
        state: state.to_string(),
        origin: origin(&tab.url()),
        ..Default::default()
    };
    if matches!(state, TabState::Crashed | TabState::Unloaded) {
        return known;
    }
    match tokio::time::timeout(TAB_TIMEOUT, tab.page().memory()).await {
        Ok(Ok((heap, counters))) => v1::TabMemory {
            heap_used_bytes: Some(heap.used as u64),
            heap_total_bytes: Some(heap.total as u64),
            documents: Some(counters.documents),
            nodes: Some(counters.nodes),
            listeners: Some(counters.js_event_listeners),
            ..known
        },
        // A server that gives no answer holds the page up as well; it is the
        // navigation that is slow then.
        Err(_) if !matches!(state, TabState::Loading | TabState::Dialog) => {
            v1::TabMemory { state: "hung".to_owned(), ..known }
        }
        _ => known,
    }
}

/// The origin, which holds no words of a page; a path may.
fn origin(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(url) if url.origin().is_tuple() => url.origin().ascii_serialization(),
        Ok(url) => format!("{}:", url.scheme()),
        Err(_) => String::new(),
    }
}

fn summary(memory: &v1::MemoryResponse) -> String {
    let mut text = format!("total {}\n", size(memory.total_bytes));
    let _ = writeln!(text, "daemon {}", size(memory.daemon_bytes));
    for tab in &memory.tabs {
        let _ = write!(text, "tab {} {}", tab.id, tab.state);
        if let (Some(used), Some(total)) = (tab.heap_used_bytes, tab.heap_total_bytes) {
            let _ = write!(text, " heap {} of {}", size(used), size(total));
        }
        if let (Some(nodes), Some(listeners)) = (tab.nodes, tab.listeners) {
            let _ = write!(text, ", {nodes} nodes, {listeners} listeners");
        }
        let _ = writeln!(text, " {}", tab.origin);
    }
    for process in &memory.processes {
        let share = process.pss_bytes.map(|bytes| format!(", its share {}", size(bytes)));
        let (pid, kind) = (process.pid, &process.kind);
        let share = share.unwrap_or_default();
        let _ = writeln!(text, "process {pid} {kind} {}{share}", size(process.rss_bytes));
    }
    text.trim_end().to_owned()
}

fn size(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
