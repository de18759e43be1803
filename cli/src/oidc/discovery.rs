//! Where the endpoints of an issuer are: OpenID Connect Discovery 1.0.

use std::time::Instant;

use serde_json::Value;

use super::unusable_issuer;
use crate::{
    failure::{Failure, Result},
    http_client::HttpClient,
};
use browse_pin::HttpsUrl;

/// Path of the document, below the issuer.
const DISCOVERY_PATH: &str = "/.well-known/openid-configuration";

/// An issuer whose endpoints are known.
#[derive(Debug)]
pub struct Issuer {
    pub(super) name: String,
    pub(super) token_endpoint: HttpsUrl,
    pub(super) device_endpoint: Option<HttpsUrl>,
}

impl Issuer {
    /// Asks the issuer of the fleet at `gateway` for its endpoints.
    ///
    /// # Errors
    /// `ISSUER_UNUSABLE`.
    pub fn discover(
        client: &HttpClient,
        gateway: &HttpsUrl,
        issuer: &str,
        end: Instant,
    ) -> Result<Self> {
        let unusable = |why: &str| unusable_issuer(issuer, why);
        if issuer.contains(['?', '#']) {
            return Err(unusable("its address has a query or a fragment"));
        }
        let base = issuer.strip_suffix('/').unwrap_or(issuer);
        let url = HttpsUrl::parse(&format!("{base}{DISCOVERY_PATH}")).map_err(unusable)?;
        // A service of this machine is nothing that a fleet could name.
        if gateway.is_tls() && !url.is_tls() {
            return Err(unusable("it is not an https URL"));
        }
        let answer = client.get(&url, end).map_err(|why| unusable(&why))?;
        if answer.status != 200 {
            let why = format!("`{url}` is answered with HTTP {}", answer.status);
            return Err(unusable(&why));
        }
        Self::parse(issuer, url.is_tls(), &answer.body)
    }

    fn parse(issuer: &str, is_tls: bool, body: &[u8]) -> Result<Self> {
        let unusable = |why: &str| unusable_issuer(issuer, why);
        let document: Value = serde_json::from_slice(body)
            .map_err(|_| unusable("its configuration is not a JSON document"))?;
        // Section 4.3: a document that is not its own could name the endpoints of somebody else.
        if document.get("issuer").and_then(Value::as_str) != Some(issuer) {
            return Err(unusable("its configuration names another issuer"));
        }
        let endpoint = |name: &str| -> Result<Option<HttpsUrl>, Failure> {
            let Some(value) = document.get(name).filter(|value| !value.is_null()) else {
                return Ok(None);
            };
            let url = value.as_str().and_then(|text| HttpsUrl::parse(text).ok());
            // What is sent there is secret, as the document is.
            let url = url.filter(|url| url.is_tls() || !is_tls);
            url.map(Some).ok_or_else(|| unusable(&format!("its `{name}` is not an https URL")))
        };
        let token_endpoint = endpoint("token_endpoint")?
            .ok_or_else(|| unusable("its configuration has no `token_endpoint`"))?;
        let device_endpoint = endpoint("device_authorization_endpoint")?;
        Ok(Self { name: issuer.to_owned(), token_endpoint, device_endpoint })
    }
}

#[cfg(test)]
mod tests {
    use browse_proto::Reason;
    use serde_json::json;

    use super::*;

    const ISSUER: &str = "https://login.example.com/a";

    fn parse(document: &Value) -> Result<Issuer> {
        Issuer::parse(ISSUER, true, document.to_string().as_bytes())
    }

    #[test]
    fn the_document_is_of_the_issuer_and_names_https_urls() {
        let whole = json!({
            "issuer": ISSUER,
            "token_endpoint": "https://login.example.com/token",
            "device_authorization_endpoint": "https://login.example.com/device",
        });
        let issuer = parse(&whole).expect("it is whole");
        assert_eq!(issuer.token_endpoint.path(), "/token");
        assert!(issuer.device_endpoint.is_some());
        for (name, value) in [
            ("issuer", json!("https://login.example.com/a/")),
            ("issuer", json!(null)),
            ("token_endpoint", json!(null)),
            ("token_endpoint", json!("http://login.example.com/token")),
            ("token_endpoint", json!("http://127.0.0.1/token")),
            ("token_endpoint", json!(7)),
            ("device_authorization_endpoint", json!("login.example.com")),
        ] {
            let mut document = whole.clone();
            document[name] = value.clone();
            let failure = parse(&document).expect_err(name);
            assert!(failure.has_reason(Reason::IssuerUnusable), "{name}: {value}");
        }
        let mut without_device_flow = whole;
        without_device_flow["device_authorization_endpoint"] = json!(null);
        assert!(parse(&without_device_flow).is_ok_and(|issuer| issuer.device_endpoint.is_none()));
    }
}
