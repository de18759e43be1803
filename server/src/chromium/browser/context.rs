//! A browser context: cookies, storage and tabs apart from all others.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::browser::Browser;
use crate::chromium::connection::call::Call;
use crate::chromium::error::Result;
use crate::chromium::ids::{BrowserContextId, TargetId};
use crate::chromium::launch::info::Flavour;
use crate::chromium::page::page::Page;

/// How a context is made.
#[derive(Debug, Clone, Default)]
pub struct ContextOptions {
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
        if let Some(proxy) = &options.proxy {
            params["proxyServer"] = json!(proxy);
            // Without this, loopback would go around the proxy.
            params["proxyBypassList"] = json!("<-loopback>");
        }
        let created: Call<Created> =
            self.connection()
                .call_method(None, "Target.createBrowserContext", &params);
        let id = created.await?.browser_context_id;
        let params = json!({
            "behavior": "allowAndName",
            "browserContextId": id,
            "downloadPath": self.downloads(),
            "eventsEnabled": true,
        });
        let connection = self.connection();
        connection
            .call_method::<IgnoredAny>(None, "Browser.setDownloadBehavior", &params)
            .ignore();
        Ok(Context {
            browser: Arc::clone(self),
            id,
        })
    }
}

impl Context {
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
            self.browser
                .connection()
                .call_method(None, "Target.createTarget", &params);
        let target = created.await?.target_id;
        self.browser.registry().page_ready(&target).await
    }

    /// Closes the context with its tabs, cookies and storage.
    pub async fn dispose(self) -> Result<()> {
        let params = json!({ "browserContextId": self.id });
        let disposed: Call<IgnoredAny> =
            self.browser
                .connection()
                .call_method(None, "Target.disposeBrowserContext", &params);
        disposed.await.map(drop)
    }
}
