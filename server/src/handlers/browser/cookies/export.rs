//! The forms in which others export cookies: an array (EditThisCookie,
//! Cookie-Editor, Puppeteer), or an object with `cookies` (the storage state
//! of Playwright). No error quotes the file.

use browse_proto::Reason;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::timestamps;
use browse_base::{Error, Result};
use browse_chromium::{Cookie, PartitionKey, SameSite};

/// Entries that a file may have.
const MAX_COOKIES: usize = 20_000;

/// A cookie in whatever form.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ExportedCookie {
    name: Option<String>,
    value: Option<String>,
    domain: Option<String>,
    url: Option<String>,
    host_only: Option<bool>,
    path: Option<String>,
    #[serde(alias = "expirationDate", alias = "expiry")]
    expires: Option<Value>,
    session: Option<bool>,
    secure: Option<bool>,
    http_only: Option<bool>,
    same_site: Option<String>,
    partition_key: Option<ExportedPartition>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ExportedPartition {
    Site(String),
    Key {
        #[serde(rename = "topLevelSite", default)]
        site: Option<String>,
        #[serde(rename = "hasCrossSiteAncestor", default)]
        crossed: bool,
    },
}

/// Reads an export: each entry as a cookie, or what is wrong with it.
///
/// # Errors
/// `JSON_INVALID`, `COOKIES_UNREADABLE` when it is not an export at all.
pub fn parse(text: &str) -> Result<Vec<Result<Cookie, &'static str>>> {
    let document: Value =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
            let message = format!("the file is not JSON at line {}", error.line());
            Error::new(Reason::JsonInvalid, message).with("line", error.line())
        })?;
    let entries = match document {
        Value::Array(entries) => Some(entries),
        Value::Object(mut fields) => match fields.remove("cookies") {
            Some(Value::Array(entries)) => Some(entries),
            _ => None,
        },
        _ => None,
    };
    let unreadable = |message: &str| Error::new(Reason::CookiesUnreadable, message);
    let entries = entries.ok_or_else(|| {
        unreadable(
            "the file is not an array of cookies, and no object with such an array `cookies`",
        )
    })?;
    if entries.len() > MAX_COOKIES {
        return Err(unreadable(&format!("the file has more than {MAX_COOKIES} entries")));
    }
    Ok(entries.into_iter().map(to_cookie).collect())
}

fn to_cookie(entry: Value) -> Result<Cookie, &'static str> {
    // A parser's own words would quote what it found.
    let entry: ExportedCookie = serde_json::from_value(entry)
        .map_err(|_| "it is not an object, or a field is of a wrong type")?;
    let secure = entry.secure.unwrap_or_default();
    Ok(Cookie {
        domain: cookie_domain(&entry)?,
        name: entry.name.ok_or("the name is missing")?,
        value: entry.value.ok_or("the value is missing")?,
        path: entry.path.filter(|path| !path.is_empty()).unwrap_or_else(|| "/".to_owned()),
        expires: match entry.session {
            Some(true) => None,
            _ => parse_expires(entry.expires)?,
        },
        secure,
        http_only: entry.http_only.unwrap_or_default(),
        // Exports say so of cookies that say nothing, too; browsers take it
        // only from secure ones.
        same_site: parse_same_site(entry.same_site.as_deref())?
            .filter(|same_site| secure || *same_site != SameSite::None),
        partition_key: parse_partition(entry.partition_key)?,
    })
}

fn cookie_domain(entry: &ExportedCookie) -> Result<String, &'static str> {
    let Some(domain) = entry.domain.as_deref().filter(|domain| !domain.is_empty()) else {
        let url = entry.url.as_deref().and_then(|url| Url::parse(url).ok());
        let host = url.as_ref().and_then(Url::host_str);
        return host.map(str::to_owned).ok_or("the domain is missing");
    };
    let bare = domain.trim_start_matches('.');
    Ok(match entry.host_only {
        Some(true) => bare.to_owned(),
        Some(false) => format!(".{bare}"),
        None => domain.to_owned(),
    })
}

fn parse_expires(value: Option<Value>) -> Result<Option<f64>, &'static str> {
    match value {
        None | Some(Value::Null) => Ok(None),
        // -1 and 0 stand for a cookie of the session.
        Some(Value::Number(number)) => {
            Ok(number.as_f64().filter(|seconds| *seconds > 0.0 && seconds.is_finite()))
        }
        Some(Value::String(text)) if text.is_empty() => Ok(None),
        Some(Value::String(text)) => {
            timestamps::parse(&text).map(Some).ok_or("the expiry is not a time")
        }
        Some(_) => Err("the expiry is not a time"),
    }
}

fn parse_same_site(text: Option<&str>) -> Result<Option<SameSite>, &'static str> {
    match text.map(str::to_ascii_lowercase).as_deref() {
        None | Some("" | "unspecified" | "default") => Ok(None),
        Some("strict") => Ok(Some(SameSite::Strict)),
        Some("lax") => Ok(Some(SameSite::Lax)),
        Some("none" | "no_restriction") => Ok(Some(SameSite::None)),
        Some(_) => Err("the value of sameSite is unknown"),
    }
}

fn parse_partition(key: Option<ExportedPartition>) -> Result<Option<PartitionKey>, &'static str> {
    let (site, has_cross_site_ancestor) = match key {
        None | Some(ExportedPartition::Key { site: None, .. }) => return Ok(None),
        Some(ExportedPartition::Site(site)) => (site, false),
        Some(ExportedPartition::Key { site: Some(site), crossed }) => (site, crossed),
    };
    if site.is_empty() {
        return Ok(None);
    }
    let url = Url::parse(&site).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let url = url.ok_or("the partition key is not a site")?;
    Ok(Some(PartitionKey {
        top_level_site: url.origin().ascii_serialization(),
        has_cross_site_ancestor,
    }))
}

#[cfg(test)]
mod tests;
