//! The visible browser: a person sees the session, and takes part.

use std::{collections::HashMap, sync::Arc};

use browse_proto::{Reason, v1};

pub use super::resume::resume;
use super::{attached, input};
use crate::{
    daemon::browser_options,
    dispatch::CallContext,
    window::{
        CloseInitiator, DisplayEnvironment, Handoff, MigrationNotice, SessionWindow,
        WindowCloseResult, WindowPurpose, find_screen,
    },
};
use browse_base::{Error, Result};
use browse_chromium::{BrowserOptions, Flavour};
use browse_engine::{Engine, Target};
use browse_sessions::Tab;

/// Characters that a reason may have.
const MAX_REASON_CHARS: usize = 500;

/// Shows the session in a visible browser, or puts it into one that runs already.
pub async fn connect(cx: &CallContext, request: v1::ConnectRequest) -> Result<v1::ConnectResponse> {
    if let Some(browser) = &request.cdp {
        return attached::connect(cx, browser, request.consent).await;
    }
    if request.consent {
        let message = "`--consent` goes with `--cdp`";
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "connect"));
    }
    cx.ensure_own_browser()?;
    let screen = requested_display(cx, request.screen)?;
    let terms = WindowPurpose { connected: true, handoff: None };
    let (window, notes) = open_window(cx, screen, terms).await?;
    let tabs = window_tabs(&window, &notes);
    let panel = show_panel(cx, &window).await;
    let summary =
        format!("{}; {panel}; `browse disconnect` hides it again", visible_summary(&tabs));
    Ok(v1::ConnectResponse { summary, tabs })
}

/// Hides the session again.
pub async fn disconnect(
    cx: &CallContext,
    _: v1::DisconnectRequest,
) -> Result<v1::DisconnectResponse> {
    if cx.session()?.is_attached() {
        return attached::disconnect(cx).await;
    }
    let window = settled_window(cx).await?.filter(|window| window.purpose().connected);
    let window = window.ok_or_else(|| {
        let message = "the session is not in a window that was connected";
        Error::new(Reason::NotConnected, message)
    })?;
    let WindowCloseResult { notes, .. } = close_window(cx, &window).await?;
    let tabs = window_tabs(&window, &notes);
    let summary = format!("the session is in the hidden browser, with {}", count_tabs(&tabs));
    Ok(v1::DisconnectResponse { summary: with_notes(summary, &tabs), tabs })
}

/// Hands the session to a person.
pub async fn handoff(cx: &CallContext, request: v1::HandoffRequest) -> Result<v1::HandoffResponse> {
    let reason = request.reason.unwrap_or_default().trim().to_owned();
    if reason.chars().count() > MAX_REASON_CHARS {
        let message = format!("the reason has more than {MAX_REASON_CHARS} characters");
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "handoff"));
    }
    cx.ensure_own_browser()?;
    let screen = match requested_display(cx, request.screen) {
        _ if request.dashboard => return ask_at_dashboard(cx, &reason),
        Err(error) if error.reason() == Reason::ScreenMissing => {
            return ask_at_dashboard(cx, &reason);
        }
        screen => screen?,
    };
    let handoff = Handoff { reason: reason.clone(), tabs_before: Vec::new(), is_done: false };
    let terms = WindowPurpose { connected: false, handoff: Some(handoff) };
    let (window, notes) = open_window(cx, screen, terms).await?;
    let tabs = window_tabs(&window, &notes);
    // It has the reason, and the button by which the person says that it is done.
    show_panel(cx, &window).await;
    let asked = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    let waits = match window.has_panel().await {
        true => {
            ", or `browse resume --wait`, which waits until they press \"Done\" beside the page"
        }
        false => "",
    };
    let shown = visible_summary(&tabs);
    let summary = format!("{shown}; ask the person{asked}; then run `browse resume`{waits}");
    Ok(v1::HandoffResponse { summary, tabs })
}

/// Brings the tab to the front, and gives an element the focus.
pub async fn focus(cx: &CallContext, request: v1::FocusRequest) -> Result<v1::FocusResponse> {
    let tab = cx.tab();
    let target = request.target.map(|target| target.parse::<Target>()).transpose();
    let target = target.map_err(Error::from)?;
    let session = cx.session()?;
    session.activate(tab.id())?;
    tab.page().bring_to_front().await?;
    let context = session.context();
    let visible =
        context.is_some_and(|context| context.browser().info().flavour == Flavour::Headed);
    let place = if visible { "in front" } else { "the active one; no person sees it" };
    let mut summary = format!("tab {} is {place}", tab.id());
    let receipt = match target {
        Some(target) => {
            let until = cx.deadline();
            let focus = |engine: Engine| async move { engine.focus(&target, until).await };
            let receipt = input::run_action(cx, cx.engine().clone(), focus).await?;
            summary = format!("{summary}\n{}", receipt.summary);
            Some(receipt)
        }
        None => None,
    };
    Ok(v1::FocusResponse { summary, tab: tab.id(), visible, receipt })
}

