//! The visible browser: a person sees the session, and takes part.

use std::{collections::HashMap, sync::Arc};

use browse_proto::{Reason, v1};

use super::input;
use crate::{
    chromium::Flavour,
    dispatch::Context,
    engine::{Engine, Target},
    error::{Error, Result},
    window::{
        Change, Closing, Handoff, Letter, Note, Returned, Screen, Terms, Window, find_screen,
    },
};

/// Characters that a reason may have.
const LONGEST_REASON: usize = 500;

/// Shows the session in a visible browser.
pub async fn connect(cx: &Context, request: v1::ConnectRequest) -> Result<v1::ConnectResponse> {
    let screen = screen(cx, request.screen)?;
    let terms = Terms { connected: true, handoff: None };
    let (window, notes) = open(cx, screen, terms).await?;
    let tabs = tabs(&window, &notes);
    let panel = match window.show_panel(cx.daemon()).await {
        Ok(()) => "the side panel shows what you do, and takes notes for `browse inbox`".to_owned(),
        Err(error) => format!("the side panel did not open ({error})"),
    };
    let summary = format!("{}; {panel}; `browse disconnect` hides it again", visible(&tabs));
    Ok(v1::ConnectResponse { summary, tabs })
}

/// Prints what the person wrote in the side panel.
pub async fn read_inbox(
    cx: &Context,
    request: v1::ReadInboxRequest,
) -> Result<v1::ReadInboxResponse> {
    cx.set_source("the side panel");
    let letters = cx.daemon().windows().inbox().read(cx.session()?.name(), request.clear);
    let describe = |Letter { time, text }| v1::InboxNote {
        time: humantime::format_rfc3339_seconds(time).to_string(),
        text,
    };
    Ok(v1::ReadInboxResponse { notes: letters.into_iter().map(describe).collect() })
}

/// Hides the session again.
pub async fn disconnect(cx: &Context, _: v1::DisconnectRequest) -> Result<v1::DisconnectResponse> {
    let window = window(cx).await?.filter(|window| window.terms().connected);
    let window = window.ok_or_else(|| {
        let message = "the session is not in a window that was connected";
        Error::new(Reason::NotConnected, message)
    })?;
    let Returned { notes, .. } = close(cx, &window).await?;
    let tabs = tabs(&window, &notes);
    let summary = format!("the session is in the hidden browser, with {}", count(&tabs));
    Ok(v1::DisconnectResponse { summary: with_notes(summary, &tabs), tabs })
}

/// Hands the session to a person.
pub async fn handoff(cx: &Context, request: v1::HandoffRequest) -> Result<v1::HandoffResponse> {
    let reason = request.reason.unwrap_or_default().trim().to_owned();
    if reason.chars().count() > LONGEST_REASON {
        let message = format!("the reason has more than {LONGEST_REASON} characters");
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "handoff"));
    }
    let screen = screen(cx, request.screen)?;
    let handoff = Handoff { reason: reason.clone(), before: Vec::new() };
    let terms = Terms { connected: false, handoff: Some(handoff) };
    let (window, notes) = open(cx, screen, terms).await?;
    let tabs = tabs(&window, &notes);
    let asked = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    let summary = format!("{}; ask the person{asked}; then run `browse resume`", visible(&tabs));
    Ok(v1::HandoffResponse { summary, tabs })
}

/// Takes the session back.
pub async fn resume(cx: &Context, _: v1::ResumeRequest) -> Result<v1::ResumeResponse> {
    let not_handed = || {
        let message = "the session was not handed to a person";
        Error::new(Reason::NotHandedOff, message)
    };
    let (changes, notes) = match window(cx).await? {
        Some(window) if window.terms().connected => {
            (window.take_back().ok_or_else(not_handed)?, Vec::new())
        }
        Some(window) => {
            let Returned { changes, notes } = close(cx, &window).await?;
            (changes, notes)
        }
        // The person closed the window, which said the same.
        None => {
            let finished = cx.daemon().windows().take_finished(cx.session()?.name());
            (finished.ok_or_else(not_handed)?, Vec::new())
        }
    };
    let describe = |change: Change| v1::TabChange {
        id: change.tab,
        change: change.changed.word().to_owned(),
        url: change.url,
        before: change.before,
        note: note(&notes, change.tab),
    };
    Ok(v1::ResumeResponse { tabs: changes.into_iter().map(describe).collect() })
}

/// Brings the tab to the front, and gives an element the focus.
pub async fn focus(cx: &Context, request: v1::FocusRequest) -> Result<v1::FocusResponse> {
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
            let receipt = input::act(cx, cx.engine().clone(), focus).await?;
            summary = format!("{summary}\n{}", receipt.summary);
            Some(receipt)
        }
        None => None,
    };
    Ok(v1::FocusResponse { summary, tab: tab.id(), visible, receipt })
}

/// The window of the session, once it stays where it is.
async fn window(cx: &Context) -> Result<Option<Arc<Window>>> {
    let session = cx.session()?;
    session.settled().await;
    Ok(cx.daemon().windows().get(session.name()))
}

/// Opens the window of the session. A caller who goes away does not leave the
/// session half on its way.
async fn open(cx: &Context, screen: Screen, terms: Terms) -> Result<(Arc<Window>, Vec<Note>)> {
    let (daemon, session) = (Arc::clone(cx.daemon()), cx.session()?);
    session.settled().await;
    let opened =
        tokio::spawn(async move { daemon.windows().open(&daemon, &session, screen, terms).await });
    opened.await.map_err(broken)?
}

/// Closes the window of the session.
async fn close(cx: &Context, window: &Arc<Window>) -> Result<Returned> {
    let (daemon, window) = (Arc::clone(cx.daemon()), Arc::clone(window));
    let closed =
        tokio::spawn(async move { daemon.windows().close(&window, Closing::Caller).await });
    Ok(closed.await.map_err(broken)??.unwrap_or_default())
}

fn broken(error: tokio::task::JoinError) -> Error {
    Error::new(Reason::Bug, format!("the move did not end: {error}"))
}

/// The screen of a root caller, or of the daemon.
fn screen(cx: &Context, given: Option<v1::Screen>) -> Result<Screen> {
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

fn tabs(window: &Window, notes: &[Note]) -> Vec<v1::WindowTab> {
    let describe = |(id, url)| v1::WindowTab { id, url, note: note(notes, id) };
    window.addresses().into_iter().map(describe).collect()
}

fn note(notes: &[Note], tab: u64) -> Option<String> {
    notes.iter().find(|note| note.tab == tab).map(|note| note.text.clone())
}

fn visible(tabs: &[v1::WindowTab]) -> String {
    with_notes(format!("the session is visible, with {}", count(tabs)), tabs)
}

fn count(tabs: &[v1::WindowTab]) -> String {
    if tabs.len() == 1 { "1 tab".to_owned() } else { format!("{} tabs", tabs.len()) }
}

/// What did not come along belongs to what happened.
fn with_notes(summary: String, tabs: &[v1::WindowTab]) -> String {
    let noted = tabs.iter().filter_map(|tab| Some((tab.id, tab.note.as_ref()?)));
    noted.fold(summary, |summary, (id, note)| format!("{summary}; tab {id}: {note}"))
}
