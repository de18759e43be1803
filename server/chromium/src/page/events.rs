//! Applies the events of one session to its page.

use std::sync::Arc;

use super::event::Event;
use super::page::Page;
use super::protocol::{
    ContextCreated, ContextDestroyed, FrameAttached, FrameDetached, FrameIdEvent, FrameNavigated,
    FrameRequestedNavigation, FrameStartedNavigating, LifecycleEvent, NavigatedWithinDocument,
    WindowOpen, WireContext,
};
use super::response::{LoadingFailed, RequestWillBeSent, ResponseReceived};
use super::state::{LoadState, LoadStates, PageState, PendingNavigation};
use super::windows::RequestedWindow;
use super::{console_reports, dialogs, network_reports};
use crate::capture::console::{ConsoleApiCalled, ExceptionThrown, LogEntryAdded};
use crate::connection::envelope::RawEvent;
use crate::connection::session::CdpSession;
use crate::ids::LoaderId;
use crate::launch::info::Flavour;
use crate::world::contexts::ExecutionContext;

/// Applies one event that came on `session`, which serves some of the page's
/// frames. An event that does not fit changes nothing.
pub(crate) fn on_event(page: &Arc<Page>, session: &CdpSession, event: &RawEvent<'_>) {
    let known = match event.method.split_once('.') {
        Some(("Page", name)) => on_frame_event(page, session, name, event),
        Some(("Fetch", "requestPaused")) if page.has_routes() => {
            if let Some(paused) = event.params() {
                page.on_route_paused(session, paused);
            }
            None
        }
        // A tab that fetches, which is hidden and so has no routes.
        Some(("Fetch", "requestPaused")) => {
            if let Some(paused) = event.params() {
                page.on_fetch_paused(paused);
            }
            None
        }
        Some(("Runtime", name)) => on_runtime_event(page, session, name, event),
        Some(("Network", name)) => {
            network_reports::on_network_event(page, session, name, event);
            on_document_network_event(page, name, event)
        }
        Some(("Input", "dragIntercepted")) => on_drag_intercepted(page, event),
        Some(("CSS", "styleSheetAdded")) => {
            page.on_stylesheet_added(event);
            None
        }
        Some(("WebMCP", name)) => page.on_tool_event(name, event),
        Some(("Log", "entryAdded")) if console_reports::admit(page, session) => {
            if let Some(entry) = event.params::<LogEntryAdded>() {
                console_reports::report_entry(page, entry.into());
            }
            None
        }
        _ => None,
    };
    if known.is_some() {
        page.notify();
    }
}

fn on_frame_event(
    page: &Arc<Page>,
    session: &CdpSession,
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
            page.shared.visited_origins.record(page.context_id(), &params.frame.url);
            on_frame_navigated(&mut page.state.lock(), session, &params);
            if params.frame.id == page.main_frame().id {
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
            state.requested_url = state.requested_url.take().filter(|_| !is_main);
            state.commits += u64::from(is_main);
        }
        "frameRequestedNavigation" => {
            let requested: FrameRequestedNavigation = event.params()?;
            if requested.reason.starts_with("formSubmission") {
                let sent = Event::FormSubmitted(page.target_id().clone(), requested.url.clone());
                page.shared.sink.event(sent);
            }
            let mut state = page.state.lock();
            let is_main = *state.frames.root() == requested.frame_id;
            match requested.disposition.as_str() {
                "currentTab" if is_main => state.requested_url = Some(requested.url),
                "download" => state.downloads_requested += 1,
                "currentTab" => state.frame_navigation_requests.add(requested.frame_id),
                // A click with a modifier, which opens a tab without an opener.
                _ => {
                    // Which frame of another process has the keys is not known here.
                    let is_inner = session.id() != page.session().id();
                    let headed = page.shared.flavour == Flavour::Headed;
                    let by_user = state.has_user_activation() || is_inner || headed;
                    let session = session.id().clone();
                    state.add_window_request(RequestedWindow {
                        session,
                        url: requested.url,
                        has_user_activation: by_user,
                    });
                }
            }
        }
        "windowOpen" => {
            let opened: WindowOpen = event.params()?;
            let asked = RequestedWindow {
                session: session.id().clone(),
                url: opened.url,
                has_user_activation: opened.user_gesture,
            };
            page.state.lock().add_window_request(asked);
        }
        "frameStartedNavigating" => {
            let started: FrameStartedNavigating = event.params()?;
            let mut state = page.state.lock();
            let same_document = started.navigation_type.ends_with("ameDocument");
            if *state.frames.root() == started.frame_id && !same_document {
                state.requested_url = None;
                state.last_navigation_url = Some(started.url.clone());
                state.pending_navigation =
                    Some(PendingNavigation::new(started.loader_id, started.url));
            }
        }
        "frameStartedLoading" | "frameStoppedLoading" => {
            let frame: FrameIdEvent = event.params()?;
            let mut state = page.state.lock();
            if name == "frameStoppedLoading" {
                state.frame_navigation_requests.remove(&frame.frame_id);
            }
            if *state.frames.root() == frame.frame_id {
                state.loading = name == "frameStartedLoading";
                if !state.loading {
                    state.pending_navigation = None;
                    state.requested_url = None;
                }
            }
        }
        "lifecycleEvent" => {
            let lifecycle: LifecycleEvent = event.params()?;
            let mut state = page.state.lock();
            let frame = state.frames.get_mut(&lifecycle.frame_id)?;
            if frame.milestones.0 != lifecycle.loader_id {
                frame.milestones = (lifecycle.loader_id, LoadStates::default());
            }
            frame.milestones.1.insert(match lifecycle.name.as_str() {
                "DOMContentLoaded" => LoadState::DomContentLoaded,
                "load" => LoadState::Load,
                "networkIdle" => LoadState::NetworkIdle,
                _ => return None,
            });
        }
        "screencastFrame" => {
            page.on_screencast_frame(event.params()?);
            return None;
        }
        "screencastVisibilityChanged" => {
            page.on_screencast_visibility(event.params()?);
            return None;
        }
        "fileChooserOpened" => page.state.lock().file_chooser = Some(event.params()?),
        "javascriptDialogOpening" => dialogs::on_dialog_opening(page, event)?,
        "javascriptDialogClosed" => dialogs::on_dialog_closed(page, event)?,
        _ => return None,
    }
    Some(())
}

