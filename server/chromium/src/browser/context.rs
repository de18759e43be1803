//! A browser context: cookies, storage and tabs apart from all others.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::browser::Browser;
use super::windows::OpeningGuard;
use crate::connection::call::CdpCall;
use crate::error::{Error, Result};
use crate::guard::connect_policy::ConnectPolicy;
use crate::guard::live_rules::LiveRules;
use crate::guard::proxy::Proxy;
use crate::guard::restrictions::Restriction;
use crate::ids::{BrowserContextId, TargetId};
use crate::launch::info::Flavour;
use crate::page::page::Page;
use browse_net::HostRules;

/// Cookies in one message: well below what the pipe bears.
const MAX_COOKIES_PER_CALL: usize = 500;

/// How long a browser may take to learn the credentials of a proxy.
const PROXY_CREDENTIALS_TIMEOUT: Duration = Duration::from_secs(5);

/// How a context is made.
#[derive(Debug, Clone, Default)]
pub struct ContextOptions {
    /// Restricts the context to these hosts: documents are checked by the
    /// guard, everything else by a proxy of its own, which replaces `proxy`.
    pub hosts: Option<HostRules>,
    /// All its traffic goes here, loopback included: `http://127.0.0.1:4000`.
    pub proxy: Option<String>,
}

/// A handle of one context. Dropping it closes nothing.
#[derive(Clone)]
pub struct BrowserContext {
    browser: Arc<Browser>,
    id: BrowserContextId,
    /// The one that a browser has from its start.
    is_default: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreateBrowserContextResult {
    browser_context_id: BrowserContextId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreateTargetResult {
    target_id: TargetId,
}

#[derive(Deserialize)]
struct GetCookiesResult {
    cookies: Vec<Value>,
}

impl Browser {
    /// Makes a new context without tabs.
    pub async fn new_context(self: &Arc<Self>, options: &ContextOptions) -> Result<BrowserContext> {
        let mut params = json!({ "disposeOnDetach": true });
        let restriction = match &options.hosts {
            Some(rules) => Some(self.make_restriction(rules.clone()).await?),
            None => None,
        };
        let own_proxy = restriction.as_ref().map(|restriction| restriction.proxy.url());
        if let Some(proxy) = own_proxy.as_ref().or(options.proxy.as_ref()) {
            params["proxyServer"] = json!(proxy);
            // Without this, loopback would go around the proxy.
            params["proxyBypassList"] = json!("<-loopback>");
        }
        let created: CdpCall<CreateBrowserContextResult> =
            self.connection().call_method(None, "Target.createBrowserContext", &params);
        let id = created.await?.browser_context_id;
        // Before the context has its first tab, so before its first request.
        if let Some(restriction) = &restriction {
            self.registry().shared.policies.insert(id.clone(), restriction.clone());
        }
        let params = json!({
            "behavior": "allowAndName",
            "browserContextId": id,
            "downloadPath": self.info().downloads,
            "eventsEnabled": true,
        });
        let connection = self.connection();
        connection.call_method::<IgnoredAny>(None, "Browser.setDownloadBehavior", &params).ignore();
        if let Some(Restriction { proxy, .. }) = restriction {
            // The first tab is made meanwhile, and waits for it.
            tokio::spawn(Arc::clone(self).preauthenticate_proxy(id.clone(), proxy));
        }
        Ok(BrowserContext { browser: Arc::clone(self), id, is_default: false })
    }

    /// Has a new context learn the credentials of its proxy. Without them the browser
    /// asks again with the first document.
    async fn preauthenticate_proxy(self: Arc<Self>, context: BrowserContextId, proxy: Arc<Proxy>) {
        let credentials = proxy.credentials();
        match self.hidden_page(&context).await {
            Ok(tab) => {
                let params = json!({ "url": credentials.probe_url() });
                tab.session().call_method::<IgnoredAny>("Page.navigate", &params).ignore();
                if tokio::time::timeout(PROXY_CREDENTIALS_TIMEOUT, credentials.wait_known())
                    .await
                    .is_err()
                {
                    tracing::warn!("the browser does not take the credentials of its proxy");
                }
            }
            Err(error) => tracing::warn!(%error, "the credentials of a proxy were not reported"),
        }
        credentials.stop_waiting();
    }

    /// The context that the browser has from its start, with a new empty tab.
    /// A person who sees the browser opens tabs and windows there, and has no
    /// other cookies there than pages expect: the contexts that are made later
    /// are incognito to the full browser.
    pub async fn default_context(self: &Arc<Self>) -> Result<(BrowserContext, Arc<Page>)> {
        let params = json!({ "url": "about:blank", "newWindow": true });
        let created: CdpCall<CreateTargetResult> =
            self.connection().call_method(None, "Target.createTarget", &params);
        let target = created.await?.target_id;
        let page = self.registry().wait_page_ready(&target).await?;
        let id = page.context_id().clone();
        Ok((BrowserContext { browser: Arc::clone(self), id, is_default: true }, page))
    }
}

impl Browser {
    /// The context of a page in a browser that has one alone.
    pub fn context_of(self: &Arc<Self>, page: &Page) -> BrowserContext {
        let id = page.context_id().clone();
        BrowserContext { browser: Arc::clone(self), id, is_default: true }
    }

    async fn make_restriction(&self, rules: HostRules) -> Result<Restriction> {
        let rules = LiveRules::new(rules);
        let reach = ConnectPolicy { rules: rules.clone(), resolver: self.resolver_rules().clone() };
        let proxy = Arc::new(Proxy::start(reach).await?);
        Ok(Restriction { rules, proxy })
    }
}

impl BrowserContext {
    pub(crate) fn from_id(browser: &Arc<Browser>, id: BrowserContextId) -> Self {
        Self { browser: Arc::clone(browser), id, is_default: false }
    }

    /// The browser that it is in.
    pub fn browser(&self) -> &Arc<Browser> {
        &self.browser
    }

    /// Its id.
    pub fn id(&self) -> &BrowserContextId {
        &self.id
    }

    /// Its tabs, in order of appearance.
    pub fn pages(&self) -> Vec<Arc<Page>> {
        let pages = self.browser.pages().into_iter();
        pages.filter(|page| *page.context_id() == self.id).collect()
    }

    /// Opens an empty tab and waits until it is set up.
    pub async fn new_page(&self) -> Result<Arc<Page>> {
        // In the full browser only the front tab of a window is visible, and
        // hidden tabs neither animate nor can be captured: a window each.
        // In the shell every tab is visible, and windows cost time. A person
        // looks for all tabs in one window.
        // In a browser that is not ours the windows of its person stay as they are.
        let new_window =
            self.browser.info().flavour == Flavour::Headless || self.browser.is_attached();
        let mut params = json!({ "url": "about:blank", "newWindow": new_window });
        self.set_context_id(&mut params);
        let opening = OpeningGuard::begin(self.browser.registry(), &self.id);
        let created: CdpCall<CreateTargetResult> =
            self.browser.connection().call_method(None, "Target.createTarget", &params);
        let target = created.await?.target_id;
        drop(opening);
        let page = self.browser.registry().wait_page_ready(&target).await?;
        if let Some(restriction) = page.shared.policies.get(&self.id) {
            restriction.proxy.credentials().wait_known().await;
        }
        Ok(page)
    }

    /// Origins that its frames have shown after its visit number `visit`, the one shown last
    /// at the end.
    pub fn origins_shown_after(&self, visit: u64) -> Vec<String> {
        self.browser.registry().shared.visited_origins.shown_after(&self.id, visit)
    }

    /// The number of the last visit: how often its frames have shown an origin.
    pub fn last_visit(&self) -> u64 {
        self.browser.registry().shared.visited_origins.last_visit(&self.id)
    }

    /// Its cookies, as Chromium describes them.
    pub async fn cookies(&self) -> Result<Vec<Value>> {
        let mut params = json!({});
        self.set_context_id(&mut params);
        let connection = self.browser.connection();
        let cookies: CdpCall<GetCookiesResult> =
            connection.call_method(None, "Storage.getCookies", &params);
        let mut cookies = cookies.await?.cookies;
        for cookie in &mut cookies {
            // -1 stands for none, and would be in the past.
            if let Some(fields) = cookie.as_object_mut()
                && fields.get("expires").and_then(Value::as_f64).is_some_and(|time| time < 0.0)
            {
                fields.remove("expires");
            }
        }
        Ok(cookies)
    }

    /// Replaces its cookies. One that the browser refuses is left out.
    pub async fn set_cookies(&self, cookies: &[Value]) -> Result<()> {
        let mut params = json!({});
        self.set_context_id(&mut params);
        let connection = self.browser.connection();
        let cleared: CdpCall<IgnoredAny> =
            connection.call_method(None, "Storage.clearCookies", &params);
        cleared.await?;
        for some in cookies.chunks(MAX_COOKIES_PER_CALL) {
            let set = |cookies: &[Value]| -> CdpCall<IgnoredAny> {
                let mut params = params.clone();
                params["cookies"] = json!(cookies);
                connection.call_method(None, "Storage.setCookies", &params)
            };
            match set(some).await {
                // One that cannot be read spoils its whole message.
                Err(Error::Protocol { .. }) => {
                    for cookie in some {
                        match set(std::slice::from_ref(cookie)).await {
                            Ok(_) | Err(Error::Protocol { .. }) => {}
                            Err(fault) => return Err(fault),
                        }
                    }
                }
                outcome => drop(outcome?),
            }
        }
        Ok(())
    }

    /// Names the context in the parameters of a call. The first one has no
    /// name that Chromium takes.
    fn set_context_id(&self, params: &mut Value) {
        if !self.is_default {
            params["browserContextId"] = json!(self.id);
        }
    }

    /// Closes the context with its tabs, cookies and storage; the first one
    /// with its browser.
    pub async fn dispose(self) -> Result<()> {
        if self.is_default {
            self.browser.close().await;
            return Ok(());
        }
        self.browser.registry().shared.clients.on_context_ended(&self.id);
        let params = json!({ "browserContextId": self.id });
        let disposed: CdpCall<IgnoredAny> =
            self.browser.connection().call_method(None, "Target.disposeBrowserContext", &params);
        let outcome = disposed.await;
        self.browser.registry().shared.policies.remove(&self.id);
        self.browser.registry().shared.emulations.remove_context(&self.id);
        self.browser.registry().shared.visited_origins.forget(&self.id);
        self.browser.wake_spares();
        outcome.map(drop)
    }
}
