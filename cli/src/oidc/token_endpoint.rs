//! What an issuer answers to a request for a token: RFC 6749, sections 5.1 and 5.2.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::discovery::Issuer;
use crate::{
    failure::printable,
    fleet_remote::is_bearer_token,
    http_client::{HttpAnswer, HttpClient},
};

/// The longest that a token is taken to be good.
const MAX_LIFETIME_S: u64 = 365 * 24 * 3600;

/// Characters of a description, which is text of the issuer.
const MAX_DESCRIPTION_CHARS: usize = 200;

/// Tokens that an issuer made.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSet {
    /// The token for the gateway.
    pub access_token: String,
    /// The token to get the next one with.
    pub refresh_token: Option<String>,
    /// How long the token is good, where the issuer says so.
    pub lifetime: Option<Duration>,
}

/// What an issuer answers.
pub enum TokenAnswer {
    /// Tokens.
    Granted(TokenSet),
    /// An error of OAuth.
    Refused(OauthError),
}

/// An error of OAuth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OauthError {
    /// Its name, such as `access_denied`.
    pub code: String,
    /// What the issuer adds to that; often empty.
    pub description: String,
}

/// Why an issuer did not answer, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenFailure {
    /// It cannot be reached now, or is overloaded.
    Unreachable(String),
    /// Its answer is not one of OAuth.
    Malformed(String),
}

impl TokenFailure {
    /// What is wrong.
    pub fn why(&self) -> &str {
        match self {
            Self::Unreachable(why) | Self::Malformed(why) => why,
        }
    }
}

impl OauthError {
    /// The error in one line.
    pub fn text(&self) -> String {
        match self.description.as_str() {
            "" => format!("`{}`", self.code),
            description => format!("`{}`: {description}", self.code),
        }
    }
}

impl Issuer {
    /// Asks for a token.
    ///
    /// # Errors
    /// The issuer did not answer by `end`.
    pub fn request_token(
        &self,
        client: &HttpClient,
        fields: &[(&str, &str)],
        end: Instant,
    ) -> Result<TokenAnswer, TokenFailure> {
        let answer = client.post_form(&self.token_endpoint, fields, end);
        parse(&answer.map_err(TokenFailure::Unreachable)?)
    }
}

fn parse(answer: &HttpAnswer) -> Result<TokenAnswer, TokenFailure> {
    let status = answer.status;
    if status == 429 || status >= 500 {
        return Err(TokenFailure::Unreachable(format!("it answers HTTP {status}")));
    }
    let malformed = |why: &str| TokenFailure::Malformed(why.to_owned());
    let document: Value = serde_json::from_slice(&answer.body)
        .map_err(|_| malformed(&format!("it answers HTTP {status} without a JSON document")))?;
    let text = |name: &str| document.get(name).and_then(Value::as_str);
    // Some answer errors with the status 200.
    if let Some(code) = text("error") {
        return Ok(TokenAnswer::Refused(OauthError {
            code: shown(code),
            description: shown(text("error_description").unwrap_or_default()),
        }));
    }
    if status != 200 {
        return Err(malformed(&format!("it answers HTTP {status} without an error of OAuth")));
    }
    let access_token = text("access_token").filter(|token| is_bearer_token(token));
    let access_token = access_token.ok_or_else(|| malformed("its answer has no access token"))?;
    if text("token_type").is_some_and(|kind| !kind.eq_ignore_ascii_case("bearer")) {
        return Err(malformed("its access token is not a bearer token"));
    }
    Ok(TokenAnswer::Granted(TokenSet {
        access_token: access_token.to_owned(),
        refresh_token: text("refresh_token").filter(|token| !token.is_empty()).map(str::to_owned),
        lifetime: seconds(document.get("expires_in")),
    }))
}

/// A time in seconds. Some issuers write it as a string.
pub fn seconds(value: Option<&Value>) -> Option<Duration> {
    let value = value?;
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
    // A cast keeps to the range of the type.
    let number = number.or_else(|| value.as_f64().map(|seconds| seconds as u64))?;
    Some(Duration::from_secs(number.min(MAX_LIFETIME_S)))
}

fn shown(text: &str) -> String {
    printable(&text.chars().take(MAX_DESCRIPTION_CHARS).collect::<String>()).replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(status: u16, body: &str) -> Result<TokenAnswer, TokenFailure> {
        parse(&HttpAnswer { status, body: body.as_bytes().to_vec() })
    }

    #[test]
    fn a_token_is_read_with_what_belongs_to_it() {
        let body = json!({
            "access_token": "a.b.c", "token_type": "bearer", "expires_in": "300",
            "refresh_token": "r",
        });
        let Ok(TokenAnswer::Granted(tokens)) = read(200, &body.to_string()) else {
            panic!("it is whole");
        };
        assert_eq!(tokens.access_token, "a.b.c");
        assert_eq!(tokens.refresh_token.as_deref(), Some("r"));
        assert_eq!(tokens.lifetime, Some(Duration::from_secs(300)));
    }

    #[test]
    fn an_error_keeps_its_name_and_drives_no_terminal() {
        let body = r#"{"error":"slow_down","error_description":"too\u001b[31m\nfast"}"#;
        for status in [200, 400, 401] {
            let Ok(TokenAnswer::Refused(error)) = read(status, body) else { panic!("{status}") };
            assert_eq!(error.text(), "`slow_down`: too [31m fast");
        }
    }

    #[test]
    fn what_is_not_of_oauth_is_not_a_token() {
        for (status, body) in [
            (200, "<html>"),
            (200, "{}"),
            (200, "[]"),
            (200, r#"{"access_token":""}"#),
            (200, r#"{"access_token":7}"#),
            (200, r#"{"access_token":"a b"}"#),
            (200, r#"{"access_token":"a\r\nb"}"#),
            (200, r#"{"access_token":"a","token_type":"mac"}"#),
            (302, ""),
            (404, "{}"),
        ] {
            assert!(matches!(read(status, body), Err(TokenFailure::Malformed(_))), "{body}");
        }
        for status in [429, 500, 503] {
            assert!(matches!(read(status, "{}"), Err(TokenFailure::Unreachable(_))), "{status}");
        }
    }
}
