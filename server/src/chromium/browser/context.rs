//! A browser context: cookies, storage and tabs apart from all others.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::browser::Browser;
use super::policy::Restriction;
use crate::chromium::connection::call::Call;
use crate::chromium::error::Result;
use crate::chromium::guard::proxy::Proxy;
use crate::chromium::guard::reach::Reach;
use crate::chromium::guard::rules::{HostRules, LiveRules};
use crate::chromium::ids::{BrowserContextId, TargetId};
use crate::chromium::launch::info::Flavour;
use crate::chromium::page::page::Page;

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
pub struct Context {
    browser: Arc<Browser>,
    id: BrowserContextId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    browser_context_id: BrowserContextId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreatedTarget {
    target_id: TargetId,
}

impl Browser {
    /// Makes a new context without tabs.
    pub async fn new_context(self: &Arc<Self>, options: &ContextOptions) -> Result<Context> {
        let mut params = json!({ "disposeOnDetach": true });
        let restriction = match &options.hosts {
            Some(rules) => Some(self.restrict(rules.clone()).await?),
            None => None,
        };
        let own_proxy = restriction.as_ref().map(|restriction| restriction.proxy.url());
        if let Some(proxy) = own_proxy.as_ref().or(options.proxy.as_ref()) {
            params["proxyServer"] = json!(proxy);
            // Without this, loopback would go around the proxy.
            params["proxyBypassList"] = json!("<-loopback>");
        }
        let created: Call<Created> =
            self.connection().call_method(None, "Target.createBrowserContext", &params);
        let id = created.await?.browser_context_id;
        // Before the context has its first tab, so before its first request.
        if let Some(restriction) = restriction {
            self.registry().shared.policies.insert(id.clone(), restriction);
        }
        let params = json!({
            "behavior": "allowAndName",
            "browserContextId": id,
            "downloadPath": self.info().downloads,
            "eventsEnabled": true,
        });
        let connection = self.connection();
        connection.call_method::<IgnoredAny>(None, "Browser.setDownloadBehavior", &params).ignore();
        Ok(Context { browser: Arc::clone(self), id })
    }
}

impl Browser {
    async fn restrict(&self, rules: HostRules) -> Result<Restriction> {
        let rules = LiveRules::new(rules);
        let reach = Reach { rules: rules.clone(), resolver: self.resolver_rules().clone() };
        let proxy = Arc::new(Proxy::start(reach).await?);
        Ok(Restriction { rules, proxy })
    }
}

impl Context {
    pub(crate) fn of(browser: &Arc<Browser>, id: BrowserContextId) -> Self {
        Self { browser: Arc::clone(browser), id }
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
        // In the shell every tab is visible, and windows cost time.
        let new_window = self.browser.info().flavour != Flavour::HeadlessShell;
        let params = json!({
            "url": "about:blank",
            "browserContextId": self.id,
            "newWindow": new_window,
        });
        let created: Call<CreatedTarget> =
            self.browser.connection().call_method(None, "Target.createTarget", &params);
        let target = created.await?.target_id;
        self.browser.registry().page_ready(&target).await
    }

    /// Closes the context with its tabs, cookies and storage.
    pub async fn dispose(self) -> Result<()> {
        let params = json!({ "browserContextId": self.id });
        let disposed: Call<IgnoredAny> =
            self.browser.connection().call_method(None, "Target.disposeBrowserContext", &params);
        let outcome = disposed.await;
        self.browser.registry().shared.policies.remove(&self.id);
        self.browser.registry().shared.emulations.forget(&self.id);
        self.browser.registry().shared.visited.forget(&self.id);
        self.browser.wake_spares();
        outcome.map(drop)
    }
}
