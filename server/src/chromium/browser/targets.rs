//! Targets come, go and crash: tabs, out-of-process frames, workers.

use std::sync::Arc;

use serde::Deserialize;

use super::registry::{Attached, Registry, Role};
use super::side_panel;
use crate::chromium::capture::event::Event;
use crate::chromium::connection::envelope::RawEvent;
use crate::chromium::connection::session::Session;
use crate::chromium::emulation::messages::Served;
use crate::chromium::error::Error;
use crate::chromium::ids::{BrowserContextId, FrameId, SessionId, TargetId};
use crate::chromium::page::page::Page;
use crate::chromium::page::setup;

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
struct TargetOnly {
    target_id: TargetId,
}

impl Registry {
    /// `Target.*`. An event that does not fit changes nothing.
    pub(super) fn target_event(&self, name: &str, event: &RawEvent<'_>) -> Option<()> {
        match name {
            "attachedToTarget" => self.attached(event.params()?, event.session),
            "detachedFromTarget" => {
                self.detached(&event.params::<DetachedFromTarget>()?.session_id)
            }
            "targetDestroyed" => {
                let target = event.params::<TargetOnly>()?.target_id;
                {
                    let mut maps = self.maps.lock();
                    maps.known.remove(&target);
                    maps.refused.remove(&target);
                    maps.by_pages.remove(&target);
                }
                self.close_page(&target);
            }
            "targetCrashed" => self.crashed(&event.params::<TargetOnly>()?.target_id),
            _ => {}
        }
        Some(())
    }

    fn attached(&self, event: AttachedToTarget, parent: Option<&str>) {
        let info = event.target_info;
        let session = Session::new(self.shared.connection.clone(), event.session_id);
        let parent_page = parent.and_then(|id| self.maps.lock().sessions.get(id)?.page.clone());
        let (role, page) = match (info.kind.as_str(), info.subtype.as_deref()) {
            ("page", None) if info.url.starts_with(side_panel::SCHEME) => (Role::Other, None),
            // A second session of a tab is one for raw calls.
            ("page", None) if self.is_known(&info.target_id) => (Role::Other, None),
            ("page", None) if self.is_refused(&session, &info) => return,
            ("page", None) => (Role::Page, Some(self.new_page(&session, &info))),
            ("iframe", _) => (Role::Frame, parent_page),
            _ => (Role::Other, parent_page),
        };
        let attached = Attached { session: session.clone(), page: page.clone(), role };
        self.maps.lock().sessions.insert(session.id().clone(), attached);
        let context = page.as_ref().map(|page| page.context_id().clone());
        let context = context.or(info.browser_context_id);
        let context = context.unwrap_or_else(|| BrowserContextId::from(""));
        match (role, page) {
            (Role::Page, Some(page)) => {
                setup::set_up_page(&page);
                let opener = page.opener().and_then(|opener| self.page(opener));
                if let Some(opener) = opener {
                    opener.state.lock().has_opened = true;
                }
                let hidden = {
                    let mut maps = self.maps.lock();
                    maps.pages.push(Arc::clone(&page));
                    maps.known.insert(page.target_id().clone());
                    if page.opener().is_none() && maps.holding.contains_key(page.context_id()) {
                        maps.held.push(Arc::clone(&page));
                    }
                    maps.hides(&page)
                };
                if !hidden {
                    self.shared.sink.event(Event::PageOpened(page));
                }
            }
            (Role::Frame, Some(page)) => {
                let frame = FrameId::from(info.target_id.as_str());
                page.state.lock().frames.move_out(&frame, &session);
                setup::set_up_frame(&page, &session);
                page.notify();
            }
            (_, page) => {
                let emulations = &self.shared.emulations;
                emulations.join(&session, Served::Worker, page.as_ref(), &context);
                // A tab tells of its service workers as well.
                let is_shared = matches!(info.kind.as_str(), "shared_worker" | "service_worker");
                if is_shared && parent.is_none() {
                    self.shared.workers.join(&session, &context);
                }
                setup::resume(&session);
            }
        }
        self.changed.send_replace(());
    }

    /// Whether it is a window that a page may not open.
    fn is_refused(&self, session: &Session, info: &TargetInfo) -> bool {
        let (frame, context) = (info.opener_frame_id.as_ref(), info.browser_context_id.as_ref());
        let opener = info.opener_id.as_ref();
        self.refuses_window(session, &info.target_id, opener, frame, context)
    }

    /// Whether a tab is or was attached; one that was closed lingers.
    fn is_known(&self, target: &TargetId) -> bool {
        self.maps.lock().known.contains(target)
    }

    fn new_page(&self, session: &Session, info: &TargetInfo) -> Arc<Page> {
        let context = info.browser_context_id.clone();
        Page::new(
            Arc::clone(&self.shared),
            session.clone(),
            info.target_id.clone(),
            context.unwrap_or_else(|| BrowserContextId::from("")),
            info.opener_id.clone(),
        )
    }

    fn detached(&self, session: &SessionId) {
        let Some(attached) = self.maps.lock().sessions.remove(session) else {
            return;
        };
        self.shared.emulations.leave(session);
        self.shared.workers.leave(session);
        match (attached.role, attached.page) {
            (Role::Page, Some(page)) => self.close_page(page.target_id()),
            (Role::Frame, Some(page)) => {
                page.state.lock().frames.session_ended(session);
                self.shared.connection.fail_session(session.as_str(), &Error::StaleContext);
                page.notify();
            }
            _ => self.shared.connection.fail_session(session.as_str(), &Error::TabClosed),
        }
    }

    /// A renderer died: a tab's, or that of an out-of-process frame, whose tab
    /// lives on with a hole in it.
    fn crashed(&self, target: &TargetId) {
        let pages = self.all_pages();
        if let Some(page) = pages.iter().find(|page| page.target_id() == target) {
            return page.crashed();
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
