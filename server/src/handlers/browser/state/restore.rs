//! Brings a session to what was saved.

use std::{collections::HashSet, sync::Arc, time::Duration};

use browse_proto::{Reason, v1};
use futures::future::join_all;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::gather::is_allowed;
use crate::{
    dispatch::CallContext,
    handlers::browser::{
        cookies::{CookieHostRules, CookieImport},
        navigation,
    },
    session_state::{SavedOrigin, SavedTab, StateContents, StateCounts, count_noun},
};
use browse_base::{Error, Result, quote};
use browse_chromium::{Page, StorageWriteOutcome};
use browse_sessions::Tab;

/// Time that the saved pages get to load; they go on loading by themselves.
const LOAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Pages that are opened at once.
const MAX_TABS: usize = 50;

/// What came of the storage of origins.
#[derive(Default)]
struct RestoredStorage {
    origins: u32,
    databases: u32,
    problems: Vec<String>,
}

/// Puts cookies, local storage and databases in place before it opens a page.
pub async fn restore(
    cx: &CallContext,
    contents: StateContents,
    request: &v1::LoadStateRequest,
) -> Result<v1::LoadStateResponse> {
    let session = cx.session()?;
    if request.replace && session.is_attached() {
        let message = "`--replace` would sign the person of this browser out";
        return Err(Error::new(Reason::ForeignBrowser, message));
    }
    let admission = CookieHostRules::of(cx)?;
    let replaces_tabs = request.replace && !request.no_tabs;
    let (page, blank) = match session.active().filter(|_| !replaces_tabs) {
        Some(tab) => (Arc::clone(tab.page()), None),
        None => {
            let former = session.tabs();
            let tab = session.open_tab(cx.client()).await?;
            // First of all: a page that stays open writes to its storage again.
            for tab in former.iter().filter(|tab| cx.check_tab(tab).is_ok()) {
                session.close_tab(tab.id()).await?;
            }
            (Arc::clone(tab.page()), Some(tab))
        }
    };
    let jar = page.cookies();
    if request.replace {
        jar.clear().await?;
    }
    let mut intake = CookieImport::default();
    contents.cookies.into_iter().for_each(|cookie| intake.add(cookie, &admission));
    intake.store(&jar).await?;
    let restored =
        restore_origins(cx, &page, contents.origins, &admission, request.replace).await?;
    let tabs = if request.no_tabs { Vec::new() } else { contents.tabs };
    let (opened, unopened) = open_saved_tabs(cx, tabs, blank).await?;

    let mut problems = intake.problems().to_vec();
    problems.extend(restored.problems.into_iter().chain(unopened));
    let counts = StateCounts {
        cookies: intake.imported_count(),
        origins: restored.origins,
        databases: restored.databases,
        tabs: opened,
    };
    let first = format!("loaded {}: {counts}", request.name);
    let left_out = (intake.skipped_count() > 0)
        .then(|| format!("{} left out", count_noun(intake.skipped_count(), "cookie")));
    let lines = [first].into_iter().chain(left_out);
    Ok(v1::LoadStateResponse {
        summary: lines.collect::<Vec<_>>().join("\n"),
        cookies: intake.imported_count(),
        dropped: intake.skipped_count(),
        origins: restored.origins,
        databases: restored.databases,
        tabs: opened,
        problems,
    })
}

/// Puts what of `contents` belongs to the hosts that `fits` into the browsing
/// context of `page`: cookies, local storage and databases, no tabs.
///
/// # Errors
/// The browser fails.
pub async fn restore_into_page(
    cx: &CallContext,
    page: &Page,
    contents: &StateContents,
    fits: impl Fn(&str) -> bool,
) -> Result<()> {
    // A cookie of a domain goes to the hosts below it as well.
    let cookies = contents.cookies.iter().filter(|cookie| fits(cookie.host()));
    page.cookies().set(&cookies.cloned().collect::<Vec<_>>()).await?;
    let host = |origin: &str| Some(Url::parse(origin).ok()?.host_str()?.to_owned());
    let own = |origin: &&SavedOrigin| host(&origin.origin).is_some_and(|host| fits(&host));
    let own: Vec<&SavedOrigin> = contents.origins.iter().filter(own).collect();
    if own.is_empty() {
        return Ok(());
    }
    let browser = cx.browser().await?;
    let tab = browser.blank_tab(page.context_id()).await?;
    for SavedOrigin { origin, items, databases } in own {
        if let Ok(storage) = tab.open_origin(origin).await {
            storage.write(items, false).await?;
            if let Some(packed) = &databases.packed {
                storage.write_databases(packed, false).await?;
            }
        }
    }
    Ok(())
}

