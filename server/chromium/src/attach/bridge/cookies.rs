//! Cookies in a browser that is not ours: those which the addresses of our tabs get, and no
//! others.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use url::Url;

use super::link::BridgeConnection;
use super::refusal::not_ours;
use super::state::SessionUse;

impl BridgeConnection {
    /// The cookies that the documents of our tabs get.
    pub(super) async fn read_cookies(&self) -> Result<Value, Value> {
        let mut all = BTreeMap::new();
        for (session, url) in self.documents().await? {
            let params = json!({ "urls": [url.as_str()] });
            let mut answer = self.call(Some(&session), "Network.getCookies", params).await?;
            let Value::Array(cookies) = answer["cookies"].take() else { continue };
            for cookie in cookies {
                let key = ["name", "domain", "path", "partitionKey"].map(|f| cookie[f].to_string());
                all.insert(key, cookie);
            }
        }
        Ok(json!({ "cookies": all.into_values().collect::<Vec<_>>() }))
    }

    /// Sets cookies that the documents of our tabs get; one for another host is refused, and
    /// with it all.
    pub(super) async fn write_cookies(&self, params: &Value) -> Result<Value, Value> {
        let documents = self.documents().await?;
        let cookies = params["cookies"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_own = |cookie: &Value| documents.iter().any(|(_, url)| is_received(cookie, url));
        let (Some((session, _)), true) = (documents.first(), cookies.iter().all(is_own)) else {
            return Err(not_ours("Storage.setCookies"));
        };
        self.call(Some(session), "Network.setCookies", json!({ "cookies": cookies })).await
    }

    /// Removes the cookies that the documents of our tabs get.
    pub(super) async fn clear_cookies(&self) -> Result<Value, Value> {
        let cookies = self.read_cookies().await?;
        let documents = self.documents().await?;
        let Some((session, _)) = documents.first() else { return Ok(json!({})) };
        for cookie in cookies["cookies"].as_array().into_iter().flatten() {
            let mut params = json!({
                "name": cookie["name"],
                "domain": cookie["domain"],
                "path": cookie["path"],
            });
            if !cookie["partitionKey"].is_null() {
                params["partitionKey"] = cookie["partitionKey"].clone();
            }
            self.call(Some(session), "Network.deleteCookies", params).await?;
        }
        Ok(json!({}))
    }

    /// A session of each of our tabs, and the address that the tab shows.
    async fn documents(&self) -> Result<Vec<(String, Url)>, Value> {
        let tabs = self.list_tabs().await?;
        let state = self.state.borrow();
        let session_of = |target: &str| {
            let of = |used: &SessionUse| *used == SessionUse::Tab(target.to_owned());
            state.sessions.iter().find(|(_, used)| of(used)).map(|(session, _)| session.clone())
        };
        let infos = tabs["targetInfos"].as_array().into_iter().flatten();
        let found = infos.filter_map(|info| {
            let url = Url::parse(info["url"].as_str()?).ok()?;
            let session = session_of(info["targetId"].as_str()?)?;
            matches!(url.scheme(), "http" | "https").then_some((session, url))
        });
        Ok(found.collect())
    }
}

/// Whether the host of a document gets a cookie, by RFC 6265, section 5.1.3.
fn is_received(cookie: &Value, document: &Url) -> bool {
    let host = document.host_str().unwrap_or_default();
    let domain = match (cookie["domain"].as_str(), cookie["url"].as_str()) {
        (Some(domain), None) => domain.to_ascii_lowercase(),
        // The browser takes both, and the address decides then which scheme it is for.
        (domain, Some(url)) => {
            let Ok(url) = Url::parse(url) else { return false };
            let of_url = url.host_str().unwrap_or_default();
            let domain = domain.unwrap_or(of_url).to_ascii_lowercase();
            if !domain_matches(of_url, &domain) {
                return false;
            }
            domain
        }
        (None, None) => return false,
    };
    domain_matches(host, &domain)
}

fn domain_matches(host: &str, domain: &str) -> bool {
    let bare = domain.strip_prefix('.').unwrap_or(domain);
    let is_parent = || host.strip_suffix(bare).is_some_and(|rest| rest.ends_with('.'));
    !bare.is_empty() && (host == bare || domain.starts_with('.') && is_parent())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_gets_the_cookies_of_its_host_and_of_parents() {
        let document = Url::parse("https://mail.example.com/inbox").expect("an address");
        let table = [
            (json!({ "domain": "mail.example.com" }), true),
            (json!({ "domain": ".mail.example.com" }), true),
            (json!({ "domain": ".example.com" }), true),
            (json!({ "domain": ".Example.com" }), true),
            (json!({ "domain": "example.com" }), false),
            (json!({ "domain": ".bank.example.com" }), false),
            (json!({ "domain": "xmail.example.com" }), false),
            (json!({ "domain": ".ple.com" }), false),
            (json!({ "domain": "." }), false),
            (json!({ "url": "https://mail.example.com/" }), true),
            (json!({ "url": "https://bank.com/" }), false),
            (json!({ "url": "https://bank.com/", "domain": ".example.com" }), false),
            (json!({}), false),
        ];
        for (cookie, expected) in table {
            assert_eq!(is_received(&cookie, &document), expected, "{cookie}");
        }
    }
}
