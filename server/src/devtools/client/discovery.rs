//! Which targets a client hears of, and to which it is attached by themselves.

use browse_base::hex;
use browse_chromium::{ClientAnswer, TargetId};
use serde_json::{Value, json};

use super::{
    browser_commands::tab_info,
    commands::Served,
    devtools_client::DevToolsClient,
    filter::TargetFilter,
    refusals::refused,
    state::{AutoAttach, BrowserSession, OwnSession, page_of_tab, tab_id},
};
use crate::devtools::message::{self, DevToolsRequest, ReplyAddress};

impl DevToolsClient {
    pub(super) fn set_discover_targets(
        &self,
        request: &DevToolsRequest,
        at: BrowserSession,
    ) -> Served {
        let reply = ReplyAddress::of(request);
        let filter = TargetFilter::read(request.params.get("filter"))?;
        if !request.flag("discover") {
            let mut state = self.state();
            let watch = state.watches.entry(at).or_default();
            watch.discovers = None;
            watch.announced.clear();
            drop(state);
            self.send(reply.result(&json!({})));
            return Ok(());
        }
        self.state().watches.entry(at.clone()).or_default().discovers = Some(filter.clone());
        if filter.allows("browser") {
            self.announce(&at, "Target.targetCreated", &self.browser_info());
        }
        let client = self.myself();
        self.with_own_targets(move |infos| {
            let Some(client) = client.upgrade() else { return };
            for info in infos {
                client.announce_target(&at, "Target.targetCreated", &info);
            }
            client.send(reply.result(&json!({})));
        })
    }

    pub(super) fn get_targets(&self, request: &DevToolsRequest) -> Served {
        let reply = ReplyAddress::of(request);
        let filter = TargetFilter::read(request.params.get("filter"))?;
        let client = self.myself();
        self.with_own_targets(move |infos| {
            let Some(client) = client.upgrade() else { return };
            let mut shown = Vec::new();
            for info in infos {
                let kind = info["type"].as_str().unwrap_or_default();
                if kind == "page" && filter.allows("tab") {
                    shown.push(tab_info(&info));
                }
                if filter.allows(kind) {
                    shown.push(info);
                }
            }
            client.send(reply.result(&json!({ "targetInfos": shown })));
        })
    }

    /// Calls a function with the infos of all targets of the client.
    fn with_own_targets(&self, then: impl FnOnce(Vec<Value>) + Send + 'static) -> Served {
        let client = self.myself();
        let answered = move |answer: ClientAnswer| {
            let Some(client) = client.upgrade() else { return };
            let infos = answer.value().and_then(|mut value| match value["targetInfos"].take() {
                Value::Array(infos) => Some(infos),
                _ => None,
            });
            let infos = infos.unwrap_or_default().into_iter();
            then(infos.filter(|info| client.has_target(info)).collect());
        };
        self.protocol()?.call(None, "Target.getTargets", &json!({}), Box::new(answered));
        Ok(())
    }

    pub(super) fn set_auto_attach(&self, request: &DevToolsRequest, at: BrowserSession) -> Served {
        let reply = ReplyAddress::of(request);
        let filter = TargetFilter::read(request.params.get("filter"))?;
        let attaches = request.flag("autoAttach");
        if attaches && !request.flag("flatten") {
            return Err(refused(&request.method, "sessions are flattened: set `flatten`"));
        }
        let waits = {
            let mut state = self.state();
            let watch = state.watches.entry(at.clone()).or_default();
            let waits = request.flag("waitForDebuggerOnStart");
            watch.attaches = attaches.then(|| AutoAttach { filter: filter.clone(), waits });
            if !attaches {
                watch.attached.clear();
            }
            state.waits()
        };
        self.protocol()?.set_waits(waits);
        if !attaches {
            self.send(reply.result(&json!({})));
            return Ok(());
        }
        let client = self.myself();
        self.with_own_targets(move |infos| {
            let Some(client) = client.upgrade() else { return };
            infos.iter().for_each(|info| client.attach_by_itself(&at, info));
            client.reply_after_round_trip(reply, json!({}));
        })
    }

