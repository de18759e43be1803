//! Routes of requests that shared and service workers make. Those of dedicated
//! workers are paused with their tab's.
//!
//! Such a worker belongs to no tab but to a browsing context, so the routes of
//! all tabs of the context hold for it.

use std::sync::{Arc, Weak};

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::page::Page;
use super::routes::Way;
use crate::chromium::browser::registry::Shared;
use crate::chromium::connection::params::NoParams;
use crate::chromium::connection::session::Session;
use crate::chromium::guard::document::RequestPaused;
use crate::chromium::ids::{BrowserContextId, SessionId};
use crate::chromium::sync::Lock;

/// The workers of all contexts, and the tabs that have or had routes.
#[derive(Default)]
pub(crate) struct Workers {
    sessions: Lock<Vec<(Session, BrowserContextId)>>,
    routed: Lock<Vec<Weak<Page>>>,
}

impl Workers {
    /// A worker came; it is paused still.
    pub(crate) fn join(&self, session: &Session, context: &BrowserContextId) {
        self.sessions.lock().push((session.clone(), context.clone()));
        if !self.patterns(context).is_empty() {
            self.pause(session, context);
        }
    }

    /// A session ended, which may be that of a worker.
    pub(crate) fn leave(&self, session: &SessionId) {
        self.sessions.lock().retain(|(worker, _)| worker.id() != session);
    }

    /// The routes of a tab changed.
    pub(crate) fn routes_changed(&self, page: &Page) {
        {
            let mut routed = self.routed.lock();
            let is_other = |other: &Weak<Page>| {
                let other = other.upgrade();
                other.is_some_and(|other| other.target_id() != page.target_id())
            };
            routed.retain(is_other);
            routed.push(page.weak());
        }
        let workers = self.sessions.lock().clone();
        let own = workers.iter().filter(|(_, context)| context == page.context_id());
        own.for_each(|(session, context)| self.pause(session, context));
    }

    fn pause(&self, session: &Session, context: &BrowserContextId) {
        let patterns = self.patterns(context);
        match patterns.is_empty() {
            true => session.call_method::<IgnoredAny>("Fetch.disable", &NoParams).ignore(),
            false => {
                let params = json!({ "patterns": patterns });
                session.call_method::<IgnoredAny>("Fetch.enable", &params).ignore();
            }
        }
    }

    fn patterns(&self, context: &BrowserContextId) -> Vec<Value> {
        let pages = self.pages(context);
        pages.iter().flat_map(|page| page.routes.lock().list()).collect()
    }

    /// The tabs of a context that have routes, the newest last.
    fn pages(&self, context: &BrowserContextId) -> Vec<Arc<Page>> {
        let pages = self.routed.lock().iter().filter_map(Weak::upgrade).collect::<Vec<_>>();
        let here = |page: &Arc<Page>| page.context_id() == context && !page.is_closed();
        pages.into_iter().filter(here).collect()
    }
}

/// `Fetch.requestPaused` on the session of a worker.
pub(crate) fn paused(shared: &Shared, session: &Session, paused: RequestPaused) {
    let context = {
        let sessions = shared.workers.sessions.lock();
        let known = sessions.iter().find(|(worker, _)| worker == session);
        known.map(|(_, context)| context.clone())
    };
    let pages = context.map(|context| shared.workers.pages(&context)).unwrap_or_default();
    let url = &paused.request.url;
    match pages.iter().rev().find(|page| page.routes.lock().of(url).is_some()) {
        Some(page) => page.route_paused(session, paused),
        None => Way { connection: shared.connection.clone(), session: Some(session.id().clone()) }
            .go_on(&paused),
    }
}
