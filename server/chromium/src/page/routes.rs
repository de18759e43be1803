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
use crate::connection::call::CdpCall;
use crate::connection::params::NoParams;
use crate::connection::pipe::CdpConnection;
use crate::connection::session::CdpSession;
use crate::error::Result;
use crate::guard::document::{DocumentRequester, RequestPaused, check_url};
use crate::guard::route::{Route, RouteAction, fulfill_params, is_safe_method};
use crate::ids::SessionId;

impl Page {
    /// Adds a route, which lives as long as the tab; it replaces one for the
    /// same addresses.
    pub async fn add_route(&self, route: Route) -> Result<()> {
        self.state.lock().ensure_open()?;
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
        self.state.lock().ensure_open()?;
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
        let calls: Vec<_> =
            sessions.iter().map(|session| self.update_interception(session)).collect();
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
        self.shared.workers.on_routes_changed(self);
        Ok(())
    }

    fn update_interception(&self, session: &CdpSession) -> CdpCall<IgnoredAny> {
        let routes = self.routes.lock();
        match routes.is_empty() {
            true => session.call_method("Fetch.disable", &NoParams),
            false => session.call_method("Fetch.enable", &routes.fetch_params()),
        }
    }

    /// For the session of a frame that has just come.
    pub(crate) fn intercept_frame(&self, session: &CdpSession) {
        if !self.routes.lock().is_empty() {
            self.update_interception(session).ignore();
        }
    }

    /// Whether it has routes.
    pub(crate) fn has_routes(&self) -> bool {
        !self.routes.lock().is_empty()
    }

    /// `Fetch.requestPaused` on a session of a tab that has routes.
    pub(crate) fn on_route_paused(&self, session: &CdpSession, paused: RequestPaused) {
        let way = PausedRequestReply {
            connection: self.shared.connection.clone(),
            session: Some(session.id().clone()),
        };
        // The guard has its own look at documents, on the browser session.
        if paused.resource_type == "Document" {
            return way.continue_request(&paused);
        }
        let url = &paused.request.url;
        let is_web = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if is_web {
            let policy = self.shared.policies.get(self.context_id());
            let decision = match &policy {
                Some(policy) => check_url(url, &DocumentRequester::Restricted(&policy.rules.get())),
                None => check_url(url, &DocumentRequester::Unrestricted { files: &[] }),
            };
            if decision.is_err() {
                return way.fail_request(&paused);
            }
        }
        self.apply_route(way, paused);
    }

    /// Does with an allowed request what its route says.
    pub(crate) fn apply_route(&self, way: PausedRequestReply, paused: RequestPaused) {
        let Some(route) = self.routes.lock().find(&paused.request.url) else {
            return way.continue_request(&paused);
        };
        let is_safe = is_safe_method(&paused.request.method);
        if route.action == RouteAction::AbortUnsafe && is_safe {
            return way.continue_request(&paused);
        }
        route.count_hit();
        if route.delay.is_zero() {
            return way.apply(&paused, &route.action);
        }
        tokio::spawn(async move {
            tokio::time::sleep(route.delay).await;
            way.apply(&paused, &route.action);
        });
    }
}

/// Where the answer to a paused request goes: to the session that paused it.
pub(crate) struct PausedRequestReply {
    pub connection: CdpConnection,
    pub session: Option<SessionId>,
}

impl PausedRequestReply {
    fn apply(&self, paused: &RequestPaused, action: &RouteAction) {
        match action {
            RouteAction::Continue => self.continue_request(paused),
            RouteAction::Abort | RouteAction::AbortUnsafe => self.fail_request(paused),
            RouteAction::Fulfill { status, headers, body } => {
                let params =
                    fulfill_params(&paused.request_id, &paused.request, *status, headers, body);
                self.send("Fetch.fulfillRequest", &params);
            }
        }
    }

    pub(super) fn continue_request(&self, paused: &RequestPaused) {
        self.send("Fetch.continueRequest", &paused.continue_params());
    }

    fn fail_request(&self, paused: &RequestPaused) {
        let reason = "BlockedByClient";
        let params = json!({ "requestId": paused.request_id, "errorReason": reason });
        self.send("Fetch.failRequest", &params);
    }

    fn send(&self, method: &'static str, params: &serde_json::Value) {
        self.connection.call_method::<IgnoredAny>(self.session.as_ref(), method, params).ignore();
    }
}
