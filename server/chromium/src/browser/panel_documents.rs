//! The documents of a side panel: what they send, and what is sent to them.
//!
//! A document sends by a function that the protocol adds to its global object, to nobody but
//! the session of its own target. Chromium attaches a panel before it has an address, so that
//! it is known by the first change of its target.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::registry::{Registry, SessionRole};
use crate::connection::envelope::RawEvent;
use crate::connection::params::NoParams;
use crate::connection::session::CdpSession;
use crate::ids::{SessionId, TargetId};

/// Name of the function by which a document sends.
const BINDING: &str = "browseSend";

/// Messages of a document that wait to be taken. One that sends more is not listened to any
/// more.
const MAX_PENDING_MESSAGES: usize = 1024;

/// A document of a side panel.
#[derive(Debug)]
pub struct PanelDocument {
    session: CdpSession,
    messages: mpsc::Receiver<String>,
}

/// Sends messages to a document of a side panel.
#[derive(Clone, Debug)]
pub struct PanelPoster(CdpSession);

/// The panel that is waited for, and its documents.
pub(crate) struct PanelWatch {
    url: String,
    opened: mpsc::UnboundedSender<PanelDocument>,
    senders: HashMap<SessionId, mpsc::Sender<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PanelTargetChange {
    target_info: PanelTargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PanelTargetInfo {
    target_id: TargetId,
    url: String,
}

/// `Runtime.bindingCalled`.
#[derive(Deserialize)]
struct BindingCall {
    name: String,
    payload: String,
}

impl PanelDocument {
    /// The next message. `None` after the end: the panel was closed, or its browser ended. A
    /// document that is loaded again goes on under the same session.
    pub async fn next_message(&mut self) -> Option<String> {
        self.messages.recv().await
    }

    /// Sends to the document.
    pub fn poster(&self) -> PanelPoster {
        PanelPoster(self.session.clone())
    }
}

impl PanelPoster {
    /// Hands a message to `browsePanel.receive` of the document. It is written at once; what a
    /// document that has gone does not get is lost.
    pub fn post(&self, message: &Value) {
        // JSON is an expression of JavaScript.
        let expression = format!("browsePanel.receive({message})");
        self.0.send("Runtime.evaluate", &json!({ "expression": expression, "silent": true }));
    }
}

impl PanelWatch {
    /// Watches for the panel at `url`; its documents are sent to `opened`.
    pub(super) fn new(url: String, opened: mpsc::UnboundedSender<PanelDocument>) -> Self {
        Self { url, opened, senders: HashMap::new() }
    }

    fn add(&mut self, session: CdpSession) {
        if self.senders.contains_key(session.id()) {
            return;
        }
        // Without the first, a document that is loaded again would not have the function.
        session.send("Runtime.enable", &NoParams);
        session.send("Runtime.addBinding", &json!({ "name": BINDING }));
        let (sender, messages) = mpsc::channel(MAX_PENDING_MESSAGES);
        self.senders.insert(session.id().clone(), sender);
        let _ = self.opened.send(PanelDocument { session, messages });
    }

    fn receive(&mut self, session: &str, payload: String) {
        let Some(sender) = self.senders.get(session) else { return };
        if sender.try_send(payload).is_err() {
            tracing::warn!("a side panel sends more than is taken, and is not listened to");
            self.senders.remove(session);
        }
    }
}

impl Registry {
    /// `Target.targetInfoChanged`: a target may have become a document of the panel.
    pub(super) fn on_panel_target_changed(&self, event: &RawEvent<'_>) -> Option<()> {
        // A browser without a panel pays nothing for it.
        self.panel.lock().as_ref()?;
        let PanelTargetInfo { target_id, url } = event.params::<PanelTargetChange>()?.target_info;
        self.note_panel_target(&target_id, &url);
        Some(())
    }

    /// Takes the target in when it is a document of the panel. What is a page of ours is not,
    /// whatever its address is.
    pub(super) fn note_panel_target(&self, target: &TargetId, url: &str) {
        if self.panel.lock().as_ref().is_none_or(|watch| watch.url != url) {
            return;
        }
        let session = {
            let maps = self.maps.lock();
            let attached = maps.sessions.values().find(|attached| {
                attached.target == *target
                    && attached.role == SessionRole::Other
                    && attached.page.is_none()
            });
            attached.map(|attached| attached.session.clone())
        };
        if let (Some(session), Some(watch)) = (session, &mut *self.panel.lock()) {
            watch.add(session);
        }
    }

    /// `Runtime.bindingCalled` on the session of a document.
    pub(super) fn on_panel_message(&self, session: &CdpSession, event: &RawEvent<'_>) {
        if self.panel.lock().is_none() {
            return;
        }
        let Some(BindingCall { name, payload }) = event.params() else { return };
        if name == BINDING
            && let Some(watch) = &mut *self.panel.lock()
        {
            watch.receive(session.id().as_str(), payload);
        }
    }

    /// A session ended, which may be that of a document.
    pub(super) fn on_panel_detached(&self, session: &SessionId) {
        if let Some(watch) = &mut *self.panel.lock() {
            watch.senders.remove(session);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_of_the_function_are_read() {
        let params = r#"{"name":"browseSend","payload":"{}","executionContextId":2}"#;
        let call: BindingCall = serde_json::from_str(params).expect("it fits");
        assert_eq!((call.name.as_str(), call.payload.as_str()), (BINDING, "{}"));
    }
}