    /// Attaches a session of the browser to a target, when it asked for that.
    pub(super) fn attach_by_itself(&self, at: &BrowserSession, info: &Value) {
        let (kind, id) = (info["type"].as_str(), info["targetId"].as_str());
        let (Some(kind), Some(id)) = (kind, id) else { return };
        // Frames and their workers are below a tab.
        if !matches!(kind, "page" | "service_worker" | "shared_worker") {
            return;
        }
        let (wants, wants_tab, waits) = {
            let mut state = self.state();
            let Some(watch) = state.watches.get_mut(at) else { return };
            let Some(auto) = watch.attaches.clone() else { return };
            let wants = auto.filter.allows(kind) && watch.attached.insert(id.to_owned());
            let wants_tab =
                kind == "page" && auto.filter.allows("tab") && watch.attached.insert(tab_id(id));
            (wants, wants_tab, auto.waits)
        };
        if wants_tab {
            self.report_tab(at, info, waits);
        }
        if wants {
            self.attach(&TargetId::from(id), at.clone(), waits);
        }
    }

    fn attach(&self, target: &TargetId, parent: BrowserSession, stops: bool) {
        let Ok(protocol) = self.protocol() else { return };
        let tag = self.state().tag(parent);
        // A target may go at any time.
        protocol.attach(target, tag, stops, Box::new(|_| {}));
    }

    /// Attaches to the tab of a page; answers the session.
    pub(super) fn attach_tab(&self, page: &TargetId, parent: BrowserSession) -> String {
        let id = hex(&rand::random::<[u8; 16]>()).to_uppercase();
        let tab = OwnSession::Tab { page: page.clone(), parent: parent.clone() };
        self.state().own_sessions.insert(id.clone(), tab);
        let (client, session) = (self.myself(), id.clone());
        let asked = self.with_own_target(page.as_str(), move |info| {
            let Some(client) = client.upgrade() else { return };
            let attached = json!({
                "sessionId": session,
                "targetInfo": tab_info(&info.unwrap_or_default()),
                "waitingForDebugger": false,
            });
            client.send(message::event(parent.as_deref(), "Target.attachedToTarget", &attached));
        });
        drop(asked);
        id
    }

    /// Reports that a session of the browser was attached to the tab of a page.
    fn report_tab(&self, parent: &BrowserSession, page: &Value, waits: bool) {
        let id = hex(&rand::random::<[u8; 16]>()).to_uppercase();
        let target = TargetId::from(page["targetId"].as_str().unwrap_or_default());
        let tab = OwnSession::Tab { page: target, parent: parent.clone() };
        self.state().own_sessions.insert(id.clone(), tab);
        let attached = json!({
            "sessionId": id,
            "targetInfo": tab_info(page),
            "waitingForDebugger": waits,
        });
        self.send(message::event(parent.as_deref(), "Target.attachedToTarget", &attached));
    }

    /// `Target.setAutoAttach` on the session of a tab: its page is below it.
    pub(super) fn set_tab_auto_attach(&self, request: &DevToolsRequest, page: &TargetId) -> Served {
        let filter = TargetFilter::read(request.params.get("filter"))?;
        if request.flag("autoAttach") && filter.allows("page") {
            let known = {
                let mut state = self.state();
                let watch = state.watches.entry(request.session.clone()).or_default();
                !watch.attached.insert(page.as_str().to_owned())
            };
            if !known {
                self.attach(page, request.session.clone(), request.flag("waitForDebuggerOnStart"));
            }
        }
        self.reply_after_round_trip(ReplyAddress::of(request), json!({}));
        Ok(())
    }

