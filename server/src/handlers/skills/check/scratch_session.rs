//! A session that is made for looking at a page, and closed with it.

use std::sync::Arc;
use std::time::Duration;

use browse_proto::v1::WaitUntil;
use tokio::time::timeout;
use url::Url;

use super::OFFLINE_PREFIX;
use crate::{dispatch::CallContext, handlers::browser::navigation};
use browse_base::Result;
use browse_chromium::{Route, RouteAction};
use browse_net::HostPolicy;
use browse_policy::ClientId;
use browse_sessions::{Session, SessionName, SessionRules, Sessions, Tab};

/// Time that a page gets to load.
const PAGE_LOAD_TIMEOUT: Duration = Duration::from_secs(20);

/// Errors of Chromium that say nothing of the page: there is no network, or none
/// that leads to the host.
const UNREACHABLE_ERRORS: &[&str] = &[
    "ERR_INTERNET_DISCONNECTED",
    "ERR_NAME_NOT_RESOLVED",
    "ERR_NAME_RESOLUTION_FAILED",
    "ERR_NETWORK_CHANGED",
    "ERR_NETWORK_ACCESS_DENIED",
    "ERR_NETWORK_IO_SUSPENDED",
    "ERR_ADDRESS_UNREACHABLE",
    "ERR_PROXY_CONNECTION_FAILED",
];

/// Why an address shows nothing that can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VisitFailure {
    /// The page is at fault.
    Page(String),
    /// There is no way to it.
    Unreachable(String),
    /// It asks who is there.
    SignIn,
}

/// A session of its own with one tab, held to some hosts below the page.
pub struct ScratchSession {
    sessions: Arc<Sessions>,
    session: Arc<Session>,
    tab: Arc<Tab>,
}

impl ScratchSession {
    /// Opens a session that reaches these hosts, and nothing else.
    ///
    /// # Errors
    /// The browser is not there.
    pub async fn open(cx: &CallContext, hosts: HostPolicy) -> Result<Self> {
        Self::open_for(cx, "check", cx.client(), hosts).await
    }

    /// The same for another client, under a name that says what it is for.
    ///
    /// # Errors
    /// The browser is not there.
    pub async fn open_for(
        cx: &CallContext,
        purpose: &str,
        client: &ClientId,
        hosts: HostPolicy,
    ) -> Result<Self> {
        let sessions = Arc::clone(cx.daemon().sessions());
        let name: SessionName = format!("{purpose}-{:08x}", rand::random::<u32>()).parse()?;
        let session = sessions.open(&name, client, SessionRules { hosts }).await?;
        // A caller who leaves meanwhile leaves no session behind.
        let (all, owned, owner) = (Arc::clone(&sessions), Arc::clone(&session), client.clone());
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
            browse_base::Error::new(browse_proto::Reason::Bug, error.to_string())
        };
        opening.await.map_err(bug)?
    }

    /// Its session.
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Its tab.
    pub fn tab(&self) -> &Tab {
        &self.tab
    }

    /// Holds back what its pages send by other methods than GET, HEAD and OPTIONS.
    ///
    /// # Errors
    /// The browser is not there.
    pub async fn block_unsafe_requests(&self) -> Result<()> {
        let route = Route::new("*", Duration::ZERO, RouteAction::AbortUnsafe);
        Ok(self.tab.page().add_route(route).await?)
    }

    /// Whether something was held back.
    pub fn has_blocked_requests(&self) -> bool {
        self.tab.page().routes().iter().any(|route| route.hits() > 0)
    }

    /// Opens an address, and returns what is wrong with that.
    pub async fn visit(&self, url: &Url) -> Option<VisitFailure> {
        let went = navigation::navigate(&self.tab, url.as_str(), WaitUntil::Unspecified);
        match timeout(PAGE_LOAD_TIMEOUT, went).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                let text = error.to_string();
                let host = url.host_str().unwrap_or_default();
                return Some(match UNREACHABLE_ERRORS.iter().any(|name| text.contains(name)) {
                    true => VisitFailure::Unreachable(format!("{OFFLINE_PREFIX}{host}")),
                    false => VisitFailure::Page(format!("the page does not open: {text}")),
                });
            }
            Err(_) => return Some(VisitFailure::Page("the page does not load in 20 s".to_owned())),
        }
        let status = self.tab.page().main_response().map_or(0, |response| response.status);
        match status {
            401 => Some(VisitFailure::SignIn),
            400.. => Some(VisitFailure::Page(format!("the page answers with {status}"))),
            _ => None,
        }
    }

    /// Shows a document that was kept.
    ///
    /// # Errors
    /// The browser is not there.
    pub async fn show_html(&self, html: &str) -> Result<()> {
        let page = self.tab.page();
        let loader = page.set_content(html).await?;
        page.wait_for(&loader, browse_chromium::LoadState::DomContentLoaded).await?;
        Ok(())
    }
}

impl Drop for ScratchSession {
    fn drop(&mut self) {
        let (sessions, session) = (Arc::clone(&self.sessions), Arc::clone(&self.session));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { sessions.close(session.name()).await });
        }
    }
}
