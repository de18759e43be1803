//! What is kept of a session in case its browser ends: cookies, and what the open
//! documents keep. It stays in memory; what is written of a session that is kept on disk
//! is made from it.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use futures::future::join_all;
use serde_json::Value;

use super::{OriginDatabases, Tab, TabId, pending_reload::site};
use browse_base::Result;
use browse_chromium::{BrowserContext, DocumentSnapshot, Page};

/// Time that the browser gets to tell its cookies.
const COOKIES_TIMEOUT: Duration = Duration::from_secs(2);

/// Time that the databases of a session get to be written again.
const DATABASES_TIMEOUT: Duration = Duration::from_secs(5);

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
    /// The local storage of origins that no tab shows, as last seen; of sessions that are
    /// kept on disk alone.
    closed_origins: BTreeMap<String, String>,
    /// The databases of origins; of sessions that are kept on disk alone.
    databases: OriginDatabases,
}

impl SessionSnapshot {
    /// What a new session has from before, whose tabs are still to be opened.
    pub(super) fn restored(
        cookies: Vec<Value>,
        origins: BTreeMap<String, String>,
        databases: OriginDatabases,
    ) -> Self {
        Self { cookies: Some(cookies), closed_origins: origins, databases, ..Self::default() }
    }

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
            (tab.id(), remains.is_some(), storages)
        });
        let (cookies, asked) = tokio::join!(cookies, join_all(asked));
        let loaded = asked.iter().filter(|(_, is_unloaded, _)| !is_unloaded);
        let loaded = loaded.flat_map(|(_, _, storages)| storages);
        let loaded = loaded.filter(|one| one.main && one.local.is_some());
        let loaded: HashSet<_> = loaded.map(|one| one.origin.clone()).collect();
        let (mut room, mut known_local) = (MAX_STORAGE_BYTES, HashSet::new());
        let tabs = asked.into_iter().filter_map(|(id, is_unloaded, storages)| {
            let known = || before.tab_storages.get(&id).cloned().unwrap_or_default();
            let mut storages = if storages.is_empty() { known() } else { storages };
            // Tabs of one origin share it. What an unloaded one has is of before.
            for one in storages.iter_mut().filter(|one| one.main) {
                let is_old = is_unloaded && loaded.contains(&one.origin);
                one.local.take_if(|_| is_old || !known_local.insert(one.origin.clone()));
            }
            let size: usize = storages.iter().map(DocumentSnapshot::bytes).sum();
            room = room.checked_sub(size)?;
            Some((id, storages))
        });
        let tabs = tabs.collect();
        Self {
            cookies: cookies.or_else(|| before.cookies.clone()),
            tab_storages: tabs,
            closed_origins: BTreeMap::new(),
            databases: before.databases.clone(),
        }
    }

    /// Replaces what documents of tabs keep.
    pub(super) fn set_documents(
        &mut self,
        documents: impl IntoIterator<Item = (TabId, Vec<DocumentSnapshot>)>,
    ) {
        self.tab_storages.extend(documents);
    }

    /// Takes over from `before` the local storage of origins that no tab shows any more.
    pub(super) fn add_closed_origins(&mut self, before: &Self) {
        let mut closed = before.closed_origins.clone();
        for (origin, packed) in before.shown_storage() {
            closed.insert(origin.to_owned(), packed.to_owned());
        }
        self.set_closed_origins(closed);
    }

    /// Notes the local storage of origins that no tab shows.
    pub(super) fn update_closed_origins(&mut self, read: BTreeMap<String, String>) {
        let mut closed = std::mem::take(&mut self.closed_origins);
        closed.extend(read);
        self.set_closed_origins(closed);
    }

    /// The databases of origins.
    pub(super) fn databases(&self) -> &OriginDatabases {
        &self.databases
    }

    /// Notes the databases of origins.
    pub(super) fn set_databases(&mut self, databases: OriginDatabases) {
        self.databases = databases;
    }

    /// Leaves out what a tab shows, what has no entries, and what does not fit.
    fn set_closed_origins(&mut self, mut closed: BTreeMap<String, String>) {
        let shown = self.shown_storage();
        let used: usize = self.tab_storages.values().flatten().map(DocumentSnapshot::bytes).sum();
        let mut room = MAX_STORAGE_BYTES.saturating_sub(used);
        closed.retain(|origin, packed| {
            if packed.as_str() == EMPTY_STORAGE || shown.contains_key(origin.as_str()) {
                return false;
            }
            let left = room.checked_sub(origin.len() + packed.len());
            room = left.unwrap_or(room);
            left.is_some()
        });
        self.closed_origins = closed;
    }

    /// The origins whose local storage is that of documents that tabs show.
    pub(super) fn shown_origins(&self) -> BTreeSet<String> {
        self.shown_storage().into_keys().map(str::to_owned).collect()
    }

    /// The cookies, as Chromium describes them.
    pub(super) fn raw_cookies(&self) -> Vec<Value> {
        self.cookies.clone().unwrap_or_default()
    }

    /// What the documents of a tab kept.
    pub(super) fn tab_storage(&self, id: TabId) -> Vec<DocumentSnapshot> {
        self.tab_storages.get(&id).cloned().unwrap_or_default()
    }

    /// Bytes that it takes, about.
    pub fn memory_bytes(&self) -> usize {
        let cookies = self.cookies.iter().flatten().map(|cookie| cookie.to_string().len());
        let storages = self.tab_storages.values().flatten().map(DocumentSnapshot::bytes);
        let closed = self.closed_origins.iter().map(|(origin, packed)| origin.len() + packed.len());
        cookies.chain(storages).chain(closed).sum::<usize>() + self.databases.bytes()
    }

    /// Names and values of the cookies that are kept.
    pub fn cookies(&self) -> Vec<(String, String)> {
        let text = |cookie: &Value, name: &str| {
            cookie.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let cookies = self.cookies.iter().flatten();
        cookies.map(|cookie| (text(cookie, "name"), text(cookie, "value"))).collect()
    }

    /// Puts cookies, local storage and databases into a new context, of which `page` is the
    /// first page and still blank. Session storage comes with each tab.
    ///
    /// # Errors
    /// The browser is gone.
    pub(super) async fn restore_into(&self, context: &BrowserContext, page: &Page) -> Result<()> {
        if let Some(cookies) = self.cookies.as_ref().filter(|cookies| !cookies.is_empty()) {
            context.set_cookies(cookies).await?;
        }
        for problem in self.databases.write_all(context, DATABASES_TIMEOUT).await {
            tracing::debug!(problem, "a database is not back");
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

    /// The local storage of each origin that has any: of those that tabs show, and of those
    /// that are known from before.
    pub(super) fn local_storage_by_origin(&self) -> BTreeMap<&str, &str> {
        let closed = self.closed_origins.iter();
        let mut all: BTreeMap<_, _> =
            closed.map(|(origin, packed)| (origin.as_str(), packed.as_str())).collect();
        all.extend(self.shown_storage());
        all.retain(|_, packed| *packed != EMPTY_STORAGE);
        all
    }

    /// The local storage of the origins that tabs show, which tabs of one origin share.
    /// Frames of another site than their page have a storage apart, which is not in it.
    fn shown_storage(&self) -> BTreeMap<&str, &str> {
        let (mut shown, mut of_frames) = (BTreeMap::new(), BTreeMap::new());
        for documents in self.tab_storages.values() {
            let page = documents.iter().find(|one| one.main).map(|one| site(&one.origin));
            for one in documents.iter().filter(|one| one.origin.starts_with("http")) {
                let Some(packed) = one.local.as_deref() else { continue };
                if one.main {
                    shown.insert(one.origin.as_str(), packed);
                } else if page.as_deref() == Some(site(&one.origin).as_str()) {
                    of_frames.insert(one.origin.as_str(), packed);
                }
            }
        }
        for (origin, packed) in of_frames {
            shown.entry(origin).or_insert(packed);
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(origin: &str, main: bool, local: &str) -> DocumentSnapshot {
        DocumentSnapshot {
            origin: origin.to_owned(),
            main,
            local: Some(local.to_owned()),
            session: None,
            html: None,
            scroll: (0.0, 0.0),
        }
    }

    fn showing(documents: Vec<DocumentSnapshot>) -> SessionSnapshot {
        let tab_storages = HashMap::from([(1, documents)]);
        SessionSnapshot { tab_storages, ..SessionSnapshot::default() }
    }

    fn stored(snapshot: &SessionSnapshot) -> Vec<(&str, &str)> {
        snapshot.local_storage_by_origin().into_iter().collect()
    }

    #[test]
    fn what_an_origin_had_is_known_after_it_was_left() {
        let first = showing(vec![document("https://a.example", true, "[[\"k\",\"1\"]]")]);
        let mut second = showing(vec![document("https://b.example", true, "[[\"k\",\"2\"]]")]);
        second.add_closed_origins(&first);
        let all =
            [("https://a.example", "[[\"k\",\"1\"]]"), ("https://b.example", "[[\"k\",\"2\"]]")];
        assert_eq!(stored(&second), all);
        // It is shown again, and has emptied its storage.
        let mut third = showing(vec![document("https://a.example", true, "[]")]);
        third.add_closed_origins(&second);
        assert_eq!(stored(&third), all[1..]);
        let mut fourth = showing(Vec::new());
        fourth.add_closed_origins(&third);
        assert_eq!(stored(&fourth), all[1..]);
        fourth.update_closed_origins(BTreeMap::from([
            ("https://b.example".to_owned(), "[]".to_owned()),
            ("https://c.example".to_owned(), "[[\"k\",\"3\"]]".to_owned()),
        ]));
        assert_eq!(stored(&fourth), [("https://c.example", "[[\"k\",\"3\"]]")]);
    }

    #[test]
    fn a_frame_of_another_site_has_a_storage_apart() {
        let shown = showing(vec![
            document("https://shop.example.com", true, "[1]"),
            document("https://cart.example.com", false, "[2]"),
            document("https://ads.example.net", false, "[3]"),
            document("https://shop.example.com", false, "[4]"),
        ]);
        let own = [("https://cart.example.com", "[2]"), ("https://shop.example.com", "[1]")];
        assert_eq!(stored(&shown), own);
        let origins = own.map(|(origin, _)| origin.to_owned());
        assert_eq!(shown.shown_origins(), BTreeSet::from(origins));
    }

    #[test]
    fn what_there_is_no_room_for_is_left_out() {
        let mut snapshot = SessionSnapshot::default();
        snapshot.update_closed_origins(BTreeMap::from([
            ("https://a.example".to_owned(), "x".repeat(MAX_STORAGE_BYTES)),
            ("https://b.example".to_owned(), "[1]".to_owned()),
        ]));
        assert_eq!(stored(&snapshot), [("https://b.example", "[1]")]);
    }
}
