//! A session that is made for looking at a page, and closed with it.

use std::sync::Arc;
use std::time::Duration;

use browse_proto::v1::WaitUntil;
use tokio::time::timeout;
use url::Url;

use crate::browser::navigation;
use crate::dispatch::Context;
use crate::error::Result;
use crate::policy::Hosts;
use crate::sessions::{Session, SessionName, SessionRules, Sessions, Tab};

/// Time that a page gets to load.
const LOADING: Duration = Duration::from_secs(20);

/// A session of its own with one tab, held to some hosts below the page.
pub struct Room {
    sessions: Arc<Sessions>,
    session: Arc<Session>,
    tab: Arc<Tab>,
}

impl Room {
    /// Opens a session that reaches these hosts, and nothing else.
    ///
    /// # Errors
    /// The browser is not there.
    pub async fn open(cx: &Context, hosts: Hosts) -> Result<Self> {
        let sessions = Arc::clone(cx.daemon().sessions());
        let name: SessionName = format!("check-{:08x}", rand::random::<u32>()).parse()?;
        let session = sessions.open(&name, cx.client(), SessionRules { hosts }).await?;
        // A caller who leaves meanwhile leaves no session behind.
        let (all, owned, owner) =
            (Arc::clone(&sessions), Arc::clone(&session), cx.client().clone());
        let opening = tokio::spawn(async move {
            let tab = owned.active_or_first(&owner).await;
            match tab {
                Ok(tab) => Ok(Self { sessions: all, session: owned, tab }),
                Err(error) => {
                    let _ = all.close(owned.name()).await;
                    Err(error)
                }
            }
        });
        let bug = |error: tokio::task::JoinError| {
            crate::error::Error::new(browse_proto::Reason::Bug, error.to_string())
        };
        opening.await.map_err(bug)?
    }

    /// Its tab.
    pub fn tab(&self) -> &Tab {
        &self.tab
    }

    /// Opens an address, and answers what is wrong with that.
    pub async fn visit(&self, url: &Url) -> Option<String> {
        let went = navigation::open(&self.tab, url.as_str(), WaitUntil::Unspecified);
        match timeout(LOADING, went).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return Some(format!("the page does not open: {error}")),
            Err(_) => return Some("the page does not load in 20 s".to_owned()),
        }
        let status = self.tab.page().main_response().map_or(0, |response| response.status);
        (status >= 400).then(|| format!("the page answers with {status}"))
    }

    /// Shows a document that was kept.
    ///
    /// # Errors
    /// The browser is not there.
    pub async fn show(&self, html: &str) -> Result<()> {
        let page = self.tab.page();
        let loader = page.set_content(html).await?;
        page.wait_for(&loader, crate::chromium::LoadState::DomContentLoaded).await?;
        Ok(())
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let (sessions, session) = (Arc::clone(&self.sessions), Arc::clone(&self.session));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { sessions.close(session.name()).await });
        }
    }
}
