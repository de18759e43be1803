//! What a session holds now.

use std::time::Duration;

use tokio::time::timeout;
use url::Url;

use crate::{
    dispatch::CallContext,
    handlers::browser::cookies::CookieHostRules,
    session_state::{SavedOrigin, SavedTab, StateContents},
};
use browse_base::Result;
use browse_chromium::{DatabaseSnapshot, MAX_DATABASE_BYTES, OriginStorage};

/// Time that the databases of an origin get to be read: a page may hold one up.
const DATABASES_TIMEOUT: Duration = Duration::from_secs(5);

/// Gathers cookies, the local storage and the databases of every origin that the session has
/// shown, and the addresses of its tabs.
///
/// Storage is read in a hidden tab that asks no network, so tabs that hang
/// hold up nothing, and origins that are not open now are covered.
pub async fn gather_state(cx: &CallContext) -> Result<StateContents> {
    let admission = CookieHostRules::of(cx)?;
    let mut cookies = cx.page().cookies().all().await?;
    cookies.retain(|cookie| admission.allows(cookie));
    Ok(StateContents {
        cookies,
        origins: saved_origins(cx, &admission).await?,
        tabs: saved_tabs(cx)?,
    })
}

async fn saved_origins(cx: &CallContext, admission: &CookieHostRules) -> Result<Vec<SavedOrigin>> {
    let mut visited = cx.page().visited_origins();
    visited.retain(|origin| is_allowed(origin, admission));
    if visited.is_empty() {
        return Ok(Vec::new());
    }
    let browser = cx.browser().await?;
    let tab = browser.blank_tab(cx.page().context_id()).await?;
    let (mut origins, mut room) = (Vec::new(), MAX_DATABASE_BYTES);
    for origin in visited {
        let storage = match tab.open_origin(&origin).await {
            Ok(storage) => storage,
            // It cannot be shown, so it has nothing that pages could use.
            Err(
                browse_chromium::Error::HostDenied { .. }
                | browse_chromium::Error::NavigationFailed { .. },
            ) => {
                continue;
            }
            Err(fault) => return Err(fault.into()),
        };
        let items = storage.read().await?.unwrap_or_default();
        let databases = read_databases(&storage, room).await?;
        room = room.saturating_sub(databases.bytes());
        if !items.is_empty() || !databases.is_empty() {
            origins.push(SavedOrigin { origin, items, databases });
        }
    }
    Ok(origins)
}

async fn read_databases(storage: &OriginStorage, limit: usize) -> Result<DatabaseSnapshot> {
    match timeout(DATABASES_TIMEOUT, storage.read_databases(limit)).await {
        Ok(read) => Ok(read?),
        Err(_) => {
            let omitted = vec!["its databases, which did not answer in time".to_owned()];
            Ok(DatabaseSnapshot { omitted, ..DatabaseSnapshot::default() })
        }
    }
}

/// Whether the storage of an origin may be saved and loaded.
pub fn is_allowed(origin: &str, admission: &CookieHostRules) -> bool {
    let url = Url::parse(origin).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    let host = url.as_ref().and_then(Url::host_str);
    host.is_some_and(|host| admission.check(host).is_ok())
}

/// The pages of the web. What `load-html` wrote, files and blank pages have no
/// address that could be opened again.
fn saved_tabs(cx: &CallContext) -> Result<Vec<SavedTab>> {
    let session = cx.session()?;
    let active = session.active().map(|tab| tab.id());
    let tabs = session.tabs().into_iter().map(|tab| (tab.id(), tab.url()));
    let of_web = tabs.filter(|(_, url)| {
        Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
    });
    Ok(of_web.map(|(id, url)| SavedTab { active: active == Some(id), url }).collect())
}
