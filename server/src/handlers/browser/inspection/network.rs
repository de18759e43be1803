//! The requests that the page made.

use std::borrow::Cow;

use browse_proto::{Reason, v1};

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_content::Sources;
use browse_secrets::redact;

/// Returns the requests of the page that the tab shows, oldest first, or of all
/// its pages.
pub async fn network(cx: &CallContext, request: v1::NetworkRequest) -> Result<v1::NetworkResponse> {
    let glob = request.filter.as_deref().map(glob::Pattern::new).transpose();
    let glob = glob.map_err(|error| {
        let message = format!("the filter is not a glob: {error}");
        Error::new(Reason::ArgumentInvalid, message).with("command", "network")
    })?;
    let tab = cx.tab();
    let since = if request.all { 0 } else { tab.document_start().1 };
    let ((entries, earlier), dropped) = (tab.network().since(since), tab.network().dropped());
    super::note_earlier(cx, earlier, "requests");
    let wanted = |url: &str| glob.as_ref().is_none_or(|glob| glob.matches(url));
    let requests = entries.into_iter().filter(|entry| wanted(&entry.summary.url));
    let requests: Vec<_> = requests.map(|entry| redact_entry(entry.summary)).collect();
    let mut sources = Sources::default();
    for request in &requests {
        sources.add_url(&request.url);
    }
    cx.set_sources(sources);
    Ok(v1::NetworkResponse { requests, dropped, earlier })
}

/// Answers one request.
pub async fn show_request(
    cx: &CallContext,
    request: v1::ShowRequestRequest,
) -> Result<v1::ShowRequestResponse> {
    let tab = cx.tab();
    let entry = tab.network().find(request.id).ok_or_else(|| request_not_found(request.id))?;
    set_source_url(cx, &entry.summary.url);
    Ok(v1::ShowRequestResponse { request: Some(redact_entry(entry.summary)) })
}

/// Answers the body that a request brought, while Chromium still has it.
pub async fn show_body(
    cx: &CallContext,
    request: v1::ShowBodyRequest,
) -> Result<v1::ShowBodyResponse> {
    let tab = cx.tab();
    let entry = tab.network().find(request.id).ok_or_else(|| request_not_found(request.id))?;
    set_source_url(cx, &entry.summary.url);
    let body = tab.page().response_body(&entry.request_id).await;
    let body = body.map_err(|fault| request_not_found(request.id).with("cause", fault))?;
    Ok(v1::ShowBodyResponse { body: body.text, base64: body.is_base64 })
}

/// Forgets the requests of the tab.
pub async fn clear_network(
    cx: &CallContext,
    _: v1::ClearNetworkRequest,
) -> Result<v1::ClearNetworkResponse> {
    Ok(v1::ClearNetworkResponse { removed: cx.tab().network().clear() })
}

/// The secrets of an address are nobody's to read in a list.
fn redact_entry(mut entry: v1::NetworkEntry) -> v1::NetworkEntry {
    if let Cow::Owned(bare) = redact(&entry.url) {
        entry.url = bare;
    }
    entry
}

/// Names the host that answered, which may be another than the page's.
fn set_source_url(cx: &CallContext, url: &str) {
    let mut sources = Sources::default();
    sources.add_url(url);
    cx.set_sources(sources);
}

fn request_not_found(id: u64) -> Error {
    let message = format!("request {id}, or its body, is not kept");
    Error::new(Reason::RequestNotFound, message).with("id", id)
}
