//! A session arrives in another browser.

use std::{collections::HashSet, sync::Arc, time::Duration};

use futures::future::join_all;
use tokio::time::timeout;

use super::session_migration::{SessionMigration, TabMigration};
use browse_base::Result;
use browse_chromium::{BrowserContext, DocumentSnapshot, Page};
use browse_sessions::{Session, Tab, TabId};

/// Time that a server gets to answer before the tab is left to load by itself.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(8);

/// Time that documents get to load, to be scrolled.
const LOAD_TIMEOUT: Duration = Duration::from_secs(4);

/// Time that the fields of a tab get to be filled in again.
const FILL_TIMEOUT: Duration = Duration::from_secs(6);

/// Time that databases get to be written before the pages open.
const DATABASES_TIMEOUT: Duration = Duration::from_secs(4);

/// Something that did not travel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationNotice {
    /// The tab that it is about.
    pub tab: TabId,
    /// What it is.
    pub text: String,
}

/// Moves `session` into `context`, whose page `first` is still empty, and
/// answers what did not come along.
///
/// # Errors
/// The browser is gone. The session has not moved then.
pub(super) async fn restore_session(
    session: &Arc<Session>,
    context: &BrowserContext,
    first: Option<Arc<Page>>,
    migration: &SessionMigration,
) -> Result<Vec<MigrationNotice>> {
    if let Some(cookies) = &migration.cookies {
        context.set_cookies(cookies).await?;
    }
    let mut first = first;
    let mut pairs = Vec::new();
    for migrated in &migration.tabs {
        let page = match first.take() {
            Some(page) => page,
            None => context.new_page().await?,
        };
        pairs.push((Arc::clone(&migrated.tab), page));
    }
    // Before the pages go anywhere, so that the tabs hear what they do.
    let tabs = session.move_to(context, &pairs, migration.active);
    if let Some(unused) = first {
        session.adopt(unused)?;
    }
    let problems = migration.databases.write_all(context, DATABASES_TIMEOUT).await;
    let mut notes = open_tabs(&tabs, &migration.tabs).await;
    if let Some(tab) = tabs.first() {
        notes.extend(problems.into_iter().map(|text| MigrationNotice { tab: tab.id(), text }));
    }
    if let Some(tab) = session.active() {
        let _ = tab.page().bring_to_front().await;
    }
    Ok(notes)
}

/// Opens what the tabs showed.
async fn open_tabs(tabs: &[Arc<Tab>], migrated_tabs: &[TabMigration]) -> Vec<MigrationNotice> {
    // Tabs of one origin share its localStorage: the first one brings it, and
    // what its page does with it counts for the others.
    let mut brought = HashSet::new();
    let seeds: Vec<Vec<DocumentSnapshot>> = migrated_tabs
        .iter()
        .map(|migrated| {
            let first = |one: &DocumentSnapshot| {
                let new = brought.insert((one.main, one.origin.clone()));
                DocumentSnapshot { local: one.local.clone().filter(|_| new), ..one.clone() }
            };
            migrated.storage.iter().map(first).collect()
        })
        .collect();
    let bring = |seeds: &[DocumentSnapshot]| seeds.iter().any(|one| one.local.is_some());
    let all = tabs.iter().zip(migrated_tabs).zip(&seeds);
    let (firsts, others): (Vec<_>, Vec<_>) = all.partition(|(_, seeds)| bring(seeds));
    let mut notes = Vec::new();
    for group in [firsts, others] {
        let opened =
            group.into_iter().map(|((tab, migrated), seeds)| open_tab(tab, migrated, seeds));
        notes.extend(join_all(opened).await.into_iter().flatten());
    }
    let typed = tabs.iter().zip(migrated_tabs).map(|(tab, migrated)| async move {
        if migrated.form_drafts.is_empty() {
            return None;
        }
        let missing =
            timeout(FILL_TIMEOUT, tab.engine().restore_drafts(&migrated.form_drafts)).await;
        let text = match missing {
            Ok(0) => return None,
            Ok(1) => "a field or file that was filled in is not as it was".to_owned(),
            Ok(missing) => {
                format!("{missing} fields or files that were filled in are not as they were")
            }
            Err(_) => "what was typed could not be filled in again in time".to_owned(),
        };
        Some(MigrationNotice { tab: tab.id(), text })
    });
    notes.extend(join_all(typed).await.into_iter().flatten());
    let scrolled = tabs.iter().zip(migrated_tabs).map(|(tab, migrated)| async move {
        let main = migrated.main_storage()?;
        timeout(LOAD_TIMEOUT, tab.page().restore_scroll(main.scroll)).await.ok()?.ok()
    });
    join_all(scrolled).await;
    notes.sort_by_key(|note| note.tab);
    notes
}

/// Opens in `tab` what it showed somewhere else.
async fn open_tab(
    tab: &Tab,
    migrated: &TabMigration,
    seeds: &[DocumentSnapshot],
) -> Option<MigrationNotice> {
    let note = |text: &str| Some(MigrationNotice { tab: tab.id(), text: text.to_owned() });
    let page = tab.page();
    migrated.tab.page().allowed_files().iter().for_each(|file| page.allow_file(file));
    let (scheme, _) = migrated.url.split_once(':').unwrap_or_default();
    let _loading = (migrated.url != "about:blank").then(|| tab.begin_reload());
    match scheme {
        "http" | "https" | "file" => {
            let opened =
                timeout(RESPONSE_TIMEOUT, page.open_with_storage(&migrated.url, seeds)).await;
            match opened {
                Ok(Ok(_)) if migrated.storage.is_empty() => {
                    note("the page did not answer; what it kept stayed behind")
                }
                Ok(Ok(_)) => None,
                Ok(Err(_)) => note("the page did not load again"),
                Err(_) => note("the server has not answered yet"),
            }
        }
        "about" => match migrated.main_storage().and_then(|main| main.html.as_ref()) {
            Some(html) => match timeout(RESPONSE_TIMEOUT, page.set_content(html)).await {
                Ok(Ok(_)) => None,
                _ => note("the document did not load again"),
            },
            None => None,
        },
        _ => note("its address cannot be opened in another browser"),
    }
}
