//! The tabs that the daemon has in a browser that is not its own.

use std::rc::Rc;
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};

use super::link::BridgeConnection;
use super::refusal::{no_such_target, not_ours_because, server_error};
use super::rules;
use super::state::{OwnTab, SessionUse, TabOrigin};
use crate::connection::pipe::TAB_COUNT_CODE;

/// When a window that a page asked for is looked for. The browser tells of new windows only
/// those who hear of all of them.
const WINDOW_SEARCH_DELAYS: [u64; 7] = [0, 20, 50, 100, 200, 400, 800];

impl BridgeConnection {
    /// Opens a tab, and answers when the daemon has it.
    pub(super) async fn create_tab(&self, mut params: Value) -> Result<Value, Value> {
        if let Some(fields) = params.as_object_mut() {
            // The daemon names the context that the browser has from its start.
            fields.remove("browserContextId");
        }
        let created = self.call(None, "Target.createTarget", params).await?;
        let target = created["targetId"].as_str().unwrap_or_default().to_owned();
        let named = json!({ "targetId": target });
        let info = self.call(None, "Target.getTargetInfo", named.clone()).await?;
        if !self.join_context(&info["targetInfo"]) {
            let _ = self.call(None, "Target.closeTarget", named).await;
            return Err(not_ours_because(
                "a new tab would be in another profile than the tab that was given, or not in its \
                 private window: `browse goto` acts in the tab that was given",
            ));
        }
        self.take(&target, TabOrigin::Opened, "").await?;
        Ok(created)
    }

    /// Whether a tab is in the context of the others: cookies and logins are those of one. The first
    /// tab decides.
    fn join_context(&self, info: &Value) -> bool {
        let Some(context) = info["browserContextId"].as_str() else { return true };
        let mut state = self.state.borrow_mut();
        match &state.context {
            Some(own) if !state.tabs.is_empty() => own == context,
            _ => {
                state.context = Some(context.to_owned());
                true
            }
        }
    }

    /// Makes a tab that shows `url` the daemon's: its documents are stopped first, so that none is
    /// missed.
    async fn take(&self, target: &str, origin: TabOrigin, url: &str) -> Result<(), Value> {
        let tab = OwnTab { origin, is_browser_page: !rules::is_readable_page(url) };
        self.state.borrow_mut().tabs.insert(target.to_owned(), tab);
        self.watch_documents(target, target).await;
        let params = json!({ "targetId": target, "flatten": true });
        if self.shows_metadata(target).await && origin == TabOrigin::Opened {
            self.state.borrow_mut().tabs.remove(target);
            let _ = self.call(None, "Target.closeTarget", json!({ "targetId": target })).await;
            return Err(not_ours_because("the window shows a cloud metadata service"));
        }
        let attached = self.call(None, "Target.attachToTarget", params).await;
        if attached.is_err() {
            self.state.borrow_mut().tabs.remove(target);
        }
        attached.map(drop)
    }

    /// Whether a tab shows a metadata service: its document came before documents were stopped.
    async fn shows_metadata(&self, target: &str) -> bool {
        let params = json!({ "targetId": target });
        let Ok(found) = self.call(None, "Target.getTargetInfo", params).await else { return false };
        let url = found["targetInfo"]["url"].as_str().unwrap_or_default();
        if let Some(tab) = self.state.borrow_mut().tabs.get_mut(target) {
            tab.is_browser_page |= !rules::is_readable_page(url);
        }
        rules::is_metadata_page(url)
    }

    /// Has the documents of a tab, or of a frame of it, stopped, on a session of our own.
    pub(super) async fn watch_documents(&self, target: &str, tab: &str) {
        self.state.borrow_mut().watching.insert(target.to_owned(), tab.to_owned());
        let params = json!({ "targetId": target, "flatten": true });
        let attached = self.call(None, "Target.attachToTarget", params).await;
        self.state.borrow_mut().watching.remove(target);
        if let Ok(Some(session)) = attached.as_ref().map(|answer| answer["sessionId"].as_str()) {
            let patterns = json!({ "patterns": [{ "resourceType": "Document" }] });
            let _ = self.call(Some(session), "Fetch.enable", patterns).await;
            if target == tab {
                // It tells which document the tab shows from now on, and the tree which one it
                // shows already.
                let _ = self.call(Some(session), "Page.enable", json!({})).await;
                let tree = self.call(Some(session), "Page.getFrameTree", json!({})).await;
                if let Ok(tree) = tree
                    && let Some(tab) = self.state.borrow_mut().tabs.get_mut(tab)
                {
                    let url = tree["frameTree"]["frame"]["url"].as_str().unwrap_or_default();
                    tab.is_browser_page |= !rules::is_readable_page(url);
                }
            }
        }
    }

    /// Closes a tab that was opened; one that was given goes back.
    pub(super) async fn close_tab(&self, params: &Value) -> Result<Value, Value> {
        let target = params["targetId"].as_str().unwrap_or_default().to_owned();
        let tab = self.state.borrow().tabs.get(&target).copied();
        match tab.map(|tab| tab.origin) {
            None => Err(no_such_target()),
            Some(TabOrigin::Opened) => self.call(None, "Target.closeTarget", params.clone()).await,
            Some(TabOrigin::Given) => {
                self.give_back(&target).await;
                Ok(json!({ "success": true }))
            }
        }
    }

