//! Deletes cookies by name.

use browse_proto::{Reason, v1};

use super::{admission::is_within, list, set};
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::Cookie;

/// Deletes the cookies of a name that the page would be sent, or those of a
/// host.
pub async fn delete_cookie(
    cx: &CallContext,
    request: v1::DeleteCookieRequest,
) -> Result<v1::DeleteCookieResponse> {
    let named = request.domain.as_deref().map(|text| list::parse_host(text, cx)).transpose()?;
    let host = named.clone().map_or_else(|| set::page_host(cx), Ok)?;
    set::ensure_host_allowed(cx, &host)?;
    let meant = |cookie: &Cookie| {
        let of_host = match named {
            Some(_) => cookie.host() == host,
            None if cookie.is_host_only() => cookie.host() == host,
            None => is_within(&host, cookie.host()),
        };
        let of_path = request.path.as_ref().is_none_or(|path| *path == cookie.path);
        cookie.name == request.name && of_host && of_path
    };
    let jar = cx.page().cookies();
    let meant: Vec<_> = jar.all().await?.into_iter().filter(meant).collect();
    if meant.is_empty() {
        let message = format!("`{host}` has no cookie `{}`", browse_base::quote(&request.name));
        return Err(Error::new(Reason::CookieNotFound, message));
    }
    for cookie in &meant {
        jar.remove(cookie).await?;
    }
    Ok(v1::DeleteCookieResponse { removed: u32::try_from(meant.len()).unwrap_or(u32::MAX) })
}
