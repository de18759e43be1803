//! Routes of requests that shared and service workers make. Those of dedicated
//! workers are paused with their tab's.
//!
//! Such a worker belongs to no tab but to a browsing context, so the routes of
//! all tabs of the context hold for it.

use std::sync::{Arc, Weak};

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::page::Page;
use super::routes::PausedRequestReply;
use super::shared::BrowserShared;
use crate::connection::params::NoParams;
use crate::connection::session::CdpSession;
use crate::guard::document::RequestPaused;
use crate::ids::{BrowserContextId, SessionId};
use browse_base::Lock;

/// The workers of all contexts, and the tabs that have or had routes.
#[derive(Default)]
pub(crate) struct Workers {
    sessions: Lock<Vec<(CdpSession, BrowserContextId)>>,
    routed_pages: Lock<Vec<Weak<Page>>>,
}

impl Workers {
    /// A worker came; it is paused still.
    pub(crate) fn add(&self, session: &CdpSession, context: &BrowserContextId) {
        self.sessions.lock().push((session.clone(), context.clone()));
        if !self.request_patterns(context).is_empty() {
            self.update_interception(session, context);
        }
    }

    /// A session ended, which may be that of a worker.
    pub(crate) fn remove(&self, session: &SessionId) {
        self.sessions.lock().retain(|(worker, _)| worker.id() != session);
    }

    /// The routes of a tab changed.
    pub(crate) fn on_routes_changed(&self, page: &Page) {
        {
            let mut routed = self.routed_pages.lock();
            let is_other = |other: &Weak<Page>| {
                let other = other.upgrade();
                other.is_some_and(|other| other.target_id() != page.target_id())
            };
            routed.retain(is_other);
            routed.push(page.weak());
        }
        let workers = self.sessions.lock().clone();
        let own = workers.iter().filter(|(_, context)| context == page.context_id());
        own.for_each(|(session, context)| self.update_interception(session, context));
    }

    fn update_interception(&self, session: &CdpSession, context: &BrowserContextId) {
        let patterns = self.request_patterns(context);
        match patterns.is_empty() {
            true => session.call_method::<IgnoredAny>("Fetch.disable", &NoParams).ignore(),
            false => {
                let params = json!({ "patterns": patterns });
                session.call_method::<IgnoredAny>("Fetch.enable", &params).ignore();
            }
        }
    }

    fn request_patterns(&self, context: &BrowserContextId) -> Vec<Value> {
        let pages = self.routed_pages_of(context);
        pages.iter().flat_map(|page| page.routes.lock().request_patterns()).collect()
    }

    /// The tabs of a context that have routes, the newest last.
    fn routed_pages_of(&self, context: &BrowserContextId) -> Vec<Arc<Page>> {
        let pages = self.routed_pages.lock().iter().filter_map(Weak::upgrade).collect::<Vec<_>>();
        let here = |page: &Arc<Page>| page.context_id() == context && !page.is_closed();
        pages.into_iter().filter(here).collect()
    }
}

/// `Fetch.requestPaused` on the session of a worker.
pub(crate) fn on_request_paused(
    shared: &BrowserShared,
    session: &CdpSession,
    paused: RequestPaused,
) {
    let context = {
        let sessions = shared.workers.sessions.lock();
        let known = sessions.iter().find(|(worker, _)| worker == session);
        known.map(|(_, context)| context.clone())
    };
    let pages = context.map(|context| shared.workers.routed_pages_of(&context)).unwrap_or_default();
    let url = &paused.request.url;
    match pages.iter().rev().find(|page| page.routes.lock().find(url).is_some()) {
        Some(page) => page.on_route_paused(session, paused),
        None => PausedRequestReply {
            connection: shared.connection.clone(),
            session: Some(session.id().clone()),
        }
        .continue_request(&paused),
    }
}