    /// Ends all sessions of a tab, which takes off whatever they had set.
    async fn give_back(&self, target: &str) {
        self.state.borrow_mut().leaving.insert(target.to_owned());
        let sessions: Vec<String> = {
            let state = self.state.borrow();
            // Those of frames and workers end with that of their tab; those that stop documents are
            // not below it.
            let of = |used: &SessionUse| {
                used.tab() == target && !matches!(used, SessionUse::Child { .. })
            };
            let own = state.sessions.iter().filter(|(_, used)| of(used));
            own.map(|(session, _)| session.clone()).collect()
        };
        join_all(sessions.iter().map(|session| async move {
            let params = json!({ "sessionId": session });
            let _ = self.call(None, "Target.detachFromTarget", params).await;
        }))
        .await;
        {
            let mut state = self.state.borrow_mut();
            state.leaving.remove(target);
            state.tabs.remove(target);
        }
        // It may be given again, and is a new tab to the daemon then.
        self.report("Target.targetDestroyed", json!({ "targetId": target }));
    }

    /// Ends one session that the daemon has.
    pub(super) async fn detach(&self, params: &Value) -> Result<Value, Value> {
        let session = params["sessionId"].as_str().unwrap_or_default();
        let tab = match self.state.borrow().sessions.get(session) {
            Some(SessionUse::Tab(tab)) => tab.clone(),
            _ => return Err(server_error("No session with given id")),
        };
        self.state.borrow_mut().leaving.insert(tab.clone());
        let outcome = self.call(None, "Target.detachFromTarget", params.clone()).await;
        self.state.borrow_mut().leaving.remove(&tab);
        outcome
    }

    /// The tabs of the daemon, as `Target.getTargets` describes them.
    pub(super) async fn list_tabs(&self) -> Result<Value, Value> {
        let mut infos = self.all_targets().await?;
        let state = self.state.borrow();
        infos.retain(|info| state.tabs.contains_key(info["targetId"].as_str().unwrap_or_default()));
        Ok(json!({ "targetInfos": infos }))
    }

    async fn all_targets(&self) -> Result<Vec<Value>, Value> {
        let mut answer = self.call(None, "Target.getTargets", json!({})).await?;
        match answer["targetInfos"].take() {
            Value::Array(infos) => Ok(infos),
            _ => Ok(Vec::new()),
        }
    }

    /// Makes a tab of the person the daemon's: the one with this address.
    pub(super) async fn give_tab(&self, params: &Value) -> Result<Value, Value> {
        let given = params["address"].as_str().unwrap_or_default();
        let infos = self.all_targets().await?;
        let meant: Vec<&Value> = {
            let state = self.state.borrow();
            let is_meant = |info: &&Value| {
                info["type"] == "page"
                    && rules::is_meant(info["url"].as_str().unwrap_or_default(), given)
                    && !state.tabs.contains_key(info["targetId"].as_str().unwrap_or_default())
            };
            infos.iter().filter(is_meant).collect()
        };
        let [info] = meant.as_slice() else {
            let message = format!("{} tabs have this address", meant.len());
            let data = meant.len().to_string();
            return Err(json!({ "code": TAB_COUNT_CODE, "message": message, "data": data }));
        };
        if !self.join_context(info) {
            return Err(not_ours_because(
                "the tab is in another profile or private window than the tabs of this session: \
                 take it in a session of its own",
            ));
        }
        let target = info["targetId"].as_str().unwrap_or_default();
        {
            // Windows that the page of this tab opened before are the person's.
            let mut state = self.state.borrow_mut();
            let ids = infos.iter().filter_map(|info| info["targetId"].as_str());
            state.others = ids.filter(|id| *id != target).map(str::to_owned).collect();
        }
        self.take(target, TabOrigin::Given, info["url"].as_str().unwrap_or_default()).await?;
        Ok(json!({ "targetId": target }))
    }

    /// Looks for windows that our pages have just opened.
    pub(super) async fn find_opened_windows(self: Rc<Self>) {
        for delay in WINDOW_SEARCH_DELAYS {
            tokio::time::sleep(Duration::from_millis(delay)).await;
            let Ok(infos) = self.all_targets().await else { return };
            // All delays are waited for: a window may open another one before it is ours.
            let link = &self;
            join_all(link.windows_of_ours(&infos).into_iter().map(|(window, origin)| async move {
                let target = window["targetId"].as_str().unwrap_or_default();
                let url = window["url"].as_str().unwrap_or_default();
                if !rules::is_metadata_page(url) {
                    let _ = link.take(target, origin, url).await;
                } else if origin == TabOrigin::Opened {
                    let params = json!({ "targetId": target });
                    let _ = link.call(None, "Target.closeTarget", params).await;
                }
            }))
            .await;
        }
    }

    /// The windows that our pages opened and that are not ours yet, and how each is to be treated:
    /// one of a tab that a person gave stays, since the person may have opened it there.
    fn windows_of_ours<'a>(&self, infos: &'a [Value]) -> Vec<(&'a Value, TabOrigin)> {
        let state = self.state.borrow();
        let window = |info: &'a Value| {
            let target = info["targetId"].as_str().unwrap_or_default();
            let opener = state.tabs.get(info["openerId"].as_str().unwrap_or_default())?;
            let is_new = info["type"] == "page"
                && !state.tabs.contains_key(target)
                && !state.others.contains(target);
            is_new.then_some((info, opener.origin))
        };
        infos.iter().filter_map(window).collect()
    }

    /// Closes the tabs that were opened. Those that were given lose their sessions with the
    /// connection.
    pub(super) async fn close_tabs(&self) {
        let opened: Vec<String> = {
            let state = self.state.borrow();
            let own = state.tabs.iter().filter(|(_, tab)| tab.origin == TabOrigin::Opened);
            own.map(|(target, _)| target.clone()).collect()
        };
        join_all(opened.iter().map(|target| async move {
            let _ = self.call(None, "Target.closeTarget", json!({ "targetId": target })).await;
        }))
        .await;
    }
}
