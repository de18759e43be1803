//! What lies on the web.

use browse_proto::Reason;
use url::{Host, Url};

use super::transfer::download_failed;
use crate::dispatch::{CallContext, egress};
use browse_base::{Error, Result};
use browse_chromium::{FetchResponseHead, FetchStep, TabFetch};
use browse_net::is_metadata_address;

/// Follows a visit to its answer. Each address on the way is checked, that of
/// a redirect too.
///
/// # Errors
/// An address is refused; the server does not answer, or with an error.
pub async fn follow_visit(cx: &CallContext, visit: &mut TabFetch<'_>) -> Result<FetchResponseHead> {
    loop {
        match visit.next().await? {
            FetchStep::Request(url) => {
                check_url(cx, &url).await?;
                visit.continue_request();
            }
            FetchStep::Response(answer) if (200..300).contains(&answer.status) => {
                return Ok(answer);
            }
            FetchStep::Response(answer) => {
                return Err(download_failed(&answer.url, &format!("HTTP {}", answer.status)));
            }
        }
    }
}

/// As for `goto`; a name that resolves to a metadata service is caught here,
/// because no document comes of it that would be.
async fn check_url(cx: &CallContext, text: &str) -> Result<()> {
    let url = Url::parse(text)
        .map_err(|_| download_failed(text, "it leads to what is not an address"))?;
    if !matches!(url.scheme(), "http" | "https") {
        let message = "only http and https addresses are downloaded";
        return Err(Error::new(Reason::UrlInvalid, message).with_quote("url", text));
    }
    cx.check_address(&url)?;
    egress::check_redirect(cx, &url)?;
    if let Some(Host::Domain(name)) = url.host() {
        let port = url.port_or_known_default().unwrap_or(443);
        // A name that is not known here may be known to the browser's proxy.
        let found = tokio::net::lookup_host((name, port)).await;
        if found.is_ok_and(|mut all| all.any(|address| is_metadata_address(address.ip()))) {
            let message = "the host leads to a metadata service, which is never opened";
            return Err(Error::new(Reason::AddressDenied, message).with("url", text));
        }
    }
    Ok(())
}

/// What the page would send as the referrer: its address for its own site, its
/// origin for others, nothing from a secure page to an insecure address.
pub fn referrer(cx: &CallContext, url: &Url) -> Option<String> {
    let mut page = Url::parse(&cx.page().url()).ok()?;
    if !matches!(page.scheme(), "http" | "https")
        || page.scheme() == "https" && url.scheme() == "http"
    {
        return None;
    }
    if page.origin() != url.origin() {
        return Some(format!("{}/", page.origin().ascii_serialization()));
    }
    page.set_fragment(None);
    // A page without credentials in its address cannot fail here.
    let _ = page.set_username("");
    let _ = page.set_password(None);
    Some(page.into())
}

/// The size of the body, unless it is packed on the way.
pub fn content_length(answer: &FetchResponseHead) -> Option<u64> {
    match answer.header("content-encoding") {
        None | Some("identity") => answer.header("content-length")?.trim().parse().ok(),
        Some(_) => None,
    }
}
