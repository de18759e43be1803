//! The session of a tab for raw protocol calls: one of its own, so that a
//! domain that a caller disables is not one that the daemon listens to.

use serde::Deserialize;
use serde_json::{Value, json};

use super::page::Page;
use crate::connection::call::CdpCall;
use crate::connection::session::CdpSession;
use crate::error::Result;
use crate::ids::SessionId;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawSessionResult {
    session_id: SessionId,
}

impl Page {
    /// Calls any method of the protocol on the tab's raw session. What it sets
    /// there, such as an emulation, holds as long as the tab.
    pub async fn call_raw(&self, method: &str, params: &Value) -> Result<Value> {
        self.state.lock().ensure_alive()?;
        let session = self.raw_session.get_or_try_init(|| self.attach_raw()).await?;
        let call: CdpCall<Value> = session.call_method(method.to_owned(), params);
        call.await
    }

    /// A new session of the tab, for what must not meddle with that of the daemon.
    pub(crate) async fn attach_raw(&self) -> Result<CdpSession> {
        let params = json!({ "targetId": self.target_id(), "flatten": true });
        let connection = &self.shared.connection;
        self.shared.clients.expect_attach(None, self.target_id(), 0, false);
        let attached: CdpCall<RawSessionResult> =
            connection.call_method(None, "Target.attachToTarget", &params);
        match attached.await {
            Ok(attached) => Ok(CdpSession::new(connection.clone(), attached.session_id)),
            Err(error) => {
                self.shared.clients.forget_attach(None, self.target_id());
                Err(error)
            }
        }
    }
}
