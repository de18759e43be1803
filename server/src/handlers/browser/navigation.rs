//! Navigation: where the tab goes.

use std::time::Duration;

use browse_proto::{Reason, v1};

use super::capture::downloads;
pub use super::{frame::frame, wait::wait};
use crate::{
    address,
    dispatch::{CallContext, arrivals, egress},
};
use browse_base::{Error, Result};
use browse_chromium::{EvaluateOptions, LoadState, Navigated, Page, navigation_error};
use browse_policy::Delivery;
use browse_sessions::{PendingReload, Tab};

/// Time that a page gets to tell its title.
const TITLE_TIMEOUT: Duration = Duration::from_millis(100);

/// Bytes of a title that the browser has not cut: it keeps 4,096 characters.
const MAX_UNTRUNCATED_TITLE_BYTES: usize = 4_096;

/// Opens an address in the tab.
pub async fn goto(cx: &CallContext, request: v1::GotoRequest) -> Result<v1::GotoResponse> {
    let url = address::parse(&request.url, &cx.url_requester())?;
    cx.check_address(&url)?;
    let tab = cx.tab();
    let _turn = tab.acquire_navigation_lock(cx.deadline()).await;
    let went = match navigate(tab, url.as_str(), request.wait()).await {
        Ok(went) => went,
        Err(error) => return Err(downloads::explain_navigation_download(cx, tab, error).await),
    };
    let page = tab.page();
    let is_new = matches!(went, Navigated::Document(_)) && load_state(request.wait()).is_some();
    let title = if is_new { title_after_load(page).await } else { title(page).await };
    let url = page.url();
    Ok(v1::GotoResponse {
        status: response_status(page),
        suggested_skills: arrivals::suggestions_for(cx, tab),
        url: url_for_caller(cx, url),
        title,
    })
}

/// Loads HTML text, at about:blank, so that it runs with nobody's origin.
pub async fn load_html(
    cx: &CallContext,
    request: v1::LoadHtmlRequest,
) -> Result<v1::LoadHtmlResponse> {
    let limit = cx.settings().max_html_bytes;
    if request.html.len() > limit {
        let message = format!("the document has {} bytes", request.html.len());
        return Err(Error::new(Reason::TooLarge, message).with("limit", format!("{limit} bytes")));
    }
    let tab = cx.tab();
    let _turn = tab.acquire_navigation_lock(cx.deadline()).await;
    let _left = tab.begin_reload();
    let loader = tab.page().set_content(&request.html).await?;
    if let Some(milestone) = load_state(request.wait()) {
        tab.page().wait_for(&loader, milestone).await?;
    }
    tab.engine().schedule_preinject();
    Ok(v1::LoadHtmlResponse { title: title(tab.page()).await })
}

/// Goes back in history.
pub async fn back(cx: &CallContext, request: v1::BackRequest) -> Result<v1::BackResponse> {
    let tab = cx.tab();
    let _turn = tab.acquire_navigation_lock(cx.deadline()).await;
    let went = tab.page().back().await?;
    let Arrival { status, url, title } = finish_navigation(tab, went, request.wait()).await?;
    Ok(v1::BackResponse { status, url: url_for_caller(cx, url), title })
}

/// Goes forward in history.
pub async fn forward(cx: &CallContext, request: v1::ForwardRequest) -> Result<v1::ForwardResponse> {
    let tab = cx.tab();
    let _turn = tab.acquire_navigation_lock(cx.deadline()).await;
    let went = tab.page().forward().await?;
    let Arrival { status, url, title } = finish_navigation(tab, went, request.wait()).await?;
    Ok(v1::ForwardResponse { status, url: url_for_caller(cx, url), title })
}

/// Loads the page again; revives a tab that crashed.
pub async fn reload(cx: &CallContext, request: v1::ReloadRequest) -> Result<v1::ReloadResponse> {
    let tab = cx.tab();
    let _turn = tab.acquire_navigation_lock(cx.deadline()).await;
    let went = match tab.pending_reload() {
        Some(remains) => reload_pending(cx, &remains).await?,
        None => tab.page().reload().await?,
    };
    let Arrival { status, url, title } = finish_navigation(tab, went, request.wait()).await?;
    Ok(v1::ReloadResponse { status, url: url_for_caller(cx, url), title })
}

/// Loads the address of a tab whose browser ended.
async fn reload_pending(cx: &CallContext, remains: &PendingReload) -> Result<Navigated> {
    if let Ok(url) = url::Url::parse(&remains.url)
        && matches!(url.scheme(), "http" | "https")
    {
        cx.check_address(&url)?;
    }
    Ok(cx.tab().reload_pending(remains).await?.unwrap_or(Navigated::SameDocument))
}

/// Ends what is loading; works while a server does not answer.
pub async fn stop_loading(
    cx: &CallContext,
    _: v1::StopLoadingRequest,
) -> Result<v1::StopLoadingResponse> {
    cx.page().stop_loading().await?;
    Ok(v1::StopLoadingResponse { url: url_for_caller(cx, cx.page().url()) })
}

