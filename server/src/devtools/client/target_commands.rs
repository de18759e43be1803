//! What the session of a tab, frame or worker does: most goes to Chromium as it is.

use browse_chromium::{SessionId, TargetId};
use serde_json::{Value, json};

use super::{
    commands::Served, devtools_client::DevToolsClient, filter::TargetFilter, refusals::refused,
};
use crate::{
    address::{self, UrlRequester},
    devtools::message::{DevToolsError, DevToolsRequest, ReplyAddress},
};

impl DevToolsClient {
    /// Runs a method that the table allows on a target.
    pub(super) async fn target_command(
        &self,
        request: &DevToolsRequest,
        session: &SessionId,
        target: &TargetId,
    ) -> Served {
        self.note_activity(request, target);
        let protocol = self.protocol()?;
        match request.method.as_str() {
            "Runtime.runIfWaitingForDebugger" => {
                protocol.resume(session);
                self.send(ReplyAddress::of(request).result(&json!({})));
                return Ok(());
            }
            "Target.setAutoAttach" => return self.set_target_auto_attach(request, session),
            "Target.detachFromTarget" => return self.detach_from_target(request),
            "Target.getTargetInfo" if request.has("targetId") => {
                return self.get_target_info(request, None);
            }
            "Target.getTargetInfo" => {}
            "Browser.getWindowForTarget" => return self.get_window(request, Some(target)),
            "Storage.getCookies" | "Storage.setCookies" | "Storage.clearCookies" => {}
            name if name.starts_with("Browser.") || name.starts_with("Security.set") => {
                return self.browser_command(request, request.session.clone()).await;
            }
            "Page.navigate" => {
                let url = request
                    .text("url")
                    .ok_or_else(|| refused(&request.method, "`url` must be a string"))?;
                let url = self.check_address(&request.method, url)?;
                let mut params = request.params.clone();
                params.insert("url".to_owned(), url.into());
                return self.forward(Some(session), request, &Value::Object(params));
            }
            "Page.enable" => protocol.set_hears_dialogs(session.as_str(), true),
            "Page.disable" => protocol.set_hears_dialogs(session.as_str(), false),
            "DOM.setFileInputFiles" => return self.set_files(request, session, target).await,
            "Input.dispatchDragEvent" => {
                let data = request.params.get("data").and_then(|data| data.get("files"));
                if data.and_then(Value::as_array).is_some_and(|files| !files.is_empty()) {
                    return Err(refused(&request.method, "files are given with `upload`"));
                }
            }
            "Fetch.continueRequest" if request.has("url") => {
                return Err(refused(&request.method, "a request keeps its address"));
            }
            _ => {}
        }
        let params = Value::Object(request.params.clone());
        self.forward(Some(session), request, &params)
    }

    fn set_target_auto_attach(&self, request: &DevToolsRequest, session: &SessionId) -> Served {
        let attaches = request.flag("autoAttach");
        if attaches && !request.flag("flatten") {
            return Err(refused(&request.method, "sessions are flattened: set `flatten`"));
        }
        TargetFilter::read(request.params.get("filter"))?;
        let waits = attaches && request.flag("waitForDebuggerOnStart");
        self.protocol()?.set_stops_children(session.as_str(), waits);
        let mut params = json!({
            "autoAttach": attaches,
            "waitForDebuggerOnStart": waits,
            "flatten": true,
        });
        if let Some(filter) = request.params.get("filter") {
            params["filter"] = filter.clone();
        }
        self.forward(Some(session), request, &params)
    }

    /// The address to open, when `goto` opens it too.
    pub(super) fn check_address(&self, method: &str, url: &str) -> Result<String, DevToolsError> {
        if url.is_empty() {
            return Ok("about:blank".to_owned());
        }
        let asker = UrlRequester { cwd: None, home: &self.parts().home };
        let parsed = address::parse(url, &asker)
            .map_err(|error| refused(method, format!("{} ({})", error, error.reason().name())))?;
        if parsed.host().is_some_and(|host| browse_net::is_metadata_host(&host)) {
            return Err(refused(method, "metadata services are never opened"));
        }
        Ok(parsed.into())
    }

    /// What the client does counts as an action in the tab: downloads and windows that
    /// follow were asked for.
    fn note_activity(&self, request: &DevToolsRequest, target: &TargetId) {
        let acts = request.method.starts_with("Input.")
            || matches!(request.method.as_str(), "Runtime.evaluate" | "Runtime.callFunctionOn")
            || request.method == "Page.navigate";
        if !acts {
            return;
        }
        let is_user = request.method.starts_with("Input.") || request.flag("userGesture");
        if let Ok(protocol) = self.protocol()
            && is_user
        {
            protocol.record_user_activation(target);
        }
        let tabs = self.session().tabs();
        let Some(tab) = tabs.iter().find(|tab| tab.page().target_id() == target) else { return };
        match request.method.as_str() {
            "Page.navigate" => tab.action_times().begin_navigation(tab.page()),
            _ => tab.action_times().begin(),
        }
    }
}
