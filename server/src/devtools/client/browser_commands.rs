//! What the session of the browser answers, for the session of browse alone.

use browse_base::{hex, random};
use browse_chromium::{ClientAnswer, TargetId};
use serde_json::{Value, json};

use super::{
    commands::Served,
    devtools_client::DevToolsClient,
    refusals::{method_refused, no_target, refused},
    state::{BrowserSession, OwnSession, page_of_tab, tab_id},
};
use crate::devtools::message::{self, DevToolsError, DevToolsRequest, ReplyAddress, SERVER_ERROR};

/// What is left of the parameters of a new tab.
const NEW_TAB_PARAMS: &[&str] = &[
    "left",
    "top",
    "width",
    "height",
    "windowState",
    "newWindow",
    "background",
    "focus",
    "browserContextId",
];

impl DevToolsClient {
    /// Runs a method that the table allows there, or on the session of a target.
    pub(super) async fn browser_command(
        &self,
        request: &DevToolsRequest,
        at: BrowserSession,
    ) -> Served {
        let reply = ReplyAddress::of(request);
        let empty = || {
            self.send(reply.result(&json!({})));
            Ok(())
        };
        match request.method.as_str() {
            "Browser.getVersion" => self.forward(None, request, &json!({})),
            "Browser.close" => {
                empty()?;
                self.hang_up("the client closed its browser; the session stays");
                Ok(())
            }
            "Browser.setDownloadBehavior" => self.set_download_behavior(request),
            "Browser.cancelDownload" => self.cancel_download(request),
            "Browser.getWindowForTarget" => self.get_window(request, None),
            "Browser.getWindowBounds" | "Browser.setWindowBounds" => self.window_bounds(request),
            "Browser.grantPermissions"
            | "Browser.setPermission"
            | "Browser.resetPermissions"
            | "Storage.getCookies"
            | "Storage.setCookies"
            | "Storage.clearCookies" => self.forward(None, request, &self.with_context(request)),
            "Security.setIgnoreCertificateErrors" if request.flag("ignore") => {
                Err(refused(&request.method, "certificates are checked"))
            }
            "Security.setIgnoreCertificateErrors" => empty(),
            "Target.setAutoAttach" => self.set_auto_attach(request, at),
            "Target.setDiscoverTargets" => self.set_discover_targets(request, at),
            "Target.getTargets" => self.get_targets(request),
            "Target.getTargetInfo" => self.get_target_info(request, None),
            "Target.getBrowserContexts" => {
                let own = self.protocol()?.contexts().into_iter().skip(1);
                let ids: Vec<_> = own.map(String::from).collect();
                let contexts = json!({
                    "browserContextIds": ids,
                    "defaultBrowserContextId": self.context().as_str(),
                });
                self.send(reply.result(&contexts));
                Ok(())
            }
            "Target.attachToTarget" => self.attach_to_target(request, at),
            "Target.attachToBrowserTarget" => self.attach_to_browser(request, at),
            "Target.detachFromTarget" => self.detach_from_target(request),
            "Target.createTarget" => self.create_target(request),
            "Target.activateTarget" | "Target.closeTarget" => {
                let page = self.own_page(request.text("targetId"))?;
                self.forward(None, request, &json!({ "targetId": page }))
            }
            "Target.createBrowserContext" => self.create_context(request),
            "Target.disposeBrowserContext" => self.dispose_context(request),
            method => Err(method_refused(method, None)),
        }
    }

    /// The parameters with the context of the session, where they name none.
    pub(super) fn with_context(&self, request: &DevToolsRequest) -> Value {
        let mut params = request.params.clone();
        if !request.has("browserContextId") {
            params.insert("browserContextId".to_owned(), self.context().as_str().into());
        }
        Value::Object(params)
    }

    /// The page that an id of a page or tab names, when it is one of the client.
    fn own_page(&self, id: Option<&str>) -> Result<String, DevToolsError> {
        let id = id.ok_or_else(no_target)?;
        let page = page_of_tab(id).unwrap_or(id);
        match self.protocol()?.has_page(page) {
            true => Ok(page.to_owned()),
            false => Err(no_target()),
        }
    }