/// Answers the address of the tab, without asking the page.
pub async fn get_url(cx: &CallContext, _: v1::GetUrlRequest) -> Result<v1::GetUrlResponse> {
    let url = cx.tab().url();
    egress::record_value(cx, &url);
    if cx.delivery() == Delivery::Raw {
        return Ok(v1::GetUrlResponse { url });
    }
    if url.len() > address::MAX_SHOWN_URL_BYTES {
        cx.add_notice(&format!("the address has {} bytes; `--raw` shows all of it", url.len()));
    }
    Ok(v1::GetUrlResponse { url: address::to_visible_ascii(&url) })
}

/// An address for a receipt, outside of the envelope.
pub fn url_for_caller(cx: &CallContext, url: String) -> String {
    match cx.delivery() {
        Delivery::Raw => url,
        Delivery::Guarded => address::to_visible_ascii(&cx.redact_for_caller(url)),
    }
}

/// Opens `url` in `tab`, and waits as requested.
pub async fn navigate(tab: &Tab, url: &str, wait: v1::WaitUntil) -> Result<Navigated> {
    // `address` has checked the path; the guard refuses every other file.
    if url.starts_with("file:") {
        tab.page().allow_file(url);
    }
    tab.action_times().begin_navigation(tab.page());
    let _left = tab.begin_reload();
    let went = tab.page().navigate(url).await.map_err(|fault| navigation_error(fault, url))?;
    wait_until(tab, &went, wait).await?;
    tab.clear_hung();
    Ok(went)
}

/// Where a navigation ended.
struct Arrival {
    status: Option<u32>,
    url: String,
    title: String,
}

impl Arrival {
    async fn read(page: &Page) -> Self {
        Self { status: response_status(page), url: page.url(), title: title(page).await }
    }
}

/// What its server answered.
fn response_status(page: &Page) -> Option<u32> {
    let status = page.main_response().map(|response| u32::from(response.status));
    status.filter(|status| *status != 0)
}

/// The title as the document has it now. The page is asked; for one that is too
/// busy to answer the browser knows what it was last.
pub async fn title(page: &Page) -> String {
    let asked = async {
        let options = EvaluateOptions { user_gesture: false, ..EvaluateOptions::default() };
        let frame = page.main_frame().id;
        page.evaluate(&frame, "document.title", options)?.await
    };
    match tokio::time::timeout(TITLE_TIMEOUT, asked).await {
        Ok(Ok(serde_json::Value::String(title))) => title,
        _ => page.title().await.unwrap_or_default(),
    }
}

/// The title of a document that was just loaded. The browser is asked: it hears of
/// a title before it tells of a milestone, and answers while the page is still busy
/// with its first picture, which took up to 30 ms. What it may have made up or cut,
/// the page is asked for.
async fn title_after_load(page: &Page) -> String {
    match page.title().await {
        Ok(title) if is_document_title(&title, &page.url()) => title,
        _ => title(page).await,
    }
}

/// Whether a title that the browser reported is the document's, and whole. It calls a
/// document without one by its address, decoded and without the scheme, or by the
/// name of its file.
fn is_document_title(title: &str, url: &str) -> bool {
    let Ok(url) = url::Url::parse(url) else { return false };
    let Some(host) = url.host_str() else { return false };
    let bare = host.trim_start_matches("www.");
    let is_web = matches!(url.scheme(), "http" | "https");
    // An address in letters of other scripts is shown in them.
    let is_shown_as_written = !host.contains("xn--");
    let names_address = title.trim_start_matches("www.").starts_with(bare) || title.contains("://");
    let is_whole = !title.is_empty() && title.len() < MAX_UNTRUNCATED_TITLE_BYTES;
    is_web && is_shown_as_written && is_whole && !names_address
}

async fn finish_navigation(tab: &Tab, went: Navigated, wait: v1::WaitUntil) -> Result<Arrival> {
    wait_until(tab, &went, wait).await?;
    Ok(Arrival::read(tab.page()).await)
}

async fn wait_until(tab: &Tab, went: &Navigated, wait: v1::WaitUntil) -> Result<()> {
    let page = tab.page();
    match went {
        Navigated::Document(loader) => {
            if let Some(milestone) = load_state(wait) {
                page.wait_for(loader, milestone).await?;
            }
        }
        Navigated::SameDocument => {}
        Navigated::Download => {
            let message = "the server sent a file in place of a page";
            return Err(Error::new(Reason::NavigationDownload, message));
        }
    }
    tab.engine().schedule_preinject();
    Ok(())
}

fn load_state(wait: v1::WaitUntil) -> Option<LoadState> {
    match wait {
        v1::WaitUntil::Unspecified | v1::WaitUntil::Load => Some(LoadState::Load),
        v1::WaitUntil::Domcontentloaded => Some(LoadState::DomContentLoaded),
        v1::WaitUntil::Networkidle => Some(LoadState::NetworkIdle),
        v1::WaitUntil::None => None,
    }
}
