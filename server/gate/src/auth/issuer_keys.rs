//! The keys of the issuer, from a file or by HTTPS.

use std::sync::Arc;

use browse_base::Result;

use super::{
    RefreshTimes,
    fetch::DocumentFetcher,
    key_set::KeySet,
    remote_keys::{RemoteJwks, RemoteKeys},
    settings::{IssuerSettings, JwksLocation, invalid_setting},
    watched_file::WatchedFile,
};

/// The keys of the issuer.
pub enum IssuerKeys {
    /// Those of a file.
    File(WatchedFile<KeySet>),
    /// Those that are fetched.
    Remote(Arc<RemoteKeys>),
}

impl IssuerKeys {
    /// Reads the file, or makes ready to fetch.
    ///
    /// # Errors
    /// `SETTING_INVALID`.
    pub(super) fn open(settings: &IssuerSettings, times: RefreshTimes) -> Result<Self> {
        let jwks = match &settings.jwks {
            JwksLocation::File(path) => {
                let file = WatchedFile::open(path, times.file, KeySet::parse).map_err(|why| {
                    invalid_setting("jwks_file", &format!("the file `{}`: {why}", path.display()))
                })?;
                return Ok(Self::File(file));
            }
            JwksLocation::Url(url) => RemoteJwks::Url(url.clone()),
            JwksLocation::Discovery(url) => {
                RemoteJwks::Discovery { url: url.clone(), issuer: settings.issuer.clone() }
            }
        };
        let fetcher = DocumentFetcher::new().map_err(|why| invalid_setting("issuer", &why))?;
        Ok(Self::Remote(Arc::new(RemoteKeys::new(jwks, fetcher, times))))
    }

    /// The keys.
    ///
    /// # Errors
    /// `GATE_UNAVAILABLE`: none is known.
    pub async fn current(&self) -> Result<Arc<KeySet>> {
        match self {
            Self::File(file) => Ok(file.current()),
            Self::Remote(remote) => remote.current().await,
        }
    }

    /// The keys for a token that names one that is not known.
    ///
    /// # Errors
    /// `GATE_UNAVAILABLE`: none is known.
    pub async fn newest(&self) -> Result<Arc<KeySet>> {
        match self {
            Self::File(file) => Ok(file.newest()),
            Self::Remote(remote) => remote.newest().await,
        }
    }
}
