//! Windows that pages open: without a gesture of the user none, and no more of them
//! than a session may have.
//!
//! Chromium says `Page.windowOpen`, with the gesture, before it attaches the target,
//! which waits for us. So what is refused is closed before its first request. It is let
//! go on as well, since its opener, which may be in the same process, waits with it; a
//! document that it asks for until it is closed is refused.

use std::sync::Arc;

use serde::de::IgnoredAny;
use serde_json::json;

use super::registry::Registry;
use crate::connection::session::CdpSession;
use crate::ids::{BrowserContextId, FrameId, TargetId};
use crate::page::event::Event;
use crate::page::page::Page;
use crate::page::setup;
use crate::page::windows::{RefusedWindow, RequestedWindow, WindowRefusal};

/// While it lives, tabs are being opened in a context by us.
pub(super) struct OpeningGuard {
    registry: Arc<Registry>,
    context: BrowserContextId,
}

impl OpeningGuard {
    pub(super) fn begin(registry: &Arc<Registry>, context: &BrowserContextId) -> Self {
        *registry.maps.lock().opening_counts.entry(context.clone()).or_default() += 1;
        Self { registry: Arc::clone(registry), context: context.clone() }
    }
}

impl Drop for OpeningGuard {
    fn drop(&mut self) {
        let mut maps = self.registry.maps.lock();
        if let Some(openings) = maps.opening_counts.get_mut(&self.context) {
            *openings -= 1;
            if *openings == 0 {
                maps.opening_counts.remove(&self.context);
            }
        }
    }
}

impl Registry {
    /// Refuses the window that waits in this target, when it is one that a page may not
    /// open.
    pub(super) fn refuse_window(
        &self,
        session: &CdpSession,
        target: &TargetId,
        opener: Option<&TargetId>,
        frame: Option<&FrameId>,
        context: Option<&BrowserContextId>,
    ) -> bool {
        let asker = match opener {
            Some(opener) => self.opener_of(opener, frame),
            None => context.and_then(|context| self.requester_in(context)),
        };
        let Some((page, asked)) = asker else { return false };
        let (url, by_user) =
            asked.map_or((String::new(), true), |asked| (asked.url, asked.has_user_activation));
        let reason = match by_user {
            false => WindowRefusal::NoGesture,
            true if self.count_opened_by_pages(context) >= self.shared.max_windows => {
                WindowRefusal::TooMany
            }
            true => {
                self.maps.lock().opened_by_pages.insert(target.clone());
                return false;
            }
        };
        tracing::info!(?reason, "a window was refused");
        let close = json!({ "targetId": target });
        let connection = &self.shared.connection;
        self.maps.lock().refused_windows.insert(target.clone());
        // One that is closed while it waits leaves its opener waiting. What it asks for
        // is refused meanwhile.
        setup::resume(session);
        connection.call_method::<IgnoredAny>(None, "Target.closeTarget", &close).ignore();
        let refused = RefusedWindow { url, reason };
        self.shared.sink.event(Event::WindowRefused(page.target_id().clone(), refused));
        page.notify();
        true
    }

    /// The tab that opened a window, and how it asked for it.
    fn opener_of(
        &self,
        opener: &TargetId,
        frame: Option<&FrameId>,
    ) -> Option<(Arc<Page>, Option<RequestedWindow>)> {
        // It is named by its frame when that has a process of its own.
        let page = self.page(opener).or_else(|| self.page_of_frame(&opener.as_str().into()))?;
        let mut state = page.state.lock();
        let served = frame.and_then(|frame| state.frames.get(frame));
        let asker = served.map_or(page.session().id(), |frame| frame.session.id()).clone();
        let at = state.pending_windows.iter().position(|asked| asked.session == asker);
        let asked = at.map(|at| state.pending_windows.swap_remove(at));
        drop(state);
        Some((page, asked))
    }

    /// The tab that asked for a window without an opener, which Chromium does not name;
    /// nobody while we open tabs there ourselves.
    fn requester_in(
        &self,
        context: &BrowserContextId,
    ) -> Option<(Arc<Page>, Option<RequestedWindow>)> {
        let ours = {
            let maps = self.maps.lock();
            maps.opening_counts.contains_key(context) || maps.hold_counts.contains_key(context)
        };
        let mut pages = self.all_pages().into_iter().filter(|page| page.context_id() == context);
        pages.find_map(|page| {
            let asked = if ours { None } else { page.state.lock().pending_windows.pop() };
            asked.map(|asked| (page, Some(asked)))
        })
    }

    /// Whether this is the main frame of a window that was refused.
    pub(super) fn is_refused_window(&self, frame: &FrameId) -> bool {
        self.maps.lock().refused_windows.contains(frame.as_str())
    }

    /// Tabs of a context that pages have opened.
    fn count_opened_by_pages(&self, context: Option<&BrowserContextId>) -> usize {
        let maps = self.maps.lock();
        let by_pages =
            maps.pages.iter().filter(|page| maps.opened_by_pages.contains(page.target_id()));
        by_pages.filter(|page| Some(page.context_id()) == context && !page.is_closed()).count()
    }
}
