//! Whom to ask, and how.

use std::{fmt, net::IpAddr, time::Duration};

use url::{Host, Url};
use zeroize::Zeroizing;

/// What an endpoint speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LlmApi {
    /// `POST /v1/chat/completions`.
    OpenAi,
    /// `POST /v1/messages`.
    Anthropic,
}

/// The endpoint.
#[derive(Clone, Debug)]
pub struct LlmSettings {
    /// What it speaks.
    pub api: LlmApi,
    /// Its address, with the path.
    pub url: Url,
    /// The model that is asked.
    pub model: String,
    /// What it is paid with; none for a server of one's own.
    pub api_key: Option<LlmApiKey>,
    /// Longest that an answer takes.
    pub timeout: Duration,
}

impl LlmSettings {
    /// How long an answer is waited for, in the background.
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(15);
}

/// A key. It is shown nowhere.
#[derive(Clone)]
pub struct LlmApiKey(Zeroizing<String>);

impl LlmApiKey {
    /// This key.
    pub fn new(key: String) -> Self {
        Self(Zeroizing::new(key))
    }

    /// For the header of a request.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for LlmApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(..)")
    }
}

impl LlmApi {
    /// Its name in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    /// The shape of a name: `Some(None)` for `off`, none for what is not a shape.
    pub fn from_name(name: &str) -> Option<Option<Self>> {
        match name {
            "openai" => Some(Some(Self::OpenAi)),
            "anthropic" => Some(Some(Self::Anthropic)),
            "" | "off" | "false" | "no" | "0" => Some(None),
            _ => None,
        }
    }

    /// `url` with the path of this shape, where it has none.
    ///
    /// # Errors
    /// In words: the text would travel in the open.
    pub fn endpoint_url(self, mut url: Url) -> Result<Url, &'static str> {
        if url.scheme() != "https" && !is_loopback(&url) {
            return Err("an https address, or one of this machine");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                "an address without a name and a password: `security_transcript_key` is for keys",
            );
        }
        if url.path() == "/" {
            url.set_path(match self {
                Self::OpenAi => "/v1/chat/completions",
                Self::Anthropic => "/v1/messages",
            });
        }
        url.set_fragment(None);
        Ok(url)
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_travels_sealed_or_stays_here() {
        let address = |url: &str| {
            LlmApi::OpenAi.endpoint_url(Url::parse(url).expect(url)).map(|url| url.to_string())
        };
        assert_eq!(
            address("https://api.example.com").as_deref(),
            Ok("https://api.example.com/v1/chat/completions")
        );
        assert_eq!(address("https://a.example/x?y=1#z").as_deref(), Ok("https://a.example/x?y=1"));
        for good in ["http://127.0.0.1:1234", "http://localhost/", "http://[::1]:8080/v1/messages"]
        {
            assert!(address(good).is_ok(), "{good}");
        }
        for bad in ["http://api.example.com", "http://10.0.0.1/", "https://me:pass@a.example/"] {
            assert!(address(bad).is_err(), "{bad}");
        }
        let messages = Url::parse("http://127.0.0.1").expect("an address");
        assert!(
            LlmApi::Anthropic.endpoint_url(messages).is_ok_and(|url| url.path() == "/v1/messages")
        );
    }

    #[test]
    fn a_key_is_not_printed() {
        let key = LlmApiKey::new("hunter2".to_owned());
        assert!(!format!("{key:?}").contains("hunter2") && key.expose() == "hunter2");
    }
}
