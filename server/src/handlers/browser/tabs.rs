//! Tabs: which there are, which one commands go to.

use std::{sync::Arc, time::Duration};

use browse_proto::{Reason, Scope, v1};
use tokio::time::timeout;

use super::{attached, capture::downloads, navigation};
use crate::{
    address,
    dispatch::{CallContext, arrivals, dialog},
};
use browse_base::{Error, Result};
use browse_content::Sources;
use browse_sessions::{Session, Tab, TabId};

/// Time that the browser gets to answer the title of a tab; the list has none after that.
const TITLE_TIMEOUT: Duration = Duration::from_secs(2);

/// Lists the tabs of the session, without asking the pages.
pub async fn list_tabs(cx: &CallContext, _: v1::ListTabsRequest) -> Result<v1::ListTabsResponse> {
    let session = cx.session()?;
    // No page holds this up, only a window that is being opened or closed.
    session.wait_until_settled().await;
    let active = session.active().map(|tab| tab.id());
    let tabs = session.tabs();
    // The browser process knows them, also while a page hangs. Its answer is late where a page
    // floods it: this list is how such a tab is found.
    let title = |tab: &Arc<Tab>| {
        let tab = Arc::clone(tab);
        async move { timeout(TITLE_TIMEOUT, tab.page().title()).await.ok()?.ok() }
    };
    let titles = futures::future::join_all(tabs.iter().map(title)).await;
    let describe = |(tab, title): (&Arc<Tab>, Option<String>)| v1::Tab {
        id: tab.id(),
        active: active == Some(tab.id()),
        url: tab.url(),
        title: title.unwrap_or_default(),
        owner: tab.owner().to_string(),
        state: tab.state().to_string(),
    };
    let mut sources = Sources::default();
    for tab in &tabs {
        sources.add_url(&tab.url());
    }
    cx.set_sources(sources);
    Ok(v1::ListTabsResponse { tabs: tabs.iter().zip(titles).map(describe).collect() })
}

/// Makes a tab the one that commands go to.
pub async fn activate_tab(
    cx: &CallContext,
    request: v1::ActivateTabRequest,
) -> Result<v1::ActivateTabResponse> {
    let session = cx.session()?;
    cx.check_tab(&*session.tab(request.id)?)?;
    let tab = session.activate(request.id)?;
    Ok(v1::ActivateTabResponse { url: tab.url() })
}

/// Takes a tab that the person of the browser has open.
pub async fn adopt_tab(
    cx: &CallContext,
    request: v1::AdoptTabRequest,
) -> Result<v1::AdoptTabResponse> {
    let tab = attached::adopt_tab(cx, &request.address).await?;
    cx.session()?.activate(tab.id())?;
    Ok(v1::AdoptTabResponse { tab_id: tab.id(), url: tab.url() })
}

/// Opens a tab and makes it the active one.
///
/// The tab is closed again when its address cannot be opened.
pub async fn new_tab(cx: &CallContext, request: v1::NewTabRequest) -> Result<v1::NewTabResponse> {
    let url = request.url.as_deref().map(|url| address::parse(url, &cx.url_requester()));
    let url = url.transpose()?;
    if let Some(url) = &url {
        cx.check_address(url)?;
    }
    let session = cx.session()?;
    let guest = cx.is_guest_in(&session);
    let tab = match guest {
        true => session.open_background_tab(cx.client()).await?,
        false => session.open_tab(cx.client()).await?,
    };
    if let Some(url) = &url {
        let opened = tokio::select! {
            biased;
            opened = navigation::navigate(&tab, url.as_str(), v1::WaitUntil::Unspecified) => opened,
            dialog = tab.page().wait_open_dialog() => {
                let open = dialog::BlockingDialog { tab: Arc::clone(&tab), dialog };
                // It stays, for the answer.
                return Err(dialog::blocked_error(cx, &open));
            }
        };
        if let Err(error) = opened {
            let error = downloads::explain_navigation_download(cx, &tab, error).await;
            session.close_tab(tab.id()).await?;
            return Err(error);
        }
    }
    if !guest {
        session.activate(tab.id())?;
    }
    // Who cannot read notes does not use them.
    if cx.capability().scopes.allows(Scope::Meta) {
        cx.daemon().notes().record_visit(&tab);
    }
    let url = tab.page().url();
    let suggested_skills = arrivals::suggestions_for(cx, &tab);
    Ok(v1::NewTabResponse {
        tab_id: tab.id(),
        url: navigation::url_for_caller(cx, url),
        suggested_skills,
    })
}

/// Closes a tab; works while its page hangs.
pub async fn close_tab(
    cx: &CallContext,
    request: v1::CloseTabRequest,
) -> Result<v1::CloseTabResponse> {
    let session = cx.session()?;
    let id = request.id.or(cx.requested_tab()).or_else(|| default_tab_id(cx, &session));
    let id = id.ok_or_else(|| Error::new(Reason::TabNotFound, "the session has no tab"))?;
    let tab = session.tab(id)?;
    cx.check_tab(&tab)?;
    let active = session.close_tab(id).await?;
    if let Some(words) = tab.unreported_dialogs().take_questions() {
        cx.add_notice(&words);
    }
    Ok(v1::CloseTabResponse { closed: id, active })
}

/// The tab that a caller means who names none.
fn default_tab_id(cx: &CallContext, session: &Session) -> Option<TabId> {
    let own = |tab: &Arc<Tab>| cx.check_tab(tab).is_ok();
    let active = session.active().filter(own);
    let tab = active.or_else(|| session.tabs().into_iter().rfind(own));
    tab.map(|tab| tab.id())
}