/// `Input.dragIntercepted`.
fn on_drag_intercepted(page: &Page, event: &RawEvent<'_>) -> Option<()> {
    let mut params: serde_json::Value = event.params()?;
    page.state.lock().drag_data = Some(params.get_mut("data")?.take());
    Some(())
}

fn on_frame_navigated(state: &mut PageState, session: &CdpSession, navigated: &FrameNavigated) {
    let frame = &navigated.frame;
    state.frames.on_navigated(frame, session);
    state.frame_navigation_requests.remove(&frame.id);
    let restored = navigated.kind.as_deref() == Some("BackForwardCacheRestore");
    if restored && let Some(known) = state.frames.get_mut(&frame.id) {
        // Its milestones are not reported again.
        known.milestones = (frame.loader_id.clone(), LoadStates::ALL);
    }
    if *state.frames.root() == frame.id {
        state.add_recent_document(&frame.loader_id);
        state.commits += 1;
        // What the document before it was refused.
        state.last_denied_main.take_if(|denied| !denied.was_answered);
        state.crashed = false;
        state.pending_navigation = None;
        state.requested_url = None;
        state.unreachable_url = frame.unreachable_url.clone();
    }
}

fn on_runtime_event(
    page: &Arc<Page>,
    session: &CdpSession,
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
                let context = ExecutionContext { number: id, unique_id: unique_id.map(Into::into) };
                frame.contexts.insert(name, context);
            }
        }
        "executionContextDestroyed" => {
            let destroyed: ContextDestroyed = event.params()?;
            let context = Some(destroyed.execution_context_id);
            page.state.lock().frames.forget_contexts(session.id(), context);
        }
        "executionContextsCleared" => page.state.lock().frames.forget_contexts(session.id(), None),
        // Nobody waits for console lines.
        "consoleAPICalled" | "exceptionThrown" if !console_reports::admit(page, session) => {
            return None;
        }
        "consoleAPICalled" => {
            console_reports::report_entry(page, event.params::<ConsoleApiCalled>()?.into());
            return None;
        }
        "exceptionThrown" => {
            console_reports::report_entry(page, event.params::<ExceptionThrown>()?.into());
            return None;
        }
        _ => return None,
    }
    Some(())
}

fn on_document_network_event(page: &Page, name: &str, event: &RawEvent<'_>) -> Option<()> {
    match name {
        "requestWillBeSent" => {
            let request: RequestWillBeSent = event.params()?;
            let mut state = page.state.lock();
            if !request.is_document_of(state.frames.root()) {
                return None;
            }
            let url = request.request.url;
            state.last_request_url = Some(url.clone());
            // A redirect keeps the loader: what is waited for now is its target.
            match state
                .pending_navigation
                .as_mut()
                .filter(|known| known.loader == request.loader_id)
            {
                Some(known) => known.url = url,
                None => {
                    state.pending_navigation = Some(PendingNavigation::new(request.loader_id, url))
                }
            }
        }
        "responseReceived" => {
            let received: ResponseReceived = event.params()?;
            let mut state = page.state.lock();
            if !received.is_document_of(state.frames.root()) {
                return None;
            }
            state.pending_navigation = None;
            let response = received.main_response();
            let metadata = response.is_from_metadata_service();
            state.main_response = Some((received.loader_id.clone(), response));
            drop(state);
            if metadata {
                page.discard_document(received.url());
            }
        }
        "loadingFailed" => {
            let failed: LoadingFailed = event.params()?;
            let mut state = page.state.lock();
            // Either nothing was answered, or the answer was not a document.
            let waiting = state.pending_navigation.as_ref().map(|pending| &pending.loader);
            let answered = state.main_response.as_ref().map(|(loader, _)| loader);
            let of_main = |loader: &&LoaderId| loader.as_str() == failed.request_id;
            let loader = waiting.into_iter().chain(answered).find(of_main)?.clone();
            if state.frames.get(state.frames.root())?.loader == loader {
                return None;
            }
            state.failed_navigation = Some((loader, failed.error_text));
            state.pending_navigation = None;
        }
        _ => return None,
    }
    Some(())
}
