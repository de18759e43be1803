//! The databases (IndexedDB) of the origins in a browsing context: read, and written in another.
//!
//! They are read in a hidden tab without network, so a page that hangs holds up nothing.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::time::{Instant, timeout_at};

use browse_chromium::{BlankTab, BrowserContext, DatabaseSnapshot, Error, MAX_DATABASE_BYTES};

/// The databases of origins. A clone is cheap.
#[derive(Clone, Default)]
pub struct OriginDatabases(BTreeMap<String, Arc<DatabaseSnapshot>>);

impl OriginDatabases {
    /// What was saved of origins.
    pub fn new(origins: impl IntoIterator<Item = (String, DatabaseSnapshot)>) -> Self {
        let mut databases = Self::default();
        for (origin, snapshot) in origins {
            databases.insert(&origin, snapshot);
        }
        databases
    }

    /// Reads the databases of all origins that `context` has shown, within `limit`. Origins that
    /// cannot be read in time are not in the result; those without databases are.
    pub async fn read_all(context: &BrowserContext, limit: Duration) -> Self {
        let mut read = Self::default();
        let origins = context.origins_shown_after(0);
        if origins.is_empty() {
            return read;
        }
        let until = Instant::now() + limit;
        let reading = async {
            let tab = context.browser().blank_tab(context.id()).await?;
            // The one shown last is the one that matters most.
            for origin in origins.iter().rev() {
                if let Some(databases) = read.read_origin(&tab, origin).await? {
                    read.0.insert(origin.clone(), Arc::new(databases));
                }
            }
            Ok::<_, Error>(())
        };
        match timeout_at(until, reading).await {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => tracing::debug!(%fault, "the databases are not read"),
            Err(_) => tracing::debug!("the databases are not read in time"),
        }
        read
    }

    /// Takes over what `newer` knows.
    pub fn update(&mut self, newer: Self) {
        for (origin, mut databases) in newer.0 {
            // What did not come along before is still where it was.
            if let Some(known) = self.0.get(&origin) {
                let left = &mut Arc::make_mut(&mut databases).left;
                left.extend(known.left.iter().cloned());
                left.sort_unstable();
                left.dedup();
            }
            self.0.insert(origin, databases);
        }
    }

    /// Writes them into `context`, in place of those that its origins have, within `limit`.
    /// Answers what was not written, for people.
    pub async fn write_all(&self, context: &BrowserContext, limit: Duration) -> Vec<String> {
        let mut problems = Vec::new();
        if self.0.is_empty() {
            return problems;
        }
        let until = Instant::now() + limit;
        let writing = async {
            let tab = context.browser().blank_tab(context.id()).await?;
            for (origin, databases) in &self.0 {
                let Some(storage) = open_origin(&tab, origin).await? else { continue };
                let written = storage.restore_databases(databases).await?;
                let of_origin = |problem| format!("{origin}: {problem}");
                problems.extend(written.problems.into_iter().map(of_origin));
            }
            Ok::<_, Error>(())
        };
        match timeout_at(until, writing).await {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => {
                tracing::debug!(%fault, "the databases are not written");
                problems.push("the databases could not be written".to_owned());
            }
            Err(_) => problems.push("the databases could not be written in time".to_owned()),
        }
        problems
    }

    /// Reads the databases of `origin` in place of what is known of them.
    ///
    /// # Errors
    /// The browser fails.
    pub(super) async fn read(
        &mut self,
        tab: &BlankTab,
        origin: &str,
    ) -> browse_chromium::Result<()> {
        if let Some(databases) = self.read_origin(tab, origin).await? {
            self.insert(origin, databases);
        }
        Ok(())
    }

    /// The databases of `origin`, in the room that others leave; none when it cannot be shown.
    async fn read_origin(
        &self,
        tab: &BlankTab,
        origin: &str,
    ) -> browse_chromium::Result<Option<DatabaseSnapshot>> {
        let Some(storage) = open_origin(tab, origin).await? else { return Ok(None) };
        let others = self.0.iter().filter(|(other, _)| *other != origin);
        let used: usize = others.map(|(_, databases)| databases.bytes()).sum();
        Ok(Some(storage.read_databases(MAX_DATABASE_BYTES.saturating_sub(used)).await?))
    }

    /// The databases of an origin.
    pub(super) fn get(&self, origin: &str) -> Option<&DatabaseSnapshot> {
        self.0.get(origin).map(AsRef::as_ref)
    }

    /// Origins and their databases.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &DatabaseSnapshot)> {
        self.0.iter().map(|(origin, databases)| (origin.as_str(), databases.as_ref()))
    }

    /// Bytes that they take, about.
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|(origin, databases)| origin.len() + databases.bytes()).sum()
    }

    fn insert(&mut self, origin: &str, databases: DatabaseSnapshot) {
        match databases.is_empty() {
            true => self.0.remove(origin),
            false => self.0.insert(origin.to_owned(), Arc::new(databases)),
        };
    }
}

/// The storage of an origin; none when it cannot be shown, so that pages could use nothing of it.
async fn open_origin(
    tab: &BlankTab,
    origin: &str,
) -> browse_chromium::Result<Option<browse_chromium::OriginStorage>> {
    match tab.open_origin(origin).await {
        Ok(storage) => Ok(Some(storage)),
        Err(Error::HostDenied { .. } | Error::NavigationFailed { .. }) => Ok(None),
        Err(fault) => Err(fault),
    }
}
