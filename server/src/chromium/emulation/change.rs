//! Changing what a context pretends to be.

use serde::de::IgnoredAny;
use serde_json::json;

use super::messages::{Served, between};
use super::registry::send;
use super::state::Emulation;
use crate::chromium::browser::options::Viewport;
use crate::chromium::connection::call::Call;
use crate::chromium::error::{Error, Result};
use crate::chromium::page::page::Page;

impl Page {
    /// What is emulated in the context of this tab.
    pub fn emulation(&self) -> Emulation {
        self.shared.emulations.of(self.context_id())
    }

    /// The size of the page area while none is emulated.
    pub fn own_viewport(&self) -> Viewport {
        self.shared.emulations.own().viewport
    }

    /// The user agent while none is emulated.
    pub fn own_agent(&self) -> String {
        self.shared.emulations.own().agent
    }

    /// Changes what is emulated in the context of this tab, which is asked
    /// first: what it refuses is not kept. Tabs to come begin with it.
    ///
    /// # Errors
    /// Chromium does not know a value; the tab does not answer.
    pub async fn emulate(&self, change: impl FnOnce(&mut Emulation)) -> Result<Emulation> {
        self.ensure_answering()?;
        let emulations = &self.shared.emulations;
        let _turn = emulations.changing.lock().await;
        let (old, own) = (self.emulation(), emulations.own());
        let mut new = old.clone();
        change(&mut new);
        for call in send(self.session(), between(&old, &new, Served::Tab, &own)) {
            if let Err(error) = call.await
                && !is_set_by_neighbour(&error)
            {
                let back = send(self.session(), between(&new, &old, Served::Tab, &own));
                back.into_iter().for_each(Call::ignore);
                return Err(error);
            }
        }
        if old.position.is_some() != new.position.is_some() {
            self.let_pages_ask_where(new.position.is_some()).await?;
        }
        let viewport = new.screen.map_or(own.viewport, |screen| screen.viewport);
        for member in emulations.replace(self.context_id(), new.clone()) {
            if member.session != *self.session() {
                let messages = between(&old, &new, member.served, &own);
                send(&member.session, messages).into_iter().for_each(Call::ignore);
            }
            if let Some(page) = member.page.upgrade().filter(|_| member.served == Served::Tab) {
                page.state.lock().viewport = viewport;
            }
        }
        Ok(new)
    }

    /// The position is made up, so every page of the context may know it.
    async fn let_pages_ask_where(&self, granted: bool) -> Result<()> {
        let params = json!({
            "permission": { "name": "geolocation" },
            "setting": if granted { "granted" } else { "prompt" },
            "browserContextId": self.context_id(),
        });
        let method = "Browser.setPermission";
        let call: Call<IgnoredAny> = self.shared.connection.call_method(None, method, &params);
        call.await.map(drop)
    }
}

/// Time zone and language belong to a process; another tab of the context that
/// lives in it is told the same.
fn is_set_by_neighbour(error: &Error) -> bool {
    matches!(error, Error::Protocol { message, .. } if message.contains("already in effect"))
}
