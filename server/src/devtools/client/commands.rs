//! Where a request goes: to the session of the browser, of a tab or of a target.

use browse_chromium::{ClientAnswer, SessionId};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::{
    devtools_client::DevToolsClient,
    refusals::{method_refused, no_context, no_session},
    state::{BrowserSession, OwnSession},
};
use crate::devtools::{
    message::{DevToolsError, DevToolsRequest, METHOD_NOT_FOUND, ReplyAddress, SERVER_ERROR},
    methods,
};
use std::sync::Arc;

/// What was done with a request.
pub(super) type Served = Result<(), DevToolsError>;

impl DevToolsClient {
    /// Serves one request. It is answered now or later; refusals are noted.
    pub(super) async fn serve(&self, request: DevToolsRequest) {
        let own = match &request.session {
            None => Some(OwnSession::Browser),
            Some(session) => self.state().own_sessions.get(session).cloned(),
        };
        let served = match own {
            Some(OwnSession::Browser) => self.serve_browser(&request).await,
            Some(OwnSession::Tab { page, .. }) => self.serve_tab(&request, &page),
            None => self.serve_target(&request).await,
        };
        if let Err(refusal) = served {
            self.refuse(&request, &refusal);
        }
    }

    async fn serve_browser(&self, request: &DevToolsRequest) -> Served {
        self.check(request, false)?;
        let at: BrowserSession = request.session.clone();
        self.browser_command(request, at).await
    }

    async fn serve_target(&self, request: &DevToolsRequest) -> Served {
        let id = request.session.as_deref().unwrap_or_default();
        let target = match self.protocol()?.session_target(id) {
            Some(target) => target,
            None if self.state().has_ended(id) => {
                self.send(ReplyAddress::of(request).refusal(&no_session()));
                return Ok(());
            }
            None => return Err(no_session()),
        };
        self.check(request, true)?;
        self.target_command(request, &SessionId::from(id), &target).await
    }

    /// A tab has its page below it, and little else.
    fn serve_tab(&self, request: &DevToolsRequest, page: &browse_chromium::TargetId) -> Served {
        let reply = ReplyAddress::of(request);
        match request.method.as_str() {
            "Target.setAutoAttach" => self.set_tab_auto_attach(request, page),
            "Runtime.runIfWaitingForDebugger" => {
                self.protocol()?.end_stop(page);
                self.send(reply.result(&json!({})));
                Ok(())
            }
            "Target.detachFromTarget" => self.detach_from_target(request),
            "Target.getTargetInfo" => self.get_target_info(request, Some(page.as_str())),
            method => {
                let message = format!("'{method}' wasn't found: a tab has only `Target`");
                self.send(reply.refusal(&DevToolsError::new(METHOD_NOT_FOUND, message)));
                Ok(())
            }
        }
    }

    /// Checks a request by the table, and the ids in it.
    fn check(&self, request: &DevToolsRequest, on_target: bool) -> Served {
        methods::check(&request.method, on_target)
            .map_err(|reason| method_refused(&request.method, reason))?;
        if let Some(context) = request.params.get("browserContextId").filter(|id| !id.is_null()) {
            let context = context.as_str().ok_or_else(no_context)?;
            if !self.protocol()?.has_context(context) {
                return Err(no_context());
            }
        }
        Ok(())
    }

    /// Sends a request on, and its answer back.
    pub(super) fn forward(
        &self,
        session: Option<&SessionId>,
        request: &DevToolsRequest,
        params: &Value,
    ) -> Served {
        self.forward_then(session, request, params, |_, _| {})
    }

    /// The same; the function sees the answer before the client does.
    pub(super) fn forward_then(
        &self,
        session: Option<&SessionId>,
        request: &DevToolsRequest,
        params: &Value,
        then: impl FnOnce(&Self, &ClientAnswer) + Send + 'static,
    ) -> Served {
        let permit = Semaphore::try_acquire_owned(Arc::clone(&self.open_calls)).map_err(|_| {
            DevToolsError::new(SERVER_ERROR, "too many calls wait for their answer")
        })?;
        let (client, reply) = (self.myself(), ReplyAddress::of(request));
        let answered = move |answer: ClientAnswer| {
            drop(permit);
            if let Some(client) = client.upgrade() {
                then(&client, &answer);
                client.send(reply.answer(&answer));
            }
        };
        self.protocol()?.call(session, &request.method, params, Box::new(answered));
        Ok(())
    }
}
