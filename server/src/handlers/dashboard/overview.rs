//! All sessions with their tabs, as a person sees them.

use std::{sync::Arc, time::Duration};

use browse_base::Result;
use browse_chromium::MouseState;
use browse_engine::{ControlOption, ControlPrompt};
use browse_proto::{Command, v1};
use browse_sessions::{ControlLease, DisplayMode, Session, Tab};
use futures::{Stream, future::join_all, stream};
use tokio::time::Instant;

use super::terminal::may_start_terminal;
use crate::dispatch::CallContext;

/// How much before its deadline an overview ends by itself.
const DEADLINE_MARGIN: Duration = Duration::from_millis(50);

/// Kind and id of what asks for files.
pub(super) const FILE_PROMPT: &str = "file";

/// Time between two looks.
const INTERVAL: Duration = Duration::from_millis(400);

/// The same for a person who holds a session: dialogs and lists come with it.
const HOLDER_INTERVAL: Duration = Duration::from_millis(100);

/// Time that the browser gets to tell titles.
const TITLE_TIMEOUT: Duration = Duration::from_millis(300);

/// What is open, and with `follow` what is open after each change.
pub async fn overview(
    cx: Arc<CallContext>,
    request: v1::OverviewRequest,
) -> Result<impl Stream<Item = Result<v1::OverviewResponse>> + Send + 'static> {
    if request.follow {
        cx.mark_as_watcher();
    }
    let state = OverviewState { cx, follow: request.follow, last: None };
    Ok(stream::unfold(state, |mut state| async move {
        let overview = state.next().await?;
        Some((Ok(overview), state))
    }))
}

struct OverviewState {
    cx: Arc<CallContext>,
    follow: bool,
    last: Option<(Instant, v1::OverviewResponse)>,
}

impl OverviewState {
    async fn next(&mut self) -> Option<v1::OverviewResponse> {
        if self.last.is_some() && !self.follow {
            return None;
        }
        loop {
            let is_over = Instant::now() + DEADLINE_MARGIN >= self.cx.deadline();
            if is_over || self.cx.daemon().is_shutting_down() {
                return None;
            }
            if let Some((at, last)) = &self.last {
                let holds = |session: &v1::SessionOverview| {
                    session.holder.as_ref().is_some_and(|holder| holder.is_you)
                };
                let holds = last.sessions.iter().any(holds);
                let interval = if holds { HOLDER_INTERVAL } else { INTERVAL };
                let next = *at + interval;
                tokio::time::sleep_until(next.min(self.cx.deadline() - DEADLINE_MARGIN)).await;
            }
            let now = describe(&self.cx).await;
            let is_new = self.last.as_ref().is_none_or(|(_, last)| *last != now);
            self.last = Some((Instant::now(), now.clone()));
            if is_new {
                return Some(now);
            }
        }
    }
}

async fn describe(cx: &CallContext) -> v1::OverviewResponse {
    let daemon = cx.daemon();
    let is_visible = |session: &Arc<Session>| cx.capability().session.covers(session.name());
    let all: Vec<_> = daemon.sessions().all().into_iter().filter(is_visible).collect();
    let sessions = join_all(all.iter().map(|session| describe_session(cx, session))).await;
    let mut sources = browse_content::Sources::default();
    for tab in sessions.iter().flat_map(|session| &session.tabs) {
        sources.add_url(&tab.url);
    }
    cx.set_sources(sources);
    v1::OverviewResponse {
        summary: summary(&sessions),
        sessions,
        approvals: u32::try_from(daemon.approvals().pending().len()).unwrap_or(u32::MAX),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build_id: daemon.build_id().to_owned(),
        warnings: Vec::new(),
        terminal: may_start_terminal(cx),
    }
}

async fn describe_session(cx: &CallContext, session: &Arc<Session>) -> v1::SessionOverview {
    // As long as the page of its holder is connected, the holder is there.
    session.control().note_connected(cx.client());
    let lease = session.control().holder();
    let shows = lease.as_ref().is_none_or(|lease| lease.client == *cx.client());
    let active = session.active().map(|tab| tab.id());
    let tabs = session.tabs();
    let described = tabs.iter().filter(|tab| cx.check_tab(tab).is_ok()).map(|tab| async {
        let overview = describe_tab(cx, tab, shows).await;
        v1::TabOverview { active: active == Some(tab.id()), ..overview }
    });
    let window = cx.daemon().windows().get(session.name());
    let window = window.filter(|window| window.is_handed_off());
    let handed_off = window.is_some();
    let handoff = window
        .and_then(|window| window.purpose().handoff.as_ref().map(|handoff| handoff.reason.clone()));
    let display = match *session.watch_display_mode().borrow() {
        DisplayMode::Headless | DisplayMode::Migrating => "hidden",
        DisplayMode::Headed | DisplayMode::WindowClosed => "window",
        DisplayMode::Attached => "attached",
    };
    v1::SessionOverview {
        name: session.name().to_owned(),
        owner: session.owner().to_string(),
        tabs: join_all(described).await,
        display: display.to_owned(),
        holder: lease.map(|lease| holder(cx, &lease)),
        request: session.control().request().or(handoff),
        paused: session.control().is_paused(),
        handed_off,
    }
}

