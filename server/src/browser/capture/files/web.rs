//! What lies on the web.

use browse_proto::Reason;
use url::{Host, Url};

use super::transfer::failed;
use crate::{
    chromium::{Answer, Stop, Visit, is_metadata_address},
    dispatch::Context,
    egress,
    error::{Error, Result},
};

/// Follows a visit to its answer. Each address on the way is checked, that of
/// a redirect too.
///
/// # Errors
/// An address is refused; the server does not answer, or with an error.
pub async fn answer(cx: &Context, visit: &mut Visit<'_>) -> Result<Answer> {
    loop {
        match visit.next().await? {
            Stop::Request(url) => {
                check(cx, &url).await?;
                visit.allow();
            }
            Stop::Answer(answer) if (200..300).contains(&answer.status) => return Ok(answer),
            Stop::Answer(answer) => {
                return Err(failed(&answer.url, &format!("HTTP {}", answer.status)));
            }
        }
    }
}

/// As for `goto`; a name that resolves to a metadata service is caught here,
/// because no document comes of it that would be.
async fn check(cx: &Context, text: &str) -> Result<()> {
    let url = Url::parse(text).map_err(|_| failed(text, "it leads to what is no address"))?;
    if !matches!(url.scheme(), "http" | "https") {
        let message = "only http and https addresses are downloaded";
        return Err(Error::new(Reason::UrlInvalid, message).quoting("url", text));
    }
    cx.check_address(&url)?;
    egress::check_hop(cx, &url)?;
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
pub fn referrer(cx: &Context, url: &Url) -> Option<String> {
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
pub fn size(answer: &Answer) -> Option<u64> {
    match answer.header("content-encoding") {
        None | Some("identity") => answer.header("content-length")?.trim().parse().ok(),
        Some(_) => None,
    }
}
