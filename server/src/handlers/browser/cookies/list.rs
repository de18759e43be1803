//! Which cookies the session has.

use browse_proto::{Reason, v1};

use super::{CookieHostRules, admission, redaction, timestamps};
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::Cookie;

/// Lists cookies; of their values the beginning.
pub async fn cookies(cx: &CallContext, request: v1::CookiesRequest) -> Result<v1::CookiesResponse> {
    let within = request.domain.as_deref().map(|text| parse_host(text, cx)).transpose()?;
    let admission = CookieHostRules::of(cx)?;
    let mut cookies = cx.page().cookies().all().await?;
    cookies.retain(|cookie| {
        let asked = within.as_deref();
        asked.is_none_or(|domain| admission::is_within(cookie.host(), domain))
            && admission.allows(cookie)
    });
    cookies.sort_by(|a, b| (a.host(), &a.name, &a.path).cmp(&(b.host(), &b.name, &b.path)));
    Ok(v1::CookiesResponse { cookies: cookies.iter().map(to_message).collect() })
}

/// A host that a caller wrote, without a dot before it.
pub fn parse_host(text: &str, cx: &CallContext) -> Result<String> {
    let domain = admission::normalize_domain(text).ok_or_else(|| {
        let message = format!("`{}` is not a host", text.escape_debug());
        Error::new(Reason::ArgumentInvalid, message).with("command", cx.command().name)
    })?;
    Ok(domain.trim_start_matches('.').to_owned())
}

fn to_message(cookie: &Cookie) -> v1::Cookie {
    v1::Cookie {
        name: cookie.name.clone(),
        value: redaction::value_prefix(&cookie.value),
        length: u32::try_from(cookie.value.chars().count()).unwrap_or(u32::MAX),
        domain: cookie.domain.clone(),
        path: cookie.path.clone(),
        secure: cookie.secure,
        http_only: cookie.http_only,
        same_site: cookie
            .same_site
            .map(|same_site| same_site.as_str().to_owned())
            .unwrap_or_default(),
        expires: cookie.expires.map(timestamps::format_rfc3339).unwrap_or_default(),
        partition: cookie
            .partition_key
            .as_ref()
            .map(|key| key.top_level_site.clone())
            .unwrap_or_default(),
    }
}