fn holder(cx: &CallContext, lease: &ControlLease) -> v1::ControlHolder {
    let time = |time| humantime::format_rfc3339_seconds(time).to_string();
    v1::ControlHolder {
        client: lease.client.to_string(),
        reason: lease.reason.clone(),
        since: time(lease.since),
        expires_at: time(lease.expires_at),
        is_you: lease.client == *cx.client(),
    }
}

/// A tab; without what its page says when somebody else holds it.
async fn describe_tab(cx: &CallContext, tab: &Tab, shows: bool) -> v1::TabOverview {
    let plain = v1::TabOverview {
        id: tab.id(),
        owner: tab.owner().to_string(),
        state: tab.state().to_string(),
        ..v1::TabOverview::default()
    };
    if !shows {
        return plain;
    }
    let title = tokio::time::timeout(TITLE_TIMEOUT, tab.page().title()).await;
    let dialog = tab.page().open_dialog().map(|dialog| v1::OpenDialog {
        kind: dialog.kind,
        message: dialog.message,
        default_text: dialog.default_text.unwrap_or_default(),
    });
    let prompt = prompt_of(cx, tab);
    let title = title.ok().and_then(std::result::Result::ok).unwrap_or_default();
    v1::TabOverview {
        url: tab.url(),
        title,
        dialog,
        prompt,
        last_action: last_action(cx, tab),
        ..plain
    }
}

/// What a control of a tab waits for.
fn prompt_of(cx: &CallContext, tab: &Tab) -> Option<v1::PagePrompt> {
    let session = cx.daemon().sessions().get(tab.session())?;
    if session.control().is_held()
        && let Some(chooser) = tab.page().open_file_chooser()
    {
        let multiple = chooser.mode == "selectMultiple";
        let (kind, id) = (FILE_PROMPT.to_owned(), FILE_PROMPT.to_owned());
        return Some(v1::PagePrompt { kind, id, multiple, ..v1::PagePrompt::default() });
    }
    let ControlPrompt { id, kind, label, value, options } = session.control().prompt(tab.id())?;
    let option = |option: ControlOption| v1::PromptOption {
        value: option.value,
        label: option.label,
        selected: option.selected,
        disabled: option.disabled,
    };
    let options = options.into_iter().map(option).collect();
    Some(v1::PagePrompt { kind, id, label, value, options, multiple: false })
}

/// The last command that acted on a tab, and where.
fn last_action(cx: &CallContext, tab: &Tab) -> Option<v1::TabAction> {
    let acts = |name: &str| {
        let command = Command::by_name(name);
        command.is_some_and(|command| {
            command.service == "BrowserService" && command.has_side_effects
                || command.group == "navigation"
        })
    };
    let entry = cx.daemon().activity().last_of_tab(tab.id(), acts)?;
    let is_pointed =
        Command::by_name(&entry.command).is_some_and(|command| command.group == "input");
    let MouseState { x, y, .. } = tab.page().mouse_state();
    Some(v1::TabAction {
        time: entry.time,
        client: entry.client,
        command: entry.command,
        x: is_pointed.then_some(x),
        y: is_pointed.then_some(y),
    })
}

fn summary(sessions: &[v1::SessionOverview]) -> String {
    let mut lines = Vec::new();
    for session in sessions {
        let mut line =
            format!("{} ({}), opened by {}", session.name, session.display, session.owner);
        if let Some(holder) = &session.holder {
            line.push_str(&format!("; held by {} until {}", holder.client, holder.expires_at));
        }
        if session.paused {
            line.push_str("; its agents are paused");
        }
        if let Some(request) = &session.request {
            line.push_str(&format!("; asks a person: {}", browse_base::quote(request)));
        }
        lines.push(line);
        lines.extend(session.tabs.iter().map(|tab| {
            let active = if tab.active { " active" } else { "" };
            format!(
                "  {} {}{active} {} {}",
                tab.id,
                tab.state,
                tab.url,
                browse_base::quote(&tab.title)
            )
        }));
    }
    lines.join("\n")
}
