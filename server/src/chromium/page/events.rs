//! Applies the events of one session to its page.

use std::sync::Arc;

use super::contexts::Context;
use super::dialogs;
use super::page::Page;
use super::protocol::{
    ContextCreated, ContextDestroyed, FrameAttached, FrameDetached, FrameNavigated, FrameOnly,
    FrameRequestedNavigation, FrameStartedNavigating, LifecycleEvent, NavigatedWithinDocument,
    WindowOpen, WireContext,
};
use super::state::{LoadSet, LoadState, PageState, Pending};
use crate::chromium::browser::windows::AskedWindow;
use crate::chromium::capture::console::{ConsoleApiCalled, ExceptionThrown, LogEntryAdded};
use crate::chromium::capture::event::Event;
use crate::chromium::capture::{har, network, valve};
use crate::chromium::connection::envelope::RawEvent;
use crate::chromium::connection::session::Session;
use crate::chromium::ids::LoaderId;
use crate::chromium::input::{drag, files};
use crate::chromium::launch::info::Flavour;
use crate::chromium::page::response::{LoadingFailed, RequestWillBeSent, ResponseReceived};

/// Applies one event that came on `session`, which serves some of the page's
/// frames. An event that does not fit changes nothing.
pub(crate) fn apply(page: &Arc<Page>, session: &Session, event: &RawEvent<'_>) {
    let known = match event.method.split_once('.') {
        Some(("Page", name)) => frame_event(page, session, name, event),
        Some(("Fetch", "requestPaused")) if page.is_routed() => {
            if let Some(paused) = event.params() {
                page.route_paused(session, paused);
            }
            None
        }
        // A tab that fetches, which is hidden and so has no routes.
        Some(("Fetch", "requestPaused")) => {
            if let Some(paused) = event.params() {
                page.request_paused(paused);
            }
            None
        }
        Some(("Runtime", name)) => runtime_event(page, session, name, event),
        Some(("Network", name)) => {
            har::apply(page, session, name, event);
            network::apply(page, name, event);
            network_event(page, name, event)
        }
        Some(("Input", "dragIntercepted")) => drag::intercepted(page, event),
        Some(("Performance", "metrics")) => {
            page.note_time_stamp(session);
            None
        }
        Some(("CSS", "styleSheetAdded")) => {
            page.sheet_added(event);
            None
        }
        Some(("Log", "entryAdded")) if valve::admit(page, session) => {
            if let Some(entry) = event.params::<LogEntryAdded>() {
                valve::deliver(page, entry.into());
            }
            None
        }
        _ => None,
    };
    if known.is_some() {
        page.notify();
    }
}

fn frame_event(
    page: &Arc<Page>,
    session: &Session,
    name: &str,
    event: &RawEvent<'_>,
) -> Option<()> {
    match name {
        "frameAttached" => {
            let attached: FrameAttached = event.params()?;
            let mut state = page.state.lock();
            state.frames.attach(attached.frame_id, Some(attached.parent_frame_id), session.clone());
        }
        "frameDetached" => {
            let detached: FrameDetached = event.params()?;
            // A swap moves the frame to another process; it lives on.
            if detached.reason.as_deref() != Some("swap") {
                page.state.lock().frames.remove(&detached.frame_id);
            }
        }
        "frameNavigated" => {
            let params: FrameNavigated = event.params()?;
            page.shared.visited.note(page.context_id(), &params.frame.url);
            navigated(&mut page.state.lock(), session, &params);
            if params.frame.id == page.main_frame().id {
                page.forget_time_stamps();
                let loader = params.frame.loader_id.clone();
                let committed = Event::DocumentCommitted(page.target_id().clone(), loader);
                page.shared.sink.event(committed);
            }
        }
        "navigatedWithinDocument" => {
            let navigated: NavigatedWithinDocument = event.params()?;
            let mut state = page.state.lock();
            let is_main = *state.frames.root() == navigated.frame_id;
            state.frames.get_mut(&navigated.frame_id)?.url = navigated.url;
            state.requested = state.requested.take().filter(|_| !is_main);
            state.commits += u64::from(is_main);
        }
        "frameRequestedNavigation" => {
            let requested: FrameRequestedNavigation = event.params()?;
            if requested.reason.starts_with("formSubmission") {
                let sent = Event::FormSent(page.target_id().clone(), requested.url.clone());
                page.shared.sink.event(sent);
            }
            let mut state = page.state.lock();
            let is_main = *state.frames.root() == requested.frame_id;
            match requested.disposition.as_str() {
                "currentTab" if is_main => state.requested = Some(requested.url),
                "download" => state.downloads_requested += 1,
                "currentTab" => state.frames_requested.add(requested.frame_id),
                // A click with a modifier, which opens a tab without an opener.
                _ => {
                    // Which frame of another process has the keys is not known here.
                    let is_inner = session.id() != page.session().id();
                    let headed = page.shared.flavour == Flavour::Headed;
                    let by_user = state.was_touched() || is_inner || headed;
                    let session = session.id().clone();
                    state.opens_window(AskedWindow { session, url: requested.url, by_user });
                }
            }
        }
        "windowOpen" => {
            let opened: WindowOpen = event.params()?;
            let asked = AskedWindow {
                session: session.id().clone(),
                url: opened.url,
                by_user: opened.user_gesture,
            };
            page.state.lock().opens_window(asked);
        }
        "frameStartedNavigating" => {
            let started: FrameStartedNavigating = event.params()?;
            let mut state = page.state.lock();
            let same_document = started.navigation_type.ends_with("ameDocument");
            if *state.frames.root() == started.frame_id && !same_document {
                state.requested = None;
                state.bound_for = Some(started.url.clone());
                state.pending = Some(Pending::new(started.loader_id, started.url));
            }
        }
        "frameStartedLoading" | "frameStoppedLoading" => {
            let frame: FrameOnly = event.params()?;
            let mut state = page.state.lock();
            if name == "frameStoppedLoading" {
                state.frames_requested.over(&frame.frame_id);
            }
            if *state.frames.root() == frame.frame_id {
                state.loading = name == "frameStartedLoading";
                if !state.loading {
                    state.pending = None;
                    state.requested = None;
                }
            }
        }
        "lifecycleEvent" => {
            let lifecycle: LifecycleEvent = event.params()?;
            let mut state = page.state.lock();
            let frame = state.frames.get_mut(&lifecycle.frame_id)?;
            if frame.reached.0 != lifecycle.loader_id {
                frame.reached = (lifecycle.loader_id, LoadSet::default());
            }
            frame.reached.1.insert(match lifecycle.name.as_str() {
                "DOMContentLoaded" => LoadState::DomContentLoaded,
                "load" => LoadState::Load,
                "networkIdle" => LoadState::NetworkIdle,
                _ => return None,
            });
        }
        "screencastFrame" => {
            page.frame_drawn(session, event.params()?);
            return None;
        }
        "fileChooserOpened" => files::opened(page, event)?,
        "javascriptDialogOpening" => dialogs::opening(page, event)?,
        "javascriptDialogClosed" => dialogs::closed(page, event)?,
        _ => return None,
    }
    Some(())
}

