//! Routes of a tab: where its requests are paused, and what is done with them.
//!
//! Documents are paused on the browser session, by the guard, which takes their
//! route when it lets them pass. Everything else is paused on the sessions of
//! the tab's frames, while there are routes; there the guard's rules are asked
//! first as well. Workers that belong to no tab are in `workers.rs`. A request that nobody answers stays paused: that is closed.

use std::collections::HashSet;
use std::sync::Arc;

use serde::de::IgnoredAny;
use serde_json::json;
use url::Url;

use super::page::Page;
use crate::chromium::connection::call::Call;
use crate::chromium::connection::params::NoParams;
use crate::chromium::connection::pipe::Connection;
use crate::chromium::connection::session::Session;
use crate::chromium::error::Result;
use crate::chromium::guard::document::{Asker, RequestPaused, decide};
use crate::chromium::guard::route::{Route, RouteAction, fulfilment, is_safe_method};
use crate::chromium::ids::SessionId;

impl Page {
    /// Adds a route, which lives as long as the tab; it replaces one for the
    /// same addresses.
    pub async fn add_route(&self, route: Route) -> Result<()> {
        self.state.lock().alive_or_crashed()?;
        let before = self.routes.lock().clone();
        self.routes.lock().add(Arc::new(route));
        let applied = self.apply_routes().await;
        if applied.is_err() {
            // What was not taken is not listed either.
            *self.routes.lock() = before;
        }
        applied
    }

    /// Removes the routes of exactly these addresses, or all; answers how many.
    pub async fn remove_routes(&self, glob: Option<&str>) -> Result<usize> {
        self.state.lock().alive_or_crashed()?;
        let removed = {
            let mut routes = self.routes.lock();
            let before = routes.all().len();
            routes.remove(glob);
            before - routes.all().len()
        };
        self.apply_routes().await?;
        Ok(removed)
    }

    /// Its routes, oldest first.
    pub fn routes(&self) -> Vec<Arc<Route>> {
        self.routes.lock().all().to_vec()
    }

    /// Tells every session of the tab what to pause.
    async fn apply_routes(&self) -> Result<()> {
        let mut seen = HashSet::new();
        let frames = self.frames().into_iter().map(|frame| frame.session);
        let sessions = frames.chain([self.session().clone()]);
        let sessions: Vec<_> =
            sessions.filter(|session| seen.insert(session.id().clone())).collect();
        let calls: Vec<_> = sessions.iter().map(|session| self.pause(session)).collect();
        for (session, call) in sessions.iter().zip(calls) {
            match call.await {
                Ok(_) => {}
                // The session of a frame may end at any time.
                Err(error) if session != self.session() => {
                    tracing::debug!(%error, "a frame took no routes");
                }
                Err(error) => return Err(error),
            }
        }
        self.shared.workers.routes_changed(self);
        Ok(())
    }

    fn pause(&self, session: &Session) -> Call<IgnoredAny> {
        let routes = self.routes.lock();
        match routes.is_empty() {
            true => session.call_method("Fetch.disable", &NoParams),
            false => session.call_method("Fetch.enable", &routes.patterns()),
        }
    }

    /// For the session of a frame that has just come.
    pub(crate) fn route_frame(&self, session: &Session) {
        if !self.routes.lock().is_empty() {
            self.pause(session).ignore();
        }
    }

    /// Whether it has routes.
    pub(crate) fn is_routed(&self) -> bool {
        !self.routes.lock().is_empty()
    }

    /// `Fetch.requestPaused` on a session of a tab that has routes.
    pub(crate) fn route_paused(&self, session: &Session, paused: RequestPaused) {
        let way =
            Way { connection: self.shared.connection.clone(), session: Some(session.id().clone()) };
        // The guard has its own look at documents, on the browser session.
        if paused.resource_type == "Document" {
            return way.go_on(&paused);
        }
        let url = &paused.request.url;
        let is_web = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if is_web {
            let policy = self.shared.policies.get(self.context_id());
            let decision = match &policy {
                Some(policy) => decide(url, &Asker::Restricted(&policy.rules.get())),
                None => decide(url, &Asker::Free { files: &[] }),
            };
            if decision.is_err() {
                return way.fail(&paused);
            }
        }
        self.take_route(way, paused);
    }

    /// Does with an allowed request what its route says.
    pub(crate) fn take_route(&self, way: Way, paused: RequestPaused) {
        let Some(route) = self.routes.lock().of(&paused.request.url) else {
            return way.go_on(&paused);
        };
        let is_safe = is_safe_method(&paused.request.method);
        if route.action == RouteAction::AbortUnsafe && is_safe {
            return way.go_on(&paused);
        }
        route.hit();
        if route.delay.is_zero() {
            return way.act(&paused, &route.action);
        }
        tokio::spawn(async move {
            tokio::time::sleep(route.delay).await;
            way.act(&paused, &route.action);
        });
    }
}

/// Where the answer to a paused request goes: to the session that paused it.
pub(crate) struct Way {
    pub connection: Connection,
    pub session: Option<SessionId>,
}

impl Way {
    fn act(&self, paused: &RequestPaused, action: &RouteAction) {
        match action {
            RouteAction::Continue => self.go_on(paused),
            RouteAction::Abort | RouteAction::AbortUnsafe => self.fail(paused),
            RouteAction::Fulfil { status, headers, body } => {
                let params =
                    fulfilment(&paused.request_id, &paused.request, *status, headers, body);
                self.say("Fetch.fulfillRequest", &params);
            }
        }
    }

    pub(super) fn go_on(&self, paused: &RequestPaused) {
        self.say("Fetch.continueRequest", &json!({ "requestId": paused.request_id }));
    }

    fn fail(&self, paused: &RequestPaused) {
        let reason = "BlockedByClient";
        let params = json!({ "requestId": paused.request_id, "errorReason": reason });
        self.say("Fetch.failRequest", &params);
    }

    fn say(&self, method: &'static str, params: &serde_json::Value) {
        self.connection.call_method::<IgnoredAny>(self.session.as_ref(), method, params).ignore();
    }
}