    /// The browser as a target.
    pub(super) fn browser_info(&self) -> Value {
        json!({
            "targetId": self.browser_id(),
            "type": "browser",
            "title": "",
            "url": "",
            "attached": true,
            "canAccessOpener": false,
        })
    }

    fn attach_to_browser(&self, request: &DevToolsRequest, at: BrowserSession) -> Served {
        let id =
            random::<16>().map_err(|error| DevToolsError::new(SERVER_ERROR, error.to_string()))?;
        let id = hex(&id).to_uppercase();
        self.state().own_sessions.insert(id.clone(), OwnSession::Browser);
        let attached = json!({
            "sessionId": id,
            "targetInfo": self.browser_info(),
            "waitingForDebugger": false,
        });
        self.send(message::event(at.as_deref(), "Target.attachedToTarget", &attached));
        self.send(ReplyAddress::of(request).result(&json!({ "sessionId": id })));
        Ok(())
    }

    fn attach_to_target(&self, request: &DevToolsRequest, at: BrowserSession) -> Served {
        if !request.flag("flatten") {
            return Err(refused(&request.method, "sessions are flattened: set `flatten`"));
        }
        let id = request.text("targetId").ok_or_else(no_target)?.to_owned();
        if id == self.browser_id() {
            return self.attach_to_browser(request, at);
        }
        if let Some(page) = page_of_tab(&id) {
            let page = TargetId::from(self.own_page(Some(page))?);
            let session = self.attach_tab(&page, at);
            let attached = json!({ "sessionId": session });
            self.reply_after_round_trip(ReplyAddress::of(request), attached);
            return Ok(());
        }
        let (client, reply, method) =
            (self.myself(), ReplyAddress::of(request), request.method.clone());
        let target = TargetId::from(id.as_str());
        self.with_own_target(&id, move |answer| {
            let Some(client) = client.upgrade() else { return };
            let Ok(protocol) = client.protocol() else { return };
            if answer.is_none() {
                return client.refuse_reply(&reply, &method, &no_target());
            }
            let tag = client.state().tag(at);
            let then = {
                let client = client.myself();
                move |answer: ClientAnswer| {
                    if let Some(client) = client.upgrade() {
                        client.send(reply.answer(&answer));
                    }
                }
            };
            protocol.attach(&target, tag, false, Box::new(then));
        })
    }

    /// Calls a function with the info of a target, when it is one of the client.
    pub(super) fn with_own_target(
        &self,
        id: &str,
        then: impl FnOnce(Option<Value>) + Send + 'static,
    ) -> Served {
        let (client, params) = (self.myself(), json!({ "targetId": id }));
        let answered = move |answer: ClientAnswer| {
            let Some(client) = client.upgrade() else { return };
            let info = answer.value().map(|mut value| value["targetInfo"].take());
            then(info.filter(|info| client.has_target(info)));
        };
        self.protocol()?.call(None, "Target.getTargetInfo", &params, Box::new(answered));
        Ok(())
    }

    /// Whether a target with this info is one of the client.
    pub(super) fn has_target(&self, info: &Value) -> bool {
        let Ok(protocol) = self.protocol() else { return false };
        let (id, context) = (info["targetId"].as_str(), info["browserContextId"].as_str());
        match (info["type"].as_str(), id, context) {
            (Some("page"), Some(id), _) => protocol.has_page(id),
            (Some("browser" | "tab") | None, ..) => false,
            (Some(_), _, Some(context)) => protocol.has_context(context),
            _ => false,
        }
    }

    pub(super) fn get_target_info(&self, request: &DevToolsRequest, own: Option<&str>) -> Served {
        let reply = ReplyAddress::of(request);
        let asked = request.text("targetId").or(own);
        let Some(id) = asked.filter(|id| *id != self.browser_id()) else {
            self.send(reply.result(&json!({ "targetInfo": self.browser_info() })));
            return Ok(());
        };
        let (client, method, id) = (self.myself(), request.method.clone(), id.to_owned());
        let page = page_of_tab(&id).map(str::to_owned);
        let wanted = page.clone().unwrap_or(id);
        self.with_own_target(&wanted, move |info| {
            let Some(client) = client.upgrade() else { return };
            match info {
                Some(info) => {
                    let info = if page.is_some() { tab_info(&info) } else { info };
                    client.send(reply.result(&json!({ "targetInfo": info })));
                }
                None => client.refuse_reply(&reply, &method, &no_target()),
            }
        })
    }

