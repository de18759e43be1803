//! A fleet that was signed in to, as its file keeps it.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use browse_pin::HttpsUrl;

/// The `kind` of such a file; that of a pairing has none.
pub const FLEET_KIND: &str = "fleet";

/// Bytes of a token that is accepted.
pub const MAX_TOKEN_BYTES: usize = 16 << 10;

/// A fleet, and the token to call it with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetRemote {
    /// The address of the gateway, without a path.
    pub url: HttpsUrl,
    /// A file with certificate authorities that count beside those of this machine.
    pub ca: Option<PathBuf>,
    /// The token.
    pub token: String,
    /// When it ends, in seconds since 1970, where that is known.
    pub expires_at: Option<u64>,
    /// How the next token is got; none when a token was passed.
    pub renewal: Option<TokenRenewal>,
}

/// How the next token is got from the issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRenewal {
    /// The issuer.
    pub issuer: String,
    /// The client at the issuer.
    pub client_id: String,
    /// What the issuer wants to see.
    pub refresh_token: String,
}

impl FleetRemote {
    /// Reads the document of a file; `None` when it is damaged.
    pub fn parse(document: &Value) -> Option<Self> {
        let string =
            |key| document.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let renewal = match string("refresh_token") {
            None => None,
            Some(refresh_token) => Some(TokenRenewal {
                issuer: string("issuer")?.to_owned(),
                client_id: string("client_id")?.to_owned(),
                refresh_token: refresh_token.to_owned(),
            }),
        };
        Some(Self {
            url: HttpsUrl::parse(string("url")?).ok().filter(HttpsUrl::is_origin)?,
            ca: string("ca").map(PathBuf::from),
            token: string("token").filter(|token| is_bearer_token(token))?.to_owned(),
            expires_at: document.get("expires_at").and_then(Value::as_u64),
            renewal,
        })
    }

    /// The document of the file.
    pub fn document(&self) -> Value {
        let mut document = Map::new();
        let mut put = |key: &str, value: Value| document.insert(key.to_owned(), value);
        put("kind", json!(FLEET_KIND));
        put("url", json!(self.url.origin()));
        put("token", json!(self.token));
        if let Some(ca) = &self.ca {
            put("ca", json!(ca.display().to_string()));
        }
        if let Some(expires_at) = self.expires_at {
            put("expires_at", json!(expires_at));
        }
        if let Some(renewal) = &self.renewal {
            put("issuer", json!(renewal.issuer));
            put("client_id", json!(renewal.client_id));
            put("refresh_token", json!(renewal.refresh_token));
        }
        Value::Object(document)
    }

    /// The command that signs in again, under the same name.
    pub fn login_command(&self, name: &str) -> String {
        let mut command = format!("browse login {} --name {name}", self.url.origin());
        if let Some(ca) = &self.ca {
            command.push_str(&format!(" --ca {}", ca.display()));
        }
        command
    }
}

/// Whether a header can carry it as the token of a caller.
pub fn is_bearer_token(text: &str) -> bool {
    (1..=MAX_TOKEN_BYTES).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let renewal = TokenRenewal {
            issuer: "https://login.example.com".to_owned(),
            client_id: "browse-cli".to_owned(),
            refresh_token: "r".to_owned(),
        };
        let whole = FleetRemote {
            url: HttpsUrl::parse("https://browse.example.com:8443").expect("a URL"),
            ca: Some(PathBuf::from("/etc/ca.pem")),
            token: "a.b.c".to_owned(),
            expires_at: Some(4_000_000_000),
            renewal: Some(renewal),
        };
        let passed = FleetRemote { ca: None, expires_at: None, renewal: None, ..whole.clone() };
        for fleet in [&whole, &passed] {
            assert_eq!(FleetRemote::parse(&fleet.document()).as_ref(), Some(fleet));
        }
        for (key, value) in [
            ("url", json!("http://browse.example.com")),
            ("url", json!("https://browse.example.com/path")),
            ("token", json!("")),
            ("token", json!("a\nb")),
            ("issuer", json!(null)),
            ("client_id", json!("")),
        ] {
            let mut document = whole.document();
            document[key] = value.clone();
            assert_eq!(FleetRemote::parse(&document), None, "{key}: {value}");
        }
    }
}
