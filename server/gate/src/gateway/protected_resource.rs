//! How clients of MCP find out where to sign in: the metadata of a protected resource (RFC 9728),
//! which names the issuer of the tokens that the gateway takes.
//!
//! Such a client calls without a token. The 401 names the URL of the metadata, and the metadata the
//! issuer, at which the person signs in.

use bytes::Bytes;
use http::{HeaderValue, Response, Uri, header};
use http_body_util::Full;
use serde_json::json;
use tonic::body::Body;

use super::mcp::PATH as MCP_PATH;
use crate::{auth::AuthSettings, login::LoginSettings};

/// Where the metadata of a server without a path is. That of a resource has the path of the
/// resource after it (RFC 9728, section 3.1).
const WELL_KNOWN_PATH: &str = "/.well-known/oauth-protected-resource";

/// Time for which the metadata may be kept, such as by a proxy.
const CACHE_CONTROL: &str = "public, max-age=60";

/// The endpoint of MCP, as a resource whose tokens an issuer makes.
#[derive(Clone, Debug)]
pub struct ProtectedResource {
    /// The issuer; none where callers have API keys alone, or its name is not a URL.
    issuer: Option<String>,
    scopes: Vec<String>,
    name: String,
}

/// Whether the metadata is at `path`. Some clients look there before they call.
pub fn is_path(path: &str) -> bool {
    path.strip_prefix(WELL_KNOWN_PATH).is_some_and(|rest| rest.is_empty() || rest == MCP_PATH)
}

impl ProtectedResource {
    /// That of the fleet `name`.
    pub fn new(name: &str, login: &LoginSettings, auth: &AuthSettings) -> Self {
        let is_url = |issuer: &&String| {
            let scheme = issuer.parse().ok().and_then(|uri: Uri| uri.scheme().cloned());
            scheme.is_some_and(|scheme| matches!(scheme.as_str(), "http" | "https"))
        };
        Self {
            issuer: auth.issuer.as_ref().filter(is_url).cloned(),
            scopes: login.scopes.clone(),
            name: name.to_owned(),
        }
    }

    /// The metadata as an answer, for a caller that reaches the gateway at `url`. None without an
    /// issuer.
    pub fn answer(&self, url: &str) -> Option<Response<Body>> {
        let metadata = json!({
            "resource": format!("{url}{MCP_PATH}"),
            "resource_name": self.name,
            "authorization_servers": [self.issuer.as_ref()?],
            "scopes_supported": self.scopes,
            "bearer_methods_supported": ["header"],
        });
        let mut response = Response::new(Body::new(Full::new(Bytes::from(metadata.to_string()))));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(CACHE_CONTROL));
        Some(response)
    }

    /// The value of `WWW-Authenticate` for a caller that reaches the gateway at `url`, if that is
    /// known, whose token was refused or, without `is_refused`, missing.
    pub fn challenge(&self, url: Option<&str>, is_refused: bool) -> HeaderValue {
        let error = is_refused.then(|| "error=\"invalid_token\"".to_owned());
        let metadata = url
            .filter(|_| self.issuer.is_some())
            .map(|url| format!("resource_metadata=\"{url}{WELL_KNOWN_PATH}{MCP_PATH}\""));
        let parameters: Vec<_> = error.into_iter().chain(metadata).collect();
        let challenge = format!("Bearer {}", parameters.join(", "));
        HeaderValue::from_str(challenge.trim_end())
            .unwrap_or_else(|_| HeaderValue::from_static("Bearer"))
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use serde_json::Value;

    use super::*;

    fn resource(auth: &str) -> ProtectedResource {
        let auth: AuthSettings = toml::from_str(auth).expect(auth);
        ProtectedResource::new("prod", &LoginSettings::default(), &auth)
    }

    #[tokio::test]
    async fn the_metadata_names_the_issuer() {
        let resource = resource("issuer = 'https://login.example/realm'\naudience = 'browse'");
        let answer = resource.answer("https://browse.example").expect("there is an issuer");
        let body = answer.into_body().collect().await.expect("a body").to_bytes();
        let found: Value = serde_json::from_slice(&body).expect("JSON");
        let whole = json!({
            "resource": "https://browse.example/mcp",
            "resource_name": "prod",
            "authorization_servers": ["https://login.example/realm"],
            "scopes_supported": ["openid", "offline_access"],
            "bearer_methods_supported": ["header"],
        });
        assert_eq!(found, whole);
        let at = "https://browse.example/.well-known/oauth-protected-resource/mcp";
        assert!(is_path(at.strip_prefix("https://browse.example").expect("the host")));
        let url = Some("https://browse.example");
        let missing = format!("Bearer resource_metadata=\"{at}\"");
        assert_eq!(resource.challenge(url, false), missing);
        let refused = format!("Bearer error=\"invalid_token\", resource_metadata=\"{at}\"");
        assert_eq!(resource.challenge(url, true), refused);
        assert_eq!(resource.challenge(None, false), "Bearer");
    }

    #[test]
    fn without_the_url_of_an_issuer_there_is_none() {
        for auth in ["api_keys = '/keys'", "issuer = 'us'\naudience = 'b'\njwks_file = '/jwks'"] {
            let resource = resource(auth);
            assert!(resource.answer("https://browse.example").is_none(), "{auth}");
            let challenge = resource.challenge(Some("https://browse.example"), true);
            assert_eq!(challenge, "Bearer error=\"invalid_token\"", "{auth}");
        }
    }

    #[test]
    fn it_is_at_two_paths() {
        assert!(is_path("/.well-known/oauth-protected-resource"));
        assert!(is_path("/.well-known/oauth-protected-resource/mcp"));
        for path in ["/.well-known/oauth-protected-resource/", "/.well-known/oauth", "/mcp"] {
            assert!(!is_path(path), "{path}");
        }
    }
}
