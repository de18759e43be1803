//! The keys of the issuer, fetched by HTTPS.
//!
//! One fetch runs at a time, and at most one in ten seconds begins, however many tokens with
//! unknown keys come. It runs in a task of its own: a caller who goes away must not end what
//! others wait for. When it fails, the keys that are known stay in use.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use browse_base::{Lock, Result};
use serde::Deserialize;
use tokio::sync::Mutex;

use super::{RefreshTimes, fetch::DocumentFetcher, key_set::KeySet, keys_unavailable};
use browse_pin::HttpsUrl;

/// Where the keys are fetched.
pub enum RemoteJwks {
    /// At this URL.
    Url(HttpsUrl),
    /// At the URL in the OpenID Connect configuration of this issuer.
    Discovery {
        /// Where the configuration is.
        url: HttpsUrl,
        /// The `issuer` that it must have.
        issuer: String,
    },
}

/// The keys of the issuer.
pub struct RemoteKeys {
    jwks: RemoteJwks,
    fetcher: DocumentFetcher,
    times: RefreshTimes,
    known: Lock<KnownKeys>,
    /// Held during a fetch.
    fetching: Mutex<()>,
}

#[derive(Default)]
struct KnownKeys {
    keys: Option<Arc<KeySet>>,
    fetched_at: Option<Instant>,
    /// When the last fetch began, whatever came of it.
    tried_at: Option<Instant>,
}

/// OpenID Connect Discovery 1.0, section 3.
#[derive(Deserialize)]
struct IssuerConfiguration {
    issuer: String,
    jwks_uri: String,
}

/// Whether the keys should be fetched.
enum Refresh {
    /// Not now.
    NotDue,
    /// While the caller goes on with those that are known.
    InBackground,
    /// Before the caller goes on.
    First,
}

impl RemoteKeys {
    /// Nothing is fetched yet.
    pub(super) fn new(jwks: RemoteJwks, fetcher: DocumentFetcher, times: RefreshTimes) -> Self {
        Self { jwks, fetcher, times, known: Lock::default(), fetching: Mutex::new(()) }
    }

    /// The keys.
    ///
    /// # Errors
    /// `GATE_UNAVAILABLE`.
    pub async fn current(self: &Arc<Self>) -> Result<Arc<KeySet>> {
        match self.refresh() {
            Refresh::NotDue => {}
            Refresh::InBackground => drop(tokio::spawn(Arc::clone(self).fetch_in_turn())),
            Refresh::First => self.fetch_or_wait().await,
        }
        self.known()
    }

    /// The keys after another fetch, unless the last one is too young for that.
    ///
    /// # Errors
    /// `GATE_UNAVAILABLE`.
    pub async fn newest(self: &Arc<Self>) -> Result<Arc<KeySet>> {
        self.fetch_or_wait().await;
        self.known()
    }

    fn known(&self) -> Result<Arc<KeySet>> {
        self.known.lock().keys.clone().ok_or_else(keys_unavailable)
    }

    fn refresh(&self) -> Refresh {
        let known = self.known.lock();
        let times = &self.times;
        if known.keys.is_none() {
            Refresh::First
        } else if !is_past(known.fetched_at, times.refetch) {
            Refresh::NotDue
        } else if is_past(known.tried_at, times.stale) {
            Refresh::First
        } else if is_past(known.tried_at, times.fetch) {
            Refresh::InBackground
        } else {
            Refresh::NotDue
        }
    }

    /// Returns after a fetch, be it one that runs already. Returns at once when the last one is
    /// too young for another.
    async fn fetch_or_wait(self: &Arc<Self>) {
        let is_due = is_past(self.known.lock().tried_at, self.times.fetch);
        if is_due {
            // An error is a fetch that panicked: there are no new keys then.
            let _ = tokio::spawn(Arc::clone(self).fetch_in_turn()).await;
        } else {
            drop(self.fetching.lock().await);
        }
    }

    async fn fetch_in_turn(self: Arc<Self>) {
        let _fetching = self.fetching.lock().await;
        {
            let mut known = self.known.lock();
            if !is_past(known.tried_at, self.times.fetch) {
                return;
            }
            known.tried_at = Some(Instant::now());
        }
        match self.fetch().await {
            Ok(keys) => {
                let mut known = self.known.lock();
                known.fetched_at = Some(Instant::now());
                if known.keys.as_ref().is_none_or(|former| former.hash() != keys.hash()) {
                    known.keys = Some(Arc::new(keys));
                    tracing::info!("fetched new keys of the issuer");
                }
            }
            Err(why) => tracing::warn!(why, "the keys of the issuer cannot be fetched"),
        }
    }

    async fn fetch(&self) -> Result<KeySet, String> {
        let jwks_url = match &self.jwks {
            RemoteJwks::Url(url) => url.clone(),
            RemoteJwks::Discovery { url, issuer } => {
                let text = self.fetcher.fetch(url).await?;
                jwks_url(&text, url, issuer).map_err(|why| format!("`{url}`: {why}"))?
            }
        };
        let text = self.fetcher.fetch(&jwks_url).await?;
        KeySet::parse(&text).map_err(|why| format!("`{jwks_url}`: {why}"))
    }
}

/// The URL of the keys in the configuration of an issuer.
fn jwks_url(text: &[u8], url: &HttpsUrl, issuer: &str) -> Result<HttpsUrl, String> {
    let found: IssuerConfiguration = serde_json::from_slice(text)
        .map_err(|error| format!("it is not a configuration of OpenID Connect: {error}"))?;
    if found.issuer != issuer {
        return Err(format!("its `issuer` is `{}`", browse_base::quote(&found.issuer)));
    }
    let jwks = HttpsUrl::parse(&found.jwks_uri).map_err(|why| format!("its `jwks_uri`: {why}"))?;
    match jwks.is_tls() || !url.is_tls() {
        true => Ok(jwks),
        false => Err("its `jwks_uri` is not `https`".to_owned()),
    }
}

/// Whether so much time has passed since `at`, or nothing was there yet.
fn is_past(at: Option<Instant>, time: Duration) -> bool {
    at.is_none_or(|at| at.elapsed() >= time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_names_its_issuer_and_a_url_that_is_as_safe() {
        let issuer = "https://i.example/";
        let configuration = HttpsUrl::parse("https://i.example/c").expect("a URL");
        let read = |issuer_in_it: &str, jwks: &str| {
            let text = serde_json::json!({"issuer": issuer_in_it, "jwks_uri": jwks, "x": 1});
            jwks_url(text.to_string().as_bytes(), &configuration, issuer)
        };
        assert!(read(issuer, "https://keys.example/k").is_ok());
        assert!(read("https://i.example", "https://keys.example/k").is_err(), "not equal");
        assert!(read(issuer, "http://127.0.0.1/k").is_err(), "not as safe");
        assert!(read(issuer, "file:///etc/passwd").is_err());
        assert!(jwks_url(b"[]", &configuration, issuer).is_err());
    }
}
