//! The running browser.

use std::sync::Arc;

use serde::de::IgnoredAny;
use serde_json::json;

use super::options::BrowserOptions;
use super::registry::Registry;
use super::spare::{SpareOptions, SpareSlot};
use super::start::{StartedBrowser, start};
use crate::connection::call::CdpCall;
use crate::connection::pipe::CdpConnection;
use crate::error::Result;
use crate::ids::TargetId;
use crate::launch::info::BrowserInfo;
use crate::launch::process::BrowserProcess;
use crate::page::page::Page;
use browse_net::ResolverRules;

/// One Chromium. Dropping the last handle kills it and removes its profile.
pub struct Browser {
    registry: Arc<Registry>,
    info: BrowserInfo,
    resolver_rules: ResolverRules,
    spares: SpareOptions,
    unrestricted_spare: SpareSlot,
    restricted_spare: SpareSlot,
    process: tokio::sync::Mutex<BrowserProcess>,
    /// Whether it ran already: it stays when this ends.
    is_attached: bool,
}

impl Drop for Browser {
    fn drop(&mut self) {
        if self.is_attached {
            self.connection().shut_down();
        }
    }
}

impl Browser {
    /// A browser that runs already and has answered.
    pub(crate) fn from_attached(
        registry: Arc<Registry>,
        info: BrowserInfo,
        process: BrowserProcess,
    ) -> Arc<Self> {
        registry.shared.emulations.set_defaults(&info.user_agent, None);
        Arc::new(Self {
            registry,
            info,
            resolver_rules: ResolverRules::default(),
            spares: SpareOptions::default(),
            unrestricted_spare: SpareSlot::default(),
            restricted_spare: SpareSlot::default(),
            process: tokio::sync::Mutex::new(process),
            is_attached: true,
        })
    }

    /// Finds, starts and greets a browser.
    pub async fn launch(options: BrowserOptions) -> Result<Arc<Self>> {
        let resolver_rules = ResolverRules::from_arguments(&options.launch.extra_args);
        let StartedBrowser { registry, process, info, identity } = start(&options).await?;
        registry.shared.emulations.set_defaults(&info.user_agent, identity);
        let browser = Arc::new(Self {
            registry,
            info,
            resolver_rules,
            spares: options.spare_options,
            unrestricted_spare: SpareSlot::default(),
            restricted_spare: SpareSlot::default(),
            process: tokio::sync::Mutex::new(process),
            is_attached: false,
        });
        browser.fill_spares().await;
        Ok(browser)
    }

    /// What is running.
    pub fn info(&self) -> &BrowserInfo {
        &self.info
    }

    /// Whether it ran already, and is not ours.
    pub fn is_attached(&self) -> bool {
        self.is_attached
    }

    /// All tabs of all contexts, in order of appearance.
    pub fn pages(&self) -> Vec<Arc<Page>> {
        self.registry.pages()
    }

    /// One tab.
    pub fn page(&self, target: &TargetId) -> Option<Arc<Page>> {
        self.registry.page(target)
    }

    /// Closes a tab at once, whatever it is doing. It is out of
    /// [`Browser::pages`] when this returns.
    pub async fn close_page(&self, target: &TargetId) -> Result<()> {
        let params = json!({ "targetId": target });
        let closed: CdpCall<IgnoredAny> =
            self.connection().call_method(None, "Target.closeTarget", &params);
        let outcome = closed.await;
        self.registry.close_page(target);
        outcome.map(drop)
    }

    /// Whether the browser has ended.
    pub fn is_gone(&self) -> bool {
        self.connection().is_gone()
    }

    /// Waits for the browser's end and says why it came.
    pub async fn wait_gone(&self) -> String {
        let mut gone = self.registry.subscribe_gone();
        let reason = match gone.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or_default(),
            Err(_) => String::new(),
        };
        // The pipe ends a moment before the process; its status says more.
        match self.process.try_lock() {
            Ok(process) => process.exit_report().await.unwrap_or(reason),
            Err(_) => reason,
        }
    }

    /// Ends the browser and removes its temporary profile. A profile that the
    /// user named is closed politely first. Of one that ran already only the tabs that
    /// were opened are closed.
    pub async fn close(&self) {
        let mut process = self.process.lock().await;
        if self.is_attached {
            self.connection().shut_down();
            return process.reap().await;
        }
        if process.has_persistent_profile() {
            let closing: CdpCall<IgnoredAny> = self.connection().call_method(
                None,
                "Browser.close",
                &crate::connection::params::NoParams,
            );
            closing.ignore();
            process.wait_exit(std::time::Duration::from_secs(2)).await;
        }
        process.reap().await;
    }

    pub(crate) fn connection(&self) -> &CdpConnection {
        &self.registry.shared.connection
    }

    pub(crate) fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// `--host-resolver-rules`, for the proxies.
    pub(crate) fn resolver_rules(&self) -> &ResolverRules {
        &self.resolver_rules
    }

    pub(crate) fn spares(&self) -> SpareOptions {
        self.spares
    }

    pub(crate) fn unrestricted_spare(&self) -> &SpareSlot {
        &self.unrestricted_spare
    }

    pub(crate) fn restricted_spare(&self) -> &SpareSlot {
        &self.restricted_spare
    }
}