    /// Ends a session of ours, with what is below it.
    pub(super) fn end_own_session(&self, id: &str) {
        let mut below = Vec::new();
        let ended = {
            let mut state = self.state();
            state.watches.remove(&Some(id.to_owned()));
            for (session, parent) in &state.parents {
                if parent.session.as_deref() == Some(id) {
                    below.push(session.clone());
                }
            }
            state.note_ended(id);
            state.own_sessions.remove(id)
        };
        if let Ok(protocol) = self.protocol() {
            below.iter().for_each(|session| protocol.detach(session, Box::new(|_| {})));
            if let Some(OwnSession::Tab { page, .. }) = &ended {
                protocol.end_stop(page);
            }
        }
        if let Some(OwnSession::Tab { page, parent }) = ended {
            let params = json!({ "sessionId": id, "targetId": tab_id(page.as_str()) });
            self.send(message::event(parent.as_deref(), "Target.detachedFromTarget", &params));
        }
    }

    /// Reports a target, and the tab of a page, to a session of the browser that
    /// discovers them.
    pub(super) fn announce_target(&self, at: &BrowserSession, method: &str, info: &Value) {
        let kind = info["type"].as_str().unwrap_or_default();
        let (wants, wants_tab) = {
            let state = self.state();
            let watch = state.watches.get(at).and_then(|watch| watch.discovers.as_ref());
            let allows = |kind: &str| watch.is_some_and(|filter| filter.allows(kind));
            (allows(kind), kind == "page" && allows("tab"))
        };
        if wants_tab {
            self.announce(at, method, &tab_info(info));
        }
        if wants {
            self.announce(at, method, info);
        }
    }

    /// Reports a target once as created, and later as changed.
    fn announce(&self, at: &BrowserSession, method: &str, info: &Value) {
        let id = info["targetId"].as_str().unwrap_or_default();
        let fits = {
            let mut state = self.state();
            let watch = state.watches.entry(at.clone()).or_default();
            match method {
                "Target.targetCreated" => watch.announced.insert(id.to_owned()),
                _ => watch.announced.contains(id),
            }
        };
        if fits {
            self.send(message::event(at.as_deref(), method, &json!({ "targetInfo": info })));
        }
    }

    /// Reports that a target is gone, to those who were notified that it is there.
    pub(super) fn announce_end(&self, method: &str, id: &str, params: &Value) {
        let watches: Vec<_> = {
            let mut state = self.state();
            let is_gone = method == "Target.targetDestroyed";
            let mut heard = Vec::new();
            for (at, watch) in &mut state.watches {
                let knew = match is_gone {
                    true => watch.announced.remove(id),
                    false => watch.announced.contains(id),
                };
                if is_gone {
                    watch.attached.remove(id);
                }
                if knew {
                    heard.push(at.clone());
                }
            }
            heard
        };
        for at in watches {
            let mut params = params.clone();
            params["targetId"] = id.into();
            self.send(message::event(at.as_deref(), method, &params));
        }
    }

    /// The sessions of the browser that watch targets.
    pub(super) fn watching(&self) -> Vec<BrowserSession> {
        let state = self.state();
        let own = |at: &&BrowserSession| match at {
            None => true,
            Some(id) => matches!(state.own_sessions.get(id), Some(OwnSession::Browser)),
        };
        state.watches.keys().filter(own).cloned().collect()
    }

    /// Whether a session of the browser has the tabs of new pages wait.
    pub(super) fn stops_new_tabs(&self) -> bool {
        let state = self.state();
        let autos = state.watches.values().filter_map(|watch| watch.attaches.as_ref());
        autos.into_iter().any(|auto| auto.waits && auto.filter.allows("tab"))
    }

    /// Ends the sessions of the tab of a page that is gone.
    pub(super) fn end_tab(&self, page: &str) {
        let ended: Vec<String> = {
            let state = self.state();
            let of = |(id, own): (&String, &OwnSession)| match own {
                OwnSession::Tab { page: own, .. } if own.as_str() == page => Some(id.clone()),
                _ => None,
            };
            state.own_sessions.iter().filter_map(of).collect()
        };
        ended.iter().for_each(|id| self.end_own_session(id));
        debug_assert!(page_of_tab(page).is_none(), "the id is that of a page");
    }
}
