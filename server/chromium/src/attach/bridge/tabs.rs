//! The tabs that the daemon has in a browser that is not its own.

use std::rc::Rc;
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};

use super::link::{Link, SessionUse, TabOrigin, no_such_target};
use super::rules;
use crate::connection::pipe::TAB_COUNT_CODE;

/// When a window that a page asked for is looked for. The browser tells of new windows only
/// those who hear of all of them.
const WINDOW_SEARCH_DELAYS: [u64; 7] = [0, 20, 50, 100, 200, 400, 800];

impl Link {
    /// Opens a tab, and answers when the daemon has it.
    pub(super) async fn create_tab(&self, mut params: Value) -> Result<Value, Value> {
        if let Some(fields) = params.as_object_mut() {
            // The daemon names the context that the browser has from its start.
            fields.remove("browserContextId");
        }
        let created = self.call(None, "Target.createTarget", params).await?;
        let target = created["targetId"].as_str().unwrap_or_default().to_owned();
        self.take(&target, TabOrigin::Opened).await?;
        Ok(created)
    }

    /// Makes a tab the daemon's: its documents are stopped first, so that none is missed.
    async fn take(&self, target: &str, origin: TabOrigin) -> Result<(), Value> {
        self.state.borrow_mut().tabs.insert(target.to_owned(), origin);
        self.watch_documents(target).await;
        let params = json!({ "targetId": target, "flatten": true });
        let attached = self.call(None, "Target.attachToTarget", params).await;
        if attached.is_err() {
            self.state.borrow_mut().tabs.remove(target);
        }
        attached.map(drop)
    }

    /// Has the documents of a tab or frame stopped, on a session of our own.
    pub(super) async fn watch_documents(&self, target: &str) {
        self.state.borrow_mut().watching.insert(target.to_owned());
        let params = json!({ "targetId": target, "flatten": true });
        let attached = self.call(None, "Target.attachToTarget", params).await;
        self.state.borrow_mut().watching.remove(target);
        if let Ok(Some(session)) = attached.as_ref().map(|answer| answer["sessionId"].as_str()) {
            let patterns = json!({ "patterns": [{ "resourceType": "Document" }] });
            let _ = self.call(Some(session), "Fetch.enable", patterns).await;
        }
    }

    /// Closes a tab that was opened; one that was given goes back.
    pub(super) async fn close_tab(&self, params: &Value) -> Result<Value, Value> {
        let target = params["targetId"].as_str().unwrap_or_default().to_owned();
        let origin = self.state.borrow().tabs.get(&target).copied();
        match origin {
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
            let of = |used: &SessionUse| *used == SessionUse::Tab(target.to_owned());
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
            _ => return Err(super::link::server_error("No session with given id")),
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
        let meant: Vec<&str> = {
            let state = self.state.borrow();
            let is_meant = |info: &&Value| {
                info["type"] == "page"
                    && rules::is_meant(info["url"].as_str().unwrap_or_default(), given)
                    && !state.tabs.contains_key(info["targetId"].as_str().unwrap_or_default())
            };
            infos.iter().filter(is_meant).filter_map(|info| info["targetId"].as_str()).collect()
        };
        let [target] = meant.as_slice() else {
            let message = format!("{} tabs have this address", meant.len());
            let data = meant.len().to_string();
            return Err(json!({ "code": TAB_COUNT_CODE, "message": message, "data": data }));
        };
        self.take(target, TabOrigin::Given).await?;
        Ok(json!({ "targetId": target }))
    }

    /// Looks for windows that our pages have just opened.
    pub(super) async fn find_opened_windows(self: Rc<Self>) {
        for delay in WINDOW_SEARCH_DELAYS {
            tokio::time::sleep(Duration::from_millis(delay)).await;
            let Ok(infos) = self.all_targets().await else { return };
            let opened: Vec<String> = {
                let state = self.state.borrow();
                let is_ours = |info: &&Value| {
                    let target = info["targetId"].as_str().unwrap_or_default();
                    let opener = info["openerId"].as_str().unwrap_or_default();
                    info["type"] == "page"
                        && state.tabs.contains_key(opener)
                        && !state.tabs.contains_key(target)
                };
                let found = infos.iter().filter(is_ours);
                found.filter_map(|info| info["targetId"].as_str().map(str::to_owned)).collect()
            };
            if opened.is_empty() {
                continue;
            }
            join_all(opened.iter().map(|target| self.take(target, TabOrigin::Opened))).await;
            return;
        }
    }

    /// Closes the tabs that were opened. Those that were given lose their sessions with the
    /// connection.
    pub(super) async fn close_tabs(&self) {
        let opened: Vec<String> = {
            let state = self.state.borrow();
            let own = state.tabs.iter().filter(|(_, origin)| **origin == TabOrigin::Opened);
            own.map(|(target, _)| target.clone()).collect()
        };
        join_all(opened.iter().map(|target| async move {
            let _ = self.call(None, "Target.closeTarget", json!({ "targetId": target })).await;
        }))
        .await;
    }
}
