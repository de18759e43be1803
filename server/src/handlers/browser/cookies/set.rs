//! Sets one cookie.

use browse_proto::{Reason, v1};
use url::Url;

use super::{CookieHostRules, admission, timestamps};
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::{Cookie, SameSite, unix_seconds};

/// Bytes that name and value may have together; browsers take no more.
pub const MAX_COOKIE_BYTES: usize = 4096;

/// Sets a cookie, and makes sure that the browser has taken it.
pub async fn set_cookie(
    cx: &CallContext,
    request: v1::SetCookieRequest,
) -> Result<v1::SetCookieResponse> {
    let same_site = match request.same_site() {
        v1::SameSite::Unspecified => None,
        v1::SameSite::Strict => Some(SameSite::Strict),
        v1::SameSite::Lax => Some(SameSite::Lax),
        v1::SameSite::None => Some(SameSite::None),
    };
    let expires = request.expires.as_deref().map(|text| parse_expiry(cx, text)).transpose()?;
    // What was given may be a value alone: it is not repeated.
    let pair = request.cookie.split_once('=');
    let (name, value) = pair.ok_or_else(|| invalid(cx, "there is no `=` after the name"))?;
    let domain = match &request.domain {
        Some(text) => admission::normalize_domain(&format!(".{}", text.trim_start_matches('.')))
            .ok_or_else(|| invalid(cx, &format!("`{}` is not a host", text.escape_debug())))?,
        None => page_host(cx)?,
    };
    let cookie = Cookie {
        name: name.trim().to_owned(),
        value: value.trim().to_owned(),
        domain,
        path: request.path.unwrap_or_else(|| "/".to_owned()),
        expires,
        secure: request.secure,
        http_only: request.http_only,
        same_site,
        partition_key: None,
    };
    cookie_problem(&cookie).map_or(Ok(()), |fault| Err(invalid(cx, fault)))?;
    ensure_host_allowed(cx, cookie.host())?;
    let jar = cx.page().cookies();
    jar.set(std::slice::from_ref(&cookie)).await?;
    let kept = jar.all().await?;
    if !kept.iter().any(|kept| kept.key() == cookie.key() && kept.value == cookie.value) {
        let message =
            format!("the browser does not take a cookie like this for `{}`", cookie.domain);
        return Err(Error::new(Reason::CookieRefused, message));
    }
    Ok(v1::SetCookieResponse { name: cookie.name, domain: cookie.domain, path: cookie.path })
}

/// The host of the page.
pub fn page_host(cx: &CallContext) -> Result<String> {
    let url = Url::parse(&cx.page().url()).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    let host = url.as_ref().and_then(Url::host_str).and_then(admission::normalize_domain);
    host.ok_or_else(|| Error::new(Reason::NoSite, "the tab shows no site, so no host is meant"))
}

/// Checks that the caller may have to do with cookies of `host`.
pub fn ensure_host_allowed(cx: &CallContext, host: &str) -> Result<()> {
    CookieHostRules::of(cx)?.check(host).map_err(|why| {
        let message = format!("`{host}` gets no cookies: {why}");
        Error::new(Reason::AddressDenied, message).with("url", host)
    })
}

/// What is wrong with a cookie on the face of it.
pub fn cookie_problem(cookie: &Cookie) -> Option<&'static str> {
    let control = |text: &str| text.chars().any(char::is_control);
    if cookie.name.is_empty() {
        Some("the name is missing")
    } else if control(&cookie.name) || cookie.name.contains([';', '=']) {
        Some("the name holds a character that names cannot have")
    } else if control(&cookie.value) || cookie.value.contains(';') {
        Some("the value holds a character that values cannot have")
    } else if cookie.name.len() + cookie.value.len() > MAX_COOKIE_BYTES {
        Some("name and value have more than 4096 bytes")
    } else if !cookie.path.starts_with('/') || control(&cookie.path) || cookie.path.contains(';') {
        Some("the path does not begin with `/`, or holds a character that paths cannot have")
    } else {
        None
    }
}

fn parse_expiry(cx: &CallContext, text: &str) -> Result<f64> {
    let forms = "give `2030-01-31T12:00:00Z`, `30d`, or seconds since the epoch";
    let shown = text.escape_debug();
    let seconds = timestamps::parse(text)
        .ok_or_else(|| invalid(cx, &format!("`{shown}` is not a time: {forms}")))?;
    match seconds > unix_seconds() {
        true => Ok(seconds),
        false => Err(invalid(cx, &format!("`{shown}` is over: `cookie --delete` deletes"))),
    }
}

fn invalid(cx: &CallContext, message: &str) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", cx.command().name)
}
