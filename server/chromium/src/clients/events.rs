//! What a client of the protocol hears of.

use std::path::Path;

use bytes::Bytes;
use serde_json::Value;

use crate::ids::{BrowserContextId, SessionId, TargetId};

/// Hears of everything that concerns one client. All of it is called on the task that
/// reads the pipe, in the order of Chromium: it must return at once.
pub trait ClientEvents: Send + Sync + 'static {
    /// An event on one of its sessions: the whole message as it came.
    fn session_event(&self, session: &str, method: &str, message: &Bytes);
    /// It was attached to a target as it had asked with `tag`; `waits` says whether the
    /// target does not run before [`resume`](crate::ProtocolClient::resume).
    fn attached(&self, tag: u64, session: &SessionId, target_info: &Value, waits: bool);
    /// One of the sessions that it had asked for ended.
    fn detached(&self, session: &SessionId);
    /// A target of its contexts was created or changed, by the method.
    fn target_info(&self, method: &str, target_info: &Value);
    /// A target of any context is gone or crashed, by the method.
    fn target_ended(&self, method: &str, target: &TargetId, params: &Value);
    /// A tab of its contexts is there.
    fn page_opened(&self, target: &TargetId);
    /// A worker of its contexts that belongs to no tab is there.
    fn worker_opened(&self, target: &TargetId);
    /// A download in its contexts began or went on, by the method; where its file is.
    fn download(&self, context: &BrowserContextId, method: &str, params: &Value, file: &Path);
    /// Its context or the browser ended. Nothing follows.
    fn ended(&self, reason: &str);
}
