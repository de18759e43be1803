//! Targets come, go and crash: tabs, out-of-process frames, workers.

use std::sync::Arc;

use serde::Deserialize;

use super::registry::{AttachedSession, Registry, SessionRole};
use super::side_panel;
use crate::connection::envelope::RawEvent;
use crate::connection::session::CdpSession;
use crate::emulation::messages::EmulatedTarget;
use crate::error::Error;
use crate::ids::{BrowserContextId, FrameId, SessionId, TargetId};
use crate::page::page::Page;
use crate::page::setup;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AttachedToTarget {
    session_id: SessionId,
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    target_id: TargetId,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    opener_id: Option<TargetId>,
    #[serde(default)]
    opener_frame_id: Option<FrameId>,
    #[serde(default)]
    browser_context_id: Option<BrowserContextId>,
    #[serde(default)]
    subtype: Option<String>,
    #[serde(default)]
    url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DetachedFromTarget {
    session_id: SessionId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetIdEvent {
    target_id: TargetId,
}

impl Registry {
    /// `Target.*`. An event that does not fit changes nothing.
    pub(super) fn on_target_event(&self, name: &str, event: &RawEvent<'_>) -> Option<()> {
        if event.session.is_none() {
            if self.shared.clients.on_root_event(&self.shared.connection, name, event) {
                return Some(());
            }
            self.shared.clients.forward_target_event(name, event);
        }
        match name {
            "attachedToTarget" => self.on_attached(event.params()?, event.session),
            "detachedFromTarget" => {
                self.on_detached(&event.params::<DetachedFromTarget>()?.session_id)
            }
            "targetDestroyed" => {
                let target = event.params::<TargetIdEvent>()?.target_id;
                {
                    let mut maps = self.maps.lock();
                    maps.known_targets.remove(&target);
                    maps.refused_windows.remove(&target);
                    maps.opened_by_pages.remove(&target);
                }
                self.close_page(&target);
            }
            "targetInfoChanged" if event.session.is_none() => {
                self.on_panel_target_changed(event)?;
            }
            "targetCrashed" => self.on_crashed(&event.params::<TargetIdEvent>()?.target_id),
            _ => {}
        }
        Some(())
    }

    fn on_attached(&self, event: AttachedToTarget, parent: Option<&str>) {
        let info = event.target_info;
        let session = CdpSession::new(self.shared.connection.clone(), event.session_id);
        let parent_page = parent.and_then(|id| self.maps.lock().sessions.get(id)?.page.clone());
        let (role, page) = match (info.kind.as_str(), info.subtype.as_deref()) {
            ("page", None) if info.url.starts_with(side_panel::EXTENSION_SCHEME) => {
                (SessionRole::Other, None)
            }
            // A second session of a tab is one for raw calls.
            ("page", None) if self.is_known(&info.target_id) => (SessionRole::Other, None),
            ("page", None) if self.is_refused_popup(&session, &info) => return,
            ("page", None) => (SessionRole::Page, Some(self.new_page(&session, &info))),
            ("iframe", _) => (SessionRole::Frame, parent_page),
            _ => (SessionRole::Other, parent_page),
        };
        let parent_target =
            parent.and_then(|id| Some(self.maps.lock().sessions.get(id)?.target.clone()));
        let target = info.target_id.clone();
        let attached = AttachedSession {
            session: session.clone(),
            target: target.clone(),
            page: page.clone(),
            role,
        };
        self.maps.lock().sessions.insert(session.id().clone(), attached);
        let context = page.as_ref().map(|page| page.context_id().clone());
        let context = context.or(info.browser_context_id);
        let context = context.unwrap_or_else(|| BrowserContextId::from(""));
        match (role, page) {
            (SessionRole::Page, Some(page)) => {
                setup::set_up_page(&page);
                let opener = page.opener().and_then(|opener| self.page(opener));
                if let Some(opener) = opener {
                    opener.state.lock().has_opened_page = true;
                }
                let hidden = {
                    let mut maps = self.maps.lock();
                    maps.pages.push(Arc::clone(&page));
                    maps.known_targets.insert(page.target_id().clone());
                    if page.opener().is_none() && maps.hold_counts.contains_key(page.context_id()) {
                        maps.held_pages.push(Arc::clone(&page));
                    }
                    maps.is_page_hidden(&page)
                };
                if hidden {
                    setup::resume_page(&page);
                } else {
                    self.start_page(page);
                }
            }
            (SessionRole::Frame, Some(page)) => {
                let frame = FrameId::from(info.target_id.as_str());
                page.state.lock().frames.set_out_of_process(&frame, &session);
                setup::set_up_frame(&page, &session);
                self.start_child(session, &target, parent_target.as_ref());
                page.notify();
            }
            (_, page) => {
                let emulations = &self.shared.emulations;
                emulations.add_session(&session, EmulatedTarget::Worker, page.as_ref(), &context);
                // A tab tells of its service workers as well.
                let is_shared = matches!(info.kind.as_str(), "shared_worker" | "service_worker");
                if is_shared && parent.is_none() {
                    self.shared.workers.add(&session, &context);
                    self.start_shared_worker(session, &context, &target);
                } else {
                    self.start_child(session, &target, parent_target.as_ref());
                }
            }
        }
        self.note_panel_target(&target, &info.url);
        self.changed.send_replace(());
    }

    /// Reports a new tab and lets it run, unless a client has it wait.
    fn start_page(&self, page: Arc<Page>) {
        let (clients, target) = (&self.shared.clients, page.target_id().clone());
        if !clients.stops_new_targets(page.context_id()) {
            setup::resume_page(&page);
            return self.report_opened(page);
        }
        let held = Arc::clone(&page);
        clients.hold(&target, Box::new(move || setup::resume_page(&held)));
        self.report_opened(page);
        clients.settle_held(&self.shared.connection, &target);
    }

    /// The same for a worker that belongs to no tab.
    fn start_shared_worker(
        &self,
        session: CdpSession,
        context: &BrowserContextId,
        target: &TargetId,
    ) {
        let clients = &self.shared.clients;
        if !clients.stops_new_targets(context) {
            setup::resume(&session);
            return clients.on_worker_opened(context, target);
        }
        clients.hold(target, Box::new(move || setup::resume(&session)));
        clients.on_worker_opened(context, target);
        clients.settle_held(&self.shared.connection, target);
    }

    /// The same for a frame or worker of a tab: Chromium attaches the clients of the tab.
    fn start_child(&self, session: CdpSession, target: &TargetId, parent: Option<&TargetId>) {
        let clients = &self.shared.clients;
        if !parent.is_some_and(|parent| clients.stops_children(parent)) {
            return setup::resume(&session);
        }
        clients.hold(target, Box::new(move || setup::resume(&session)));
        clients.settle_held(&self.shared.connection, target);
    }

    /// Whether it is a window that a page may not open.
    fn is_refused_popup(&self, session: &CdpSession, info: &TargetInfo) -> bool {
        let (frame, context) = (info.opener_frame_id.as_ref(), info.browser_context_id.as_ref());
        let opener = info.opener_id.as_ref();
        self.refuse_window(session, &info.target_id, opener, frame, context)
    }

    /// Whether a tab is or was attached; one that was closed lingers.
    fn is_known(&self, target: &TargetId) -> bool {
        self.maps.lock().known_targets.contains(target)
    }

    fn new_page(&self, session: &CdpSession, info: &TargetInfo) -> Arc<Page> {
        let context = info.browser_context_id.clone();
        Page::new(
            Arc::clone(&self.shared),
            session.clone(),
            info.target_id.clone(),
            context.unwrap_or_else(|| BrowserContextId::from("")),
            info.opener_id.clone(),
        )
    }

    fn on_detached(&self, session: &SessionId) {
        let Some(attached) = self.maps.lock().sessions.remove(session) else {
            return;
        };
        self.shared.emulations.remove_session(session);
        self.shared.workers.remove(session);
        self.on_panel_detached(session);
        match (attached.role, attached.page) {
            (SessionRole::Page, Some(page)) => self.close_page(page.target_id()),
            (SessionRole::Frame, Some(page)) => {
                page.state.lock().frames.on_session_ended(session);
                self.shared.connection.fail_session(session.as_str(), &Error::StaleContext);
                page.notify();
            }
            _ => self.shared.connection.fail_session(session.as_str(), &Error::TabClosed),
        }
    }

    /// A renderer died: a tab's, or that of an out-of-process frame, whose tab
    /// lives on with a hole in it.
    fn on_crashed(&self, target: &TargetId) {
        let pages = self.all_pages();
        if let Some(page) = pages.iter().find(|page| page.target_id() == target) {
            return page.mark_crashed();
        }
        let frame = FrameId::from(target.as_str());
        let session = pages.iter().find_map(|page| {
            let state = page.state.lock();
            state.frames.get(&frame).map(|frame| frame.session.id().clone())
        });
        if let Some(session) = session {
            self.shared.connection.fail_session(session.as_str(), &Error::StaleContext);
        }
    }
}