fn navigated(state: &mut PageState, session: &Session, navigated: &FrameNavigated) {
    let frame = &navigated.frame;
    state.frames.navigated(frame, session);
    state.frames_requested.over(&frame.id);
    let restored = navigated.kind.as_deref() == Some("BackForwardCacheRestore");
    if restored && let Some(known) = state.frames.get_mut(&frame.id) {
        // Its milestones are not reported again.
        known.reached = (frame.loader_id.clone(), LoadSet::ALL);
    }
    if *state.frames.root() == frame.id {
        state.show(&frame.loader_id);
        state.commits += 1;
        // What the document before it was refused.
        state.denied_main.take_if(|denied| !denied.answered);
        state.crashed = false;
        state.pending = None;
        state.requested = None;
        state.unreachable = frame.unreachable_url.clone();
    }
}

fn runtime_event(
    page: &Arc<Page>,
    session: &Session,
    name: &str,
    event: &RawEvent<'_>,
) -> Option<()> {
    match name {
        "executionContextCreated" => {
            let created: ContextCreated = event.params()?;
            let WireContext { id, unique_id, name, aux_data } = created.context;
            let aux = aux_data?;
            let name = (!aux.is_default).then_some(name.as_str());
            let mut state = page.state.lock();
            let frame = state.frames.get_mut(&aux.frame_id?)?;
            if frame.session == *session {
                let context = Context { number: id, unique: unique_id.map(Into::into) };
                frame.contexts.created(name, context);
            }
        }
        "executionContextDestroyed" => {
            let destroyed: ContextDestroyed = event.params()?;
            let context = Some(destroyed.execution_context_id);
            page.state.lock().frames.forget_contexts(session.id(), context);
        }
        "executionContextsCleared" => page.state.lock().frames.forget_contexts(session.id(), None),
        // Nobody waits for console lines.
        "consoleAPICalled" | "exceptionThrown" if !valve::admit(page, session) => return None,
        "consoleAPICalled" => {
            valve::deliver(page, event.params::<ConsoleApiCalled>()?.into());
            return None;
        }
        "exceptionThrown" => {
            valve::deliver(page, event.params::<ExceptionThrown>()?.into());
            return None;
        }
        _ => return None,
    }
    Some(())
}

fn network_event(page: &Page, name: &str, event: &RawEvent<'_>) -> Option<()> {
    match name {
        "requestWillBeSent" => {
            let request: RequestWillBeSent = event.params()?;
            let mut state = page.state.lock();
            if !request.is_document_of(state.frames.root()) {
                return None;
            }
            let url = request.request.url;
            state.asked = Some(url.clone());
            // A redirect keeps the loader: what is waited for now is its target.
            match state.pending.as_mut().filter(|known| known.loader == request.loader_id) {
                Some(known) => known.url = url,
                None => state.pending = Some(Pending::new(request.loader_id, url)),
            }
        }
        "responseReceived" => {
            let received: ResponseReceived = event.params()?;
            let mut state = page.state.lock();
            if !received.is_document_of(state.frames.root()) {
                return None;
            }
            state.pending = None;
            let response = received.main_response();
            let metadata = response.comes_from_metadata();
            state.response = Some((received.loader_id.clone(), response));
            drop(state);
            if metadata {
                page.drop_document(received.url());
            }
        }
        "loadingFailed" => {
            let failed: LoadingFailed = event.params()?;
            let mut state = page.state.lock();
            // Either nothing was answered, or the answer was not a document.
            let waiting = state.pending.as_ref().map(|pending| &pending.loader);
            let answered = state.response.as_ref().map(|(loader, _)| loader);
            let of_main = |loader: &&LoaderId| loader.as_str() == failed.request_id;
            let loader = waiting.into_iter().chain(answered).find(of_main)?.clone();
            if state.frames.get(state.frames.root())?.loader == loader {
                return None;
            }
            state.failed = Some((loader, failed.error_text));
            state.pending = None;
        }
        _ => return None,
    }
    Some(())
}