    pub(super) fn detach_from_target(&self, request: &DevToolsRequest) -> Served {
        let id = request.text("sessionId").or(request.session.as_deref());
        let id = id.ok_or_else(super::refusals::no_session)?.to_owned();
        let reply = ReplyAddress::of(request);
        if self.state().own_sessions.contains_key(&id) {
            self.end_own_session(&id);
            self.send(reply.result(&json!({})));
            return Ok(());
        }
        let protocol = self.protocol()?;
        if protocol.session_target(&id).is_none() {
            if self.state().has_ended(&id) {
                self.send(reply.refusal(&super::refusals::no_session()));
                return Ok(());
            }
            return Err(super::refusals::no_session());
        }
        let session = browse_chromium::SessionId::from(id);
        let is_own = self.state().parents.contains_key(&session);
        match (is_own, &request.session) {
            (false, Some(parent)) if protocol.session_target(parent).is_some() => {
                let parent = browse_chromium::SessionId::from(parent.as_str());
                self.forward(Some(&parent), request, &json!({ "sessionId": session }))
            }
            _ => self.forward(None, request, &json!({ "sessionId": session })),
        }
    }

    fn create_target(&self, request: &DevToolsRequest) -> Served {
        let url = request.text("url").unwrap_or_default();
        let url = self.check_address(&request.method, url)?;
        let params = self.with_context(request);
        let context = params["browserContextId"].as_str().unwrap_or_default();
        let context = browse_chromium::BrowserContextId::from(context);
        let mut kept = json!({ "url": url });
        for name in NEW_TAB_PARAMS {
            if let Some(value) = params.get(name).filter(|value| !value.is_null()) {
                kept[*name] = value.clone();
            }
        }
        let (client, reply, wants_tab) =
            (self.myself(), ReplyAddress::of(request), request.flag("forTab"));
        let then = move |answer: ClientAnswer| {
            let Some(client) = client.upgrade() else { return };
            let page =
                answer.value().and_then(|value| Some(value["targetId"].as_str()?.to_owned()));
            client.send(match page.filter(|_| wants_tab) {
                Some(page) => reply.result(&json!({ "targetId": tab_id(&page) })),
                None => reply.answer(&answer),
            });
        };
        self.protocol()?.create_target(&context, &kept, Box::new(then));
        Ok(())
    }

    /// A window for each tab, as large as its page: the tabs of the session are in none.
    pub(super) fn get_window(&self, request: &DevToolsRequest, own: Option<&TargetId>) -> Served {
        let page = match (request.text("targetId"), own) {
            (None, Some(own)) => own.as_str().to_owned(),
            (id, _) => self.own_page(id)?,
        };
        let page = TargetId::from(page);
        let mut state = self.state();
        let at = state.windows.iter().position(|known| *known == page).unwrap_or_else(|| {
            state.windows.push(page);
            state.windows.len() - 1
        });
        drop(state);
        let window = json!({ "windowId": at + 1, "bounds": window_bounds() });
        self.send(ReplyAddress::of(request).result(&window));
        Ok(())
    }

    pub(super) fn window_bounds(&self, request: &DevToolsRequest) -> Served {
        let id = request.params.get("windowId").and_then(Value::as_u64).unwrap_or_default();
        if id == 0 || id > self.state().windows.len() as u64 {
            return Err(DevToolsError::new(SERVER_ERROR, "Browser window not found"));
        }
        let result = match request.method.as_str() {
            "Browser.getWindowBounds" => json!({ "bounds": window_bounds() }),
            _ => json!({}),
        };
        self.send(ReplyAddress::of(request).result(&result));
        Ok(())
    }
}

/// The bounds of every window.
fn window_bounds() -> Value {
    json!({ "left": 0, "top": 0, "width": 1280, "height": 720, "windowState": "normal" })
}

/// The info of the tab of a page.
pub(super) fn tab_info(page: &Value) -> Value {
    let mut info = page.clone();
    info["targetId"] = tab_id(page["targetId"].as_str().unwrap_or_default()).into();
    info["type"] = "tab".into();
    info
}