/// Asks a person at a dashboard. The session stays where it is.
fn ask_at_dashboard(cx: &CallContext, reason: &str) -> Result<v1::HandoffResponse> {
    let session = cx.session()?;
    if let Some(lease) = session.control().holder() {
        let message = format!("`{}` holds the session already", lease.client);
        return Err(Error::new(Reason::HandedOff, message));
    }
    session.control().ask(reason);
    let tab = |tab: &Arc<Tab>| v1::WindowTab { id: tab.id(), url: tab.url(), note: None };
    let tabs = session.tabs().iter().map(tab).collect();
    let next = match cx.daemon().dashboard().is_used() {
        true => "it is shown in a dashboard that is open, or run `browse dashboard` for a link",
        false => "run `browse dashboard` and give its link to the person",
    };
    let summary = format!(
        "the session `{}` waits for a person: {next}; then run `browse resume`",
        session.name()
    );
    Ok(v1::HandoffResponse { summary, tabs })
}

/// The window of the session, once it stays where it is.
pub(super) async fn settled_window(cx: &CallContext) -> Result<Option<Arc<SessionWindow>>> {
    let session = cx.session()?;
    session.wait_until_settled().await;
    Ok(cx.daemon().windows().get(session.name()))
}

/// Opens the window of the session. A caller who goes away does not leave the
/// session half on its way.
async fn open_window(
    cx: &CallContext,
    screen: DisplayEnvironment,
    terms: WindowPurpose,
) -> Result<(Arc<SessionWindow>, Vec<MigrationNotice>)> {
    let (daemon, session) = (Arc::clone(cx.daemon()), cx.session()?);
    session.wait_until_settled().await;
    let options = BrowserOptions {
        sink: daemon.sessions().headed_event_handler(&session),
        ..browser_options(&daemon, daemon.guardian().cloned())
    };
    let opened =
        tokio::spawn(async move { daemon.windows().open(options, &session, screen, terms).await });
    opened.await.map_err(move_failed)?
}

/// Opens the side panel of a window; answers what became of it. The window is as good without.
async fn show_panel(cx: &CallContext, window: &SessionWindow) -> String {
    let daemon = cx.daemon();
    let name = window.session().name();
    let access = daemon.dashboard().open_panel(name, daemon.dashboard_services());
    match window.show_panel(access).await {
        Ok(()) => "the side panel shows what you do, and takes notes for `browse inbox`".to_owned(),
        Err(error) if error.reason() == Reason::DashboardMissing => {
            "it has no side panel, for which `make dashboard` is run before the daemon is built"
                .to_owned()
        }
        Err(error) => format!("the side panel did not open ({error})"),
    }
}

/// Closes a window, and moves its session back into the headless browser.
///
/// # Errors
/// The headless browser is gone.
pub async fn close_window(
    cx: &CallContext,
    window: &Arc<SessionWindow>,
) -> Result<WindowCloseResult> {
    let (daemon, window) = (Arc::clone(cx.daemon()), Arc::clone(window));
    let closed =
        tokio::spawn(async move { daemon.windows().close(&window, CloseInitiator::Caller).await });
    Ok(closed.await.map_err(move_failed)??.unwrap_or_default())
}

fn move_failed(error: tokio::task::JoinError) -> Error {
    Error::new(Reason::Bug, format!("the move did not end: {error}"))
}

/// The screen of a root caller, or of the daemon.
fn requested_display(cx: &CallContext, given: Option<v1::Screen>) -> Result<DisplayEnvironment> {
    let given = given.filter(|_| cx.is_root()).unwrap_or_default();
    let variables = [
        ("DISPLAY", given.display),
        ("WAYLAND_DISPLAY", given.wayland_display),
        ("XAUTHORITY", given.xauthority),
        ("XDG_RUNTIME_DIR", given.xdg_runtime_dir),
    ];
    let named = |(name, value): (&str, Option<String>)| Some((name.to_owned(), value?));
    find_screen(&variables.into_iter().filter_map(named).collect::<HashMap<_, _>>())
}

fn window_tabs(window: &SessionWindow, notes: &[MigrationNotice]) -> Vec<v1::WindowTab> {
    let describe = |(id, url)| v1::WindowTab { id, url, note: tab_note(notes, id) };
    window.tab_urls().into_iter().map(describe).collect()
}

pub(super) fn tab_note(notes: &[MigrationNotice], tab: u64) -> Option<String> {
    notes.iter().find(|note| note.tab == tab).map(|note| note.text.clone())
}

fn visible_summary(tabs: &[v1::WindowTab]) -> String {
    with_notes(format!("the session is visible, with {}", count_tabs(tabs)), tabs)
}

fn count_tabs(tabs: &[v1::WindowTab]) -> String {
    if tabs.len() == 1 { "1 tab".to_owned() } else { format!("{} tabs", tabs.len()) }
}

/// What did not come along belongs to what happened.
fn with_notes(summary: String, tabs: &[v1::WindowTab]) -> String {
    let noted = tabs.iter().filter_map(|tab| Some((tab.id, tab.note.as_ref()?)));
    noted.fold(summary, |summary, (id, note)| format!("{summary}; tab {id}: {note}"))
}
