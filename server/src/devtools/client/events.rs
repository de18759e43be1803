//! What the client hears of Chromium, on the task that reads the pipe.

use std::path::Path;

use browse_chromium::{BrowserContextId, ClientAnswer, ClientEvents, SessionId, TargetId};
use bytes::Bytes;
use serde_json::{Value, json};

use super::{
    devtools_client::DevToolsClient,
    state::{ParentSession, tab_id},
};
use crate::devtools::message;

impl ClientEvents for DevToolsClient {
    fn session_event(&self, _session: &str, method: &str, message: &Bytes) {
        if method == "Target.detachedFromTarget"
            && let Ok(value) = serde_json::from_slice::<Value>(message)
            && let Some(ended) = value["params"]["sessionId"].as_str()
        {
            self.state().note_ended(ended);
        }
        match std::str::from_utf8(message) {
            Ok(text) => self.send(text.to_owned()),
            Err(error) => tracing::debug!(%error, method, "an event is not text"),
        }
    }

    fn attached(&self, tag: u64, session: &SessionId, target_info: &Value, waits: bool) {
        let target = TargetId::from(target_info["targetId"].as_str().unwrap_or_default());
        let at = {
            let mut state = self.state();
            let at = state.attaches.remove(&tag).flatten();
            let parent = ParentSession { session: at.clone(), target };
            state.parents.insert(session.clone(), parent);
            at
        };
        let attached = json!({
            "sessionId": session,
            "targetInfo": target_info,
            "waitingForDebugger": waits,
        });
        self.send(message::event(at.as_deref(), "Target.attachedToTarget", &attached));
    }

    fn detached(&self, session: &SessionId) {
        let parent = {
            let mut state = self.state();
            state.note_ended(session.as_str());
            state.parents.remove(session)
        };
        let Some(ParentSession { session: at, target }) = parent else { return };
        let params = json!({ "sessionId": session, "targetId": target });
        self.send(message::event(at.as_deref(), "Target.detachedFromTarget", &params));
    }

    fn target_info(&self, method: &str, target_info: &Value) {
        // A page is reported when it is known not to work for a handler.
        let is_page = target_info["type"] == "page";
        if is_page && method == "Target.targetCreated" {
            return;
        }
        for at in self.watching() {
            self.announce_target(&at, method, target_info);
        }
    }

    fn target_ended(&self, method: &str, target: &TargetId, params: &Value) {
        let is_gone = method == "Target.targetDestroyed";
        if is_gone {
            self.end_tab(target.as_str());
        }
        self.announce_end(method, target.as_str(), params);
        if is_gone {
            self.announce_end(method, &tab_id(target.as_str()), params);
        }
    }

    fn page_opened(&self, target: &TargetId) {
        if self.stops_new_tabs()
            && let Ok(protocol) = self.protocol()
        {
            protocol.stop(target);
        }
        self.meet(target);
    }

    fn worker_opened(&self, target: &TargetId) {
        self.meet(target);
    }

    fn download(&self, context: &BrowserContextId, method: &str, params: &Value, file: &Path) {
        self.on_download(context.as_str(), method, params, file);
    }

    fn ended(&self, reason: &str) {
        self.hang_up(reason);
    }
}

impl DevToolsClient {
    /// Reports a new target, and attaches to it where that was asked for.
    fn meet(&self, target: &TargetId) {
        let watching = self.watching();
        if watching.is_empty() {
            return;
        }
        let Ok(protocol) = self.protocol() else { return };
        let (client, params) = (self.myself(), json!({ "targetId": target }));
        let answered = move |answer: ClientAnswer| {
            let Some(client) = client.upgrade() else { return };
            let Some(mut value) = answer.value() else { return };
            let info = value["targetInfo"].take();
            if !client.has_target(&info) {
                return;
            }
            for at in watching {
                client.announce_target(&at, "Target.targetCreated", &info);
                client.attach_by_itself(&at, &info);
            }
        };
        protocol.call(None, "Target.getTargetInfo", &params, Box::new(answered));
    }
}
