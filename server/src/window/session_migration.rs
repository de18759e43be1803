//! What a session takes along from one browser to the other.

use std::{sync::Arc, time::Duration};

use futures::future::join_all;
use serde_json::Value;

use browse_chromium::{BrowserContext, DocumentSnapshot};
use browse_engine::FieldDrafts;
use browse_sessions::{OriginDatabases, PendingReload, Tab, TabId};

/// Time that the browser gets to tell its cookies.
const COOKIES_TIMEOUT: Duration = Duration::from_secs(2);

/// Time that the databases of a session get to be read.
const DATABASES_TIMEOUT: Duration = Duration::from_secs(4);

/// A session, ready to be unpacked somewhere else.
#[derive(Clone, Default)]
pub struct SessionMigration {
    /// Cookies; none when the browser could not be asked.
    pub cookies: Option<Vec<Value>>,
    /// Databases of the origins that it has shown.
    pub databases: OriginDatabases,
    /// Tabs, oldest first.
    pub tabs: Vec<TabMigration>,
    /// The tab that calls go to.
    pub active: Option<TabId>,
}

/// A tab.
#[derive(Clone)]
pub struct TabMigration {
    /// The tab as it was.
    pub tab: Arc<Tab>,
    /// Its address.
    pub url: String,
    /// What its documents keep; empty when the page did not answer.
    pub storage: Vec<DocumentSnapshot>,
    /// What was typed into them and not sent.
    pub form_drafts: FieldDrafts,
}

impl SessionMigration {
    /// Packs `tabs` of `context`. For what cannot be asked any more, `before`
    /// knows what it was.
    pub async fn capture(
        context: Option<&BrowserContext>,
        tabs: &[Arc<Tab>],
        active: Option<TabId>,
        before: &Self,
    ) -> Self {
        let cookies = async {
            let asked = tokio::time::timeout(COOKIES_TIMEOUT, context?.cookies()).await;
            asked.ok()?.ok()
        };
        let migrated_tabs = join_all(tabs.iter().map(|tab| TabMigration::capture(tab, before)));
        let (cookies, tabs) = tokio::join!(cookies, migrated_tabs);
        Self {
            cookies: cookies.or_else(|| before.cookies.clone()),
            databases: before.databases.clone(),
            tabs,
            active,
        }
    }

    /// Reads the databases of the origins that `context` has shown; those that it does not answer
    /// stay as they are known.
    pub async fn capture_databases(&mut self, context: Option<&BrowserContext>) {
        let Some(context) = context.filter(|context| !context.browser().is_gone()) else { return };
        let read = OriginDatabases::read_all(context, DATABASES_TIMEOUT).await;
        self.databases.update(read);
    }

    /// Tabs, and where they are.
    pub fn tab_urls(&self) -> Vec<(TabId, String)> {
        self.tabs.iter().map(|migrated| (migrated.tab.id(), migrated.url.clone())).collect()
    }
}

impl TabMigration {
    async fn capture(tab: &Arc<Tab>, before: &SessionMigration) -> Self {
        // Its browser ended, and it was not used since.
        if let Some(PendingReload { url, storage: storages, interrupted }) = tab.pending_reload() {
            // Only a caller loads again what was interrupted.
            let url = if interrupted { "about:blank".to_owned() } else { url };
            return Self {
                tab: Arc::clone(tab),
                url,
                storage: storages,
                form_drafts: FieldDrafts::default(),
            };
        }
        let asked = tokio::join!(tab.page().document_snapshots(), tab.engine().capture_drafts());
        let (mut storages, mut drafts) = asked;
        if storages.is_empty()
            && let Some(known) = before.tabs.iter().find(|known| known.tab.id() == tab.id())
        {
            storages.clone_from(&known.storage);
            drafts = known.form_drafts.clone();
        }
        Self {
            tab: Arc::clone(tab),
            url: tab.page().intended_url(),
            storage: storages,
            form_drafts: drafts,
        }
    }

    /// What the main document keeps.
    pub fn main_storage(&self) -> Option<&DocumentSnapshot> {
        self.storage.iter().find(|one| one.main)
    }
}
