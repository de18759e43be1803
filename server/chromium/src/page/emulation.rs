//! Changing what a context pretends to be.

use serde::de::IgnoredAny;
use serde_json::json;

use super::emulations::send;
use super::page::Page;
use crate::connection::call::CdpCall;
use crate::emulation::messages::{EmulatedTarget, diff};
use crate::emulation::state::Emulation;
use crate::emulation::viewport::Viewport;
use crate::error::{Error, Result};

impl Page {
    /// What is emulated in the context of this tab.
    pub fn emulation(&self) -> Emulation {
        self.shared.emulations.get(self.context_id())
    }

    /// The size of the page area while none is emulated.
    pub fn default_viewport(&self) -> Viewport {
        self.shared.emulations.defaults().viewport
    }

    /// The user agent while none is emulated.
    pub fn default_user_agent(&self) -> String {
        self.shared.emulations.defaults().own_user_agent().to_owned()
    }

    /// Changes what is emulated in the context of this tab, which is asked
    /// first: what it refuses is not kept. Tabs to come begin with it.
    ///
    /// # Errors
    /// Chromium does not know a value; the tab does not answer.
    pub async fn emulate(&self, change: impl FnOnce(&mut Emulation)) -> Result<Emulation> {
        self.ensure_answering()?;
        let emulations = &self.shared.emulations;
        let _turn = emulations.change_lock.lock().await;
        let (old, own) = (self.emulation(), emulations.defaults());
        let mut new = old.clone();
        change(&mut new);
        for call in send(self.session(), diff(&old, &new, EmulatedTarget::Tab, &own)) {
            if let Err(error) = call.await
                && !is_already_in_effect(&error)
            {
                let back = send(self.session(), diff(&new, &old, EmulatedTarget::Tab, &own));
                back.into_iter().for_each(CdpCall::ignore);
                return Err(error);
            }
        }
        if old.geolocation.is_some() != new.geolocation.is_some() {
            self.set_geolocation_permission(new.geolocation.is_some()).await?;
        }
        let viewport = new.screen.map_or(own.viewport, |screen| screen.viewport);
        for member in emulations.replace(self.context_id(), new.clone()) {
            if member.session != *self.session() {
                let messages = diff(&old, &new, member.target, &own);
                send(&member.session, messages).into_iter().for_each(CdpCall::ignore);
            }
            if let Some(page) =
                member.page.upgrade().filter(|_| member.target == EmulatedTarget::Tab)
            {
                page.state.lock().viewport = viewport;
            }
        }
        Ok(new)
    }

    /// The position is made up, so every page of the context may know it.
    async fn set_geolocation_permission(&self, granted: bool) -> Result<()> {
        let params = json!({
            "permission": { "name": "geolocation" },
            "setting": if granted { "granted" } else { "prompt" },
            "browserContextId": self.context_id(),
        });
        let method = "Browser.setPermission";
        let call: CdpCall<IgnoredAny> = self.shared.connection.call_method(None, method, &params);
        call.await.map(drop)
    }
}

/// Time zone and language belong to a process; another tab of the context that
/// lives in it gets the same.
fn is_already_in_effect(error: &Error) -> bool {
    matches!(error, Error::Protocol { message, .. } if message.contains("already in effect"))
}
