//! The requests that the page made.

use std::borrow::Cow;

use browse_proto::{Reason, v1};

use crate::{
    content::Sources,
    dispatch::Context,
    error::{Error, Result},
    secrets::redact,
};

/// Returns the requests of the page that the tab shows, oldest first, or of all
/// its pages.
pub async fn network(cx: &Context, request: v1::NetworkRequest) -> Result<v1::NetworkResponse> {
    let glob = request.filter.as_deref().map(glob::Pattern::new).transpose();
    let glob = glob.map_err(|error| {
        let message = format!("the filter is no glob: {error}");
        Error::new(Reason::ArgumentInvalid, message).with("command", "network")
    })?;
    let tab = cx.tab();
    let since = if request.all { 0 } else { tab.document_begins().1 };
    let ((entries, earlier), dropped) = (tab.network().since(since), tab.network().dropped());
    super::say_earlier(cx, earlier, "requests");
    let wanted = |url: &str| glob.as_ref().is_none_or(|glob| glob.matches(url));
    let requests = entries.into_iter().filter(|entry| wanted(&entry.summary.url));
    let requests: Vec<_> = requests.map(|entry| without_secrets(entry.summary)).collect();
    let mut sources = Sources::default();
    for request in &requests {
        sources.add_url(&request.url);
    }
    cx.set_sources(sources);
    Ok(v1::NetworkResponse { requests, dropped, earlier })
}

/// Answers one request.
pub async fn show_request(
    cx: &Context,
    request: v1::ShowRequestRequest,
) -> Result<v1::ShowRequestResponse> {
    let tab = cx.tab();
    let entry = tab.network().find(request.id).ok_or_else(|| unknown(request.id))?;
    came_from(cx, &entry.summary.url);
    Ok(v1::ShowRequestResponse { request: Some(without_secrets(entry.summary)) })
}

/// Answers the body that a request brought, while Chromium still has it.
pub async fn show_body(cx: &Context, request: v1::ShowBodyRequest) -> Result<v1::ShowBodyResponse> {
    let tab = cx.tab();
    let entry = tab.network().find(request.id).ok_or_else(|| unknown(request.id))?;
    came_from(cx, &entry.summary.url);
    let body = tab.page().response_body(&entry.key).await;
    let body = body.map_err(|fault| unknown(request.id).with("cause", fault))?;
    Ok(v1::ShowBodyResponse { body: body.text, base64: body.is_base64 })
}

/// Forgets the requests of the tab.
pub async fn clear_network(
    cx: &Context,
    _: v1::ClearNetworkRequest,
) -> Result<v1::ClearNetworkResponse> {
    Ok(v1::ClearNetworkResponse { removed: cx.tab().network().clear() })
}

/// The secrets of an address are nobody's to read in a list.
fn without_secrets(mut entry: v1::NetworkEntry) -> v1::NetworkEntry {
    if let Cow::Owned(bare) = redact(&entry.url) {
        entry.url = bare;
    }
    entry
}

/// Names the host that answered, which may be another than the page's.
fn came_from(cx: &Context, url: &str) {
    let mut sources = Sources::default();
    sources.add_url(url);
    cx.set_sources(sources);
}

fn unknown(id: u64) -> Error {
    let message = format!("request {id}, or its body, is not kept");
    Error::new(Reason::RequestNotFound, message).with("id", id)
}
