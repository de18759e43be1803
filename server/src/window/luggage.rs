//! What a session takes along from one browser to the other.

use std::{sync::Arc, time::Duration};

use futures::future::join_all;
use serde_json::Value;

use crate::{
    chromium::{Belongings, Context},
    engine::Drafts,
    sessions::{Remains, Tab, TabId},
};

/// Time that the browser gets to tell its cookies.
const COOKIES: Duration = Duration::from_secs(2);

/// A session, ready to be unpacked elsewhere.
#[derive(Clone, Default)]
pub struct Luggage {
    /// Cookies; none when the browser could not be asked.
    pub cookies: Option<Vec<Value>>,
    /// Tabs, oldest first.
    pub tabs: Vec<Parcel>,
    /// The tab that calls go to.
    pub active: Option<TabId>,
}

/// A tab.
#[derive(Clone)]
pub struct Parcel {
    /// The tab as it was.
    pub tab: Arc<Tab>,
    /// Its address.
    pub url: String,
    /// What its documents keep; empty when the page did not answer.
    pub belongings: Vec<Belongings>,
    /// What was typed into them and not sent.
    pub drafts: Drafts,
}

impl Luggage {
    /// Packs `tabs` of `context`. For what cannot be asked any more, `before`
    /// knows what it was.
    pub async fn pack(
        context: Option<&Context>,
        tabs: &[Arc<Tab>],
        active: Option<TabId>,
        before: &Self,
    ) -> Self {
        let cookies = async {
            let asked = tokio::time::timeout(COOKIES, context?.cookies()).await;
            asked.ok()?.ok()
        };
        let parcels = join_all(tabs.iter().map(|tab| Parcel::pack(tab, before)));
        let (cookies, tabs) = tokio::join!(cookies, parcels);
        Self { cookies: cookies.or_else(|| before.cookies.clone()), tabs, active }
    }

    /// Tabs, and where they are.
    pub fn addresses(&self) -> Vec<(TabId, String)> {
        self.tabs.iter().map(|parcel| (parcel.tab.id(), parcel.url.clone())).collect()
    }
}

impl Parcel {
    async fn pack(tab: &Arc<Tab>, before: &Luggage) -> Self {
        // Its browser ended, and it was not used since.
        if let Some(Remains { url, belongings, interrupted }) = tab.remains() {
            // Only a caller loads again what was interrupted.
            let url = if interrupted { "about:blank".to_owned() } else { url };
            return Self { tab: Arc::clone(tab), url, belongings, drafts: Drafts::default() };
        }
        let asked = tokio::join!(tab.page().belongings(), tab.engine().take_drafts());
        let (mut belongings, mut drafts) = asked;
        if belongings.is_empty()
            && let Some(known) = before.tabs.iter().find(|known| known.tab.id() == tab.id())
        {
            belongings.clone_from(&known.belongings);
            drafts = known.drafts.clone();
        }
        Self { tab: Arc::clone(tab), url: tab.page().address(), belongings, drafts }
    }

    /// What the main document keeps.
    pub fn main(&self) -> Option<&Belongings> {
        self.belongings.iter().find(|one| one.main)
    }
}
