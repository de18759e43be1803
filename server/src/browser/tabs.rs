//! Tabs: which there are, which one commands go to.

use browse_proto::v1;

use super::{address, navigation};
use crate::{
    dispatch::Context,
    error::Result,
    sessions::{Tab, TabState},
};

/// Lists the tabs of the session, without asking the pages.
pub async fn list_tabs(cx: &Context, _: v1::ListTabsRequest) -> Result<v1::ListTabsResponse> {
    let session = cx.session().await?;
    let active = session.active();
    let describe = |tab: &std::sync::Arc<Tab>| v1::Tab {
        id: tab.id,
        active: active == Some(tab.id),
        url: tab.page().url(),
        title: tab.page().title(),
        owner: tab.owner.clone(),
        state: state(tab).to_owned(),
    };
    Ok(v1::ListTabsResponse { tabs: session.tabs().iter().map(describe).collect() })
}

fn state(tab: &Tab) -> &'static str {
    match tab.state() {
        TabState::Idle => "idle",
        TabState::Loading => "loading",
        TabState::Hung => "hung",
        TabState::Crashed => "crashed",
    }
}

/// Makes a tab the one that commands go to.
pub async fn activate_tab(
    cx: &Context,
    request: v1::ActivateTabRequest,
) -> Result<v1::ActivateTabResponse> {
    let tab = cx.session().await?.activate(request.id)?;
    Ok(v1::ActivateTabResponse { url: tab.page().url() })
}

/// Opens a tab and makes it the active one.
///
/// The tab is closed again when its address cannot be opened.
pub async fn new_tab(cx: &Context, request: v1::NewTabRequest) -> Result<v1::NewTabResponse> {
    let url = request.url.as_deref().map(|url| address::parse(url, &navigation::asker(cx)));
    let url = url.transpose()?;
    if let Some(url) = &url {
        cx.check_address(url)?;
    }
    let session = cx.session().await?;
    let tab = session.open(cx.client()).await?;
    if let Some(url) = &url
        && let Err(error) =
            navigation::open(&tab, url.as_str(), v1::WaitUntil::Unspecified).await
    {
        session.close(tab.id).await?;
        return Err(error);
    }
    session.activate(tab.id)?;
    let url = tab.page().url();
    let suggested_skills = navigation::suggest(cx, &url);
    Ok(v1::NewTabResponse { tab_id: tab.id, url, suggested_skills })
}

/// Closes a tab; works while its page hangs.
pub async fn close_tab(cx: &Context, request: v1::CloseTabRequest) -> Result<v1::CloseTabResponse> {
    let session = cx.session().await?;
    let id = match request.id {
        Some(id) => id,
        None => cx.tab_id().await?,
    };
    session.close(id).await?;
    Ok(v1::CloseTabResponse { closed: id, active: session.active() })
}