async fn restore_origins(
    cx: &CallContext,
    page: &Page,
    mut saved: Vec<SavedOrigin>,
    admission: &CookieHostRules,
    replace: bool,
) -> Result<RestoredStorage> {
    let mut restored = RestoredStorage::default();
    saved.retain(|origin| {
        let allowed = is_allowed(&origin.origin, admission);
        if !allowed {
            restored
                .problems
                .push(format!("{}: its storage is not allowed", quote(&origin.origin)));
        }
        allowed
    });
    if replace {
        let known: HashSet<_> = saved.iter().map(|origin| origin.origin.clone()).collect();
        let others = page.visited_origins().into_iter().filter(|origin| !known.contains(origin));
        saved.extend(others.map(|origin| SavedOrigin { origin, ..SavedOrigin::default() }));
    }
    if saved.is_empty() {
        return Ok(restored);
    }
    let browser = cx.browser().await?;
    let tab = browser.blank_tab(page.context_id()).await?;
    for SavedOrigin { origin, items, databases } in saved {
        let storage = match tab.open_origin(&origin).await {
            Ok(storage) => storage,
            Err(
                browse_chromium::Error::HostDenied { .. }
                | browse_chromium::Error::NavigationFailed { .. },
            ) => {
                restored.problems.push(format!("{origin}: its storage cannot be reached"));
                continue;
            }
            Err(fault) => return Err(fault.into()),
        };
        match storage.write(&items, replace).await? {
            Some(StorageWriteOutcome::Complete) if items.is_empty() => {}
            Some(StorageWriteOutcome::Complete) => restored.origins += 1,
            Some(StorageWriteOutcome::QuotaExceeded) => {
                restored.problems.push(format!("{origin}: its storage is full, some is missing"));
            }
            None => {
                restored.problems.push(format!("{origin}: it has no storage"));
                continue;
            }
        }
        let written = match &databases.packed {
            Some(packed) => storage.write_databases(packed, replace).await?,
            None if replace => storage.clear_databases().await?,
            None => continue,
        };
        restored.databases += written.databases;
        if written.databases > 0 && items.is_empty() {
            restored.origins += 1;
        }
        let problems = written.problems.into_iter();
        restored.problems.extend(problems.map(|problem| format!("{origin}: {problem}")));
    }
    Ok(restored)
}

/// Opens the saved pages, the first in `blank` when there is one. A page that
/// does not load in time goes on loading; one that cannot be opened is reported.
async fn open_saved_tabs(
    cx: &CallContext,
    saved: Vec<SavedTab>,
    mut blank: Option<Arc<Tab>>,
) -> Result<(u32, Vec<String>)> {
    let session = cx.session()?;
    let mut problems = Vec::new();
    if saved.len() > MAX_TABS {
        problems.push(format!("{} pages are not opened", saved.len() - MAX_TABS));
    }
    let mut tabs = Vec::new();
    for SavedTab { url, active } in saved.into_iter().take(MAX_TABS) {
        let parsed = Url::parse(&url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some(parsed) = parsed else { continue };
        if let Err(error) = cx.check_address(&parsed) {
            problems.push(error.to_string());
            continue;
        }
        let tab = match blank.take() {
            Some(tab) => tab,
            None => session.open_tab(cx.client()).await?,
        };
        tabs.push((tab, parsed, active));
    }
    // What is left has to be reported in time.
    let limit = (Instant::now() + LOAD_TIMEOUT).min(cx.deadline() - Duration::from_millis(200));
    let loads = tabs.iter().map(|(tab, url, _)| {
        timeout_at(limit, navigation::navigate(tab, url.as_str(), v1::WaitUntil::Unspecified))
    });
    let mut opened = 0;
    for ((tab, url, _), outcome) in tabs.iter().zip(join_all(loads).await) {
        match outcome {
            Ok(Err(error)) if error.reason() == Reason::BrowserGone => return Err(error),
            Ok(Err(error)) => {
                let host = url.host_str().unwrap_or_default();
                problems
                    .push(format!("a page of {host} is not open: {}", redacted_message(&error)));
                if session.tabs().len() > 1 {
                    session.close_tab(tab.id()).await?;
                }
            }
            Ok(Ok(_)) | Err(_) => opened += 1,
        }
    }
    let active = tabs.iter().find(|(tab, _, active)| *active && session.tab(tab.id()).is_ok());
    if let Some((tab, ..)) = active {
        session.activate(tab.id())?;
    }
    Ok((opened, problems))
}

/// What is wrong, without the address: its query may be a secret.
fn redacted_message(error: &Error) -> String {
    browse_secrets::redact(&error.to_string()).into_owned()
}
