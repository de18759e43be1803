//! What is kept of a session in case its browser ends: cookies, and what the open
//! documents keep. It stays in memory.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use futures::future::join_all;
use serde_json::Value;

use super::{Tab, TabId};
use browse_base::Result;
use browse_chromium::{BrowserContext, DocumentSnapshot, Page};

/// Time that the browser gets to tell its cookies.
const COOKIES_TIMEOUT: Duration = Duration::from_secs(2);

/// Bytes of the storage of a session that are kept; what is beyond is not.
const MAX_STORAGE_BYTES: usize = 32 << 20;

/// How a page packs storage without entries.
const EMPTY_STORAGE: &str = "[]";

/// A session as it was a moment ago.
#[derive(Clone, Default)]
pub struct SessionSnapshot {
    /// None before they were first asked for.
    cookies: Option<Vec<Value>>,
    /// Of each tab that answered, what its documents keep.
    tab_storages: HashMap<TabId, Vec<DocumentSnapshot>>,
}

impl SessionSnapshot {
    /// What `tabs` of `context` are now. For what cannot be asked, `before` knows.
    pub(super) async fn capture(
        context: &BrowserContext,
        tabs: &[Arc<Tab>],
        before: &Self,
    ) -> Self {
        let cookies = async {
            let asked = tokio::time::timeout(COOKIES_TIMEOUT, context.cookies()).await;
            asked.ok()?.ok()
        };
        let asked = tabs.iter().map(|tab| async move {
            let remains = tab.pending_reload();
            let storages = match &remains {
                Some(remains) => remains.storage.clone(),
                // A script of ours in a page that hangs makes it harder to free.
                None if tab.is_busy() => Vec::new(),
                None => tab.page().document_snapshots().await,
            };
            (tab.id(), storages)
        });
        let (cookies, asked) = tokio::join!(cookies, join_all(asked));
        let (mut room, mut known_local) = (MAX_STORAGE_BYTES, HashSet::new());
        let tabs = asked.into_iter().filter_map(|(id, storages)| {
            let known = || before.tab_storages.get(&id).cloned().unwrap_or_default();
            let mut storages = if storages.is_empty() { known() } else { storages };
            // Tabs of one origin share it.
            for one in storages.iter_mut().filter(|one| one.main) {
                one.local.take_if(|_| !known_local.insert(one.origin.clone()));
            }
            let size: usize = storages.iter().map(DocumentSnapshot::bytes).sum();
            room = room.checked_sub(size)?;
            Some((id, storages))
        });
        let tabs = tabs.collect();
        Self { cookies: cookies.or_else(|| before.cookies.clone()), tab_storages: tabs }
    }

    /// What the documents of a tab kept.
    pub(super) fn tab_storage(&self, id: TabId) -> Vec<DocumentSnapshot> {
        self.tab_storages.get(&id).cloned().unwrap_or_default()
    }

    /// Bytes that it takes, about.
    pub fn memory_bytes(&self) -> usize {
        let cookies = self.cookies.iter().flatten().map(|cookie| cookie.to_string().len());
        let storages = self.tab_storages.values().flatten().map(DocumentSnapshot::bytes);
        cookies.chain(storages).sum()
    }

    /// Names and values of the cookies that are kept.
    pub fn cookies(&self) -> Vec<(String, String)> {
        let text = |cookie: &Value, name: &str| {
            cookie.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let cookies = self.cookies.iter().flatten();
        cookies.map(|cookie| (text(cookie, "name"), text(cookie, "value"))).collect()
    }

    /// Puts cookies and local storage into a new context, of which `page` is the
    /// first page and still blank. Session storage comes with each tab.
    ///
    /// # Errors
    /// The browser is gone.
    pub(super) async fn restore_into(&self, context: &BrowserContext, page: &Page) -> Result<()> {
        if let Some(cookies) = self.cookies.as_ref().filter(|cookies| !cookies.is_empty()) {
            context.set_cookies(cookies).await?;
        }
        let origins = self.local_storage_by_origin();
        if origins.is_empty() {
            return Ok(());
        }
        let blank = context.browser().blank_tab(page.context_id()).await?;
        for (origin, packed) in origins {
            let written = async { blank.open_origin(origin).await?.replace(packed).await };
            match written.await {
                Ok(()) => {}
                Err(fault) if page.is_browser_gone() => return Err(fault.into()),
                // It cannot be shown, so it has nothing that pages could use.
                Err(fault) => tracing::debug!(%fault, "the storage of an origin is not back"),
            }
        }
        Ok(())
    }

    /// The local storage of the origins that tabs show. Tabs of one origin share it.
    fn local_storage_by_origin(&self) -> HashMap<&str, &str> {
        let main = self.tab_storages.values().flatten().filter(|one| one.main);
        let of_web = main.filter(|one| one.origin.starts_with("http"));
        let full = of_web.filter_map(|one| Some((one.origin.as_str(), one.local.as_deref()?)));
        full.filter(|(_, packed)| *packed != EMPTY_STORAGE).collect()
    }
}
