//! How callers sign in: a document that the gateway gives to everybody, from which the command
//! line learns the issuer and its own client there.

use browse_base::{Error, Result};
use browse_proto::Reason;
use bytes::Bytes;
use http::{HeaderValue, Response, header};
use http_body_util::Full;
use serde::Deserialize;
use serde_json::json;
use tonic::body::Body;

use crate::auth::AuthSettings;

/// What the errors call the place of a setting.
const PLACE: &str = "the settings of the gateway";

/// Time for which the document may be kept, such as by a proxy.
const CACHE_CONTROL: &str = "public, max-age=60";

/// How the command line signs in.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LoginSettings {
    /// The client of the command line at the issuer of `auth`: public, with the device flow.
    /// Without it, callers bring a token.
    pub client_id: Option<String>,
    /// The scopes that it asks for.
    pub scopes: Vec<String>,
}

/// The document at `browse_proto::FLEET_DOCUMENT_PATH`.
#[derive(Clone, Debug)]
pub struct LoginDocument(Bytes);

impl Default for LoginSettings {
    fn default() -> Self {
        // `offline_access` asks for a refresh token.
        Self { client_id: None, scopes: ["openid", "offline_access"].map(str::to_owned).to_vec() }
    }
}

impl LoginDocument {
    /// Makes the document of the fleet `name`.
    ///
    /// # Errors
    /// `SETTING_INVALID`: there is a client and no issuer, or a scope has blanks.
    pub fn new(name: &str, settings: &LoginSettings, auth: &AuthSettings) -> Result<Self> {
        let mut document = json!({ "name": name });
        if let Some(client_id) = &settings.client_id {
            let Some(issuer) = &auth.issuer else {
                return Err(invalid_setting("client_id", "it requires `issuer` of `[auth]`"));
            };
            if client_id.trim().is_empty() {
                return Err(invalid_setting("client_id", "it is empty"));
            }
            let is_word = |scope: &String| {
                !scope.is_empty() && scope.bytes().all(|byte| byte.is_ascii_graphic())
            };
            if !settings.scopes.iter().all(is_word) {
                return Err(invalid_setting("scopes", "each is one word"));
            }
            document["issuer"] = json!(issuer);
            document["client_id"] = json!(client_id);
            document["audience"] = json!(auth.audience);
            document["scopes"] = json!(settings.scopes);
        }
        Ok(Self(document.to_string().into()))
    }

    /// The document as an answer.
    pub fn answer(&self) -> Response<Body> {
        let mut response = Response::new(Body::new(Full::new(self.0.clone())));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(CACHE_CONTROL));
        response
    }
}

fn invalid_setting(setting: &str, why: &str) -> Error {
    let message = format!("the setting `{setting}` of the sign-in is not valid: {why}");
    Error::new(Reason::SettingInvalid, message).with("setting", setting).with("place", PLACE)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn document(login: &str, auth: &str) -> Result<Value> {
        let login: LoginSettings = toml::from_str(login).expect(login);
        let auth: AuthSettings = toml::from_str(auth).expect(auth);
        let document = LoginDocument::new("prod", &login, &auth)?;
        Ok(serde_json::from_slice(&document.0).expect("JSON"))
    }

    #[test]
    fn a_client_belongs_to_the_issuer() {
        let auth = "issuer = 'https://i.example'\naudience = 'browse'";
        let found = document("client_id = 'cli'", auth).expect("it is whole");
        let whole = json!({
            "name": "prod",
            "issuer": "https://i.example",
            "client_id": "cli",
            "audience": "browse",
            "scopes": ["openid", "offline_access"],
        });
        assert_eq!(found, whole);
        assert_eq!(document("", auth).expect("it is whole"), json!({ "name": "prod" }));
        for (login, auth) in [
            ("client_id = 'cli'", "api_keys = '/k'"),
            ("client_id = ' '", auth),
            ("client_id = 'cli'\nscopes = ['a b']", auth),
        ] {
            let error = document(login, auth).expect_err(login);
            assert_eq!(error.reason(), Reason::SettingInvalid, "{login}");
        }
    }
}
