//! The store of the objects: an S3-compatible one, by conditional writes alone.

use std::{sync::Arc, time::Duration};

use browse_base::{Error, HINT_KEY, Result, hex, random};
use browse_proto::Reason;
use object_store::{
    Error as StoreError, GetOptions, ObjectStore, ObjectStoreExt as _, PutMode, RetryConfig,
    UpdateVersion,
    aws::{AmazonS3Builder, S3ConditionalPut},
    path::Path,
};
use tokio::time::timeout;
use url::Url;

use super::object::ObjectName;
use crate::session_state::MAX_STATE_BYTES;

/// Time that a request gets, with those that are sent again.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);

/// The same for requests that the client of the store sends again by itself.
const RETRY_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_RETRIES: usize = 2;

/// Folder of objects that only try the store out. No tenant has this name.
const PROBE_FOLDER: &str = ".probe";

/// The objects of a fleet.
pub struct StateObjects {
    store: Arc<dyn ObjectStore>,
    /// Where they lie in it; empty, or without slashes at the ends.
    prefix: String,
}

/// An object, and the version that a write of it must name.
pub(super) struct StoredObject {
    pub bytes: Vec<u8>,
    pub version: UpdateVersion,
}

impl StateObjects {
    /// The objects at `s3://bucket/prefix`. Region, endpoint and credentials are those of the
    /// variables `AWS_*`.
    ///
    /// # Errors
    /// `SETTING_INVALID`.
    pub fn from_url(url: &str) -> Result<Self> {
        let parsed = Url::parse(url).map_err(|error| invalid(url, &error.to_string()))?;
        let bucket = parsed.host_str().filter(|bucket| !bucket.is_empty());
        let (("s3", Some(bucket)), None) = ((parsed.scheme(), bucket), parsed.query()) else {
            return Err(invalid(url, "it is not of the form `s3://bucket/prefix`"));
        };
        let retry = RetryConfig {
            max_retries: MAX_RETRIES,
            retry_timeout: RETRY_TIMEOUT,
            ..RetryConfig::default()
        };
        let store = AmazonS3Builder::from_env()
            .with_bucket_name(bucket)
            .with_conditional_put(S3ConditionalPut::ETagMatch)
            .with_retry(retry)
            .build()
            .map_err(|error| invalid(url, &error.to_string()))?;
        Ok(Self::new(Arc::new(store), parsed.path()))
    }

    /// The objects below `prefix` in `store`.
    pub fn new(store: Arc<dyn ObjectStore>, prefix: &str) -> Self {
        Self { store, prefix: prefix.trim_matches('/').to_owned() }
    }

    /// Checks that the store refuses a write whose condition does not hold: without that, two pods
    /// could write one session.
    ///
    /// # Errors
    /// `STATE_UNAVAILABLE`; `SETTING_INVALID`: the store ignores conditions.
    pub async fn check_conditions(&self) -> Result<()> {
        let name = hex(&random::<8>()?);
        let path = self.path(&format!("{PROBE_FOLDER}/{name}"));
        let ignored = self.ignored_condition(&path).await;
        if let Err(failure) = self.delete_at(&path).await {
            tracing::warn!(why = failure.text(), "an object that tried the store out is left");
        }
        match ignored {
            Ok(None) => Ok(()),
            Ok(Some(condition)) => Err(ignores(condition)),
            // To the operator, who has to know why.
            Err(failure) => {
                let message = format!("the object store cannot be used: {}", failure.text());
                Err(Error::new(Reason::StateUnavailable, message))
            }
        }
    }

    /// The first condition that the store ignores, if it ignores one.
    async fn ignored_condition(&self, path: &Path) -> Result<Option<&'static str>, StoreFailure> {
        // Without the right to list, S3 answers 403 for an object that is missing.
        if let Err(failure @ StoreFailure::Failed(_)) = within_time(self.store.head(path)).await {
            return Err(failure);
        }
        let first = self.put_at(path, b"probe".to_vec(), PutMode::Create).await?;
        let again = self.put_at(path, b"probe".to_vec(), PutMode::Create).await?;
        let (Some(first), None) = (first, again) else { return Ok(Some("If-None-Match")) };
        // The same bytes may have the same version, so these differ.
        let update = PutMode::Update(first);
        let second = self.put_at(path, b"another probe".to_vec(), update.clone()).await?;
        let late = self.put_at(path, b"late".to_vec(), update).await?;
        let is_honoured = second.is_some() && late.is_none();
        Ok((!is_honoured).then_some("If-Match"))
    }

    /// Reads an object; none when there is none.
    ///
    /// # Errors
    /// `STATE_UNAVAILABLE`, `STATE_CORRUPT`.
    pub(super) async fn read(&self, name: &ObjectName) -> Result<Option<StoredObject>> {
        let path = self.path(&name.text());
        let read = async {
            let found = self.store.get_opts(&path, GetOptions::default()).await?;
            if found.meta.size > 2 * MAX_STATE_BYTES as u64 {
                return Ok(None);
            }
            let version = UpdateVersion {
                e_tag: found.meta.e_tag.clone(),
                version: found.meta.version.clone(),
            };
            let bytes = found.bytes().await?.to_vec();
            Ok::<_, StoreError>(Some(StoredObject { bytes, version }))
        };
        match within_time(read).await {
            Ok(Some(object)) => Ok(Some(object)),
            Ok(None) => {
                let message = format!("the stored session `{}` is too large", name.session);
                Err(Error::new(Reason::StateCorrupt, message).with("name", &name.session))
            }
            Err(StoreFailure::Missing) => Ok(None),
            Err(failure) => Err(failure.into_error()),
        }
    }

    /// Whether an object has this version.
    ///
    /// # Errors
    /// `STATE_UNAVAILABLE`.
    pub(super) async fn is_current(
        &self,
        name: &ObjectName,
        version: &UpdateVersion,
    ) -> Result<bool> {
        let path = self.path(&name.text());
        match within_time(self.store.head(&path)).await {
            Ok(found) => Ok(found.e_tag.is_some() && found.e_tag == version.e_tag),
            Err(StoreFailure::Missing) => Ok(false),
            Err(failure) => Err(failure.into_error()),
        }
    }

    /// Writes an object; answers its version, and none where another write came before.
    ///
    /// # Errors
    /// `STATE_UNAVAILABLE`: it is not known whether it was written.
    pub(super) async fn put(
        &self,
        name: &ObjectName,
        bytes: Vec<u8>,
        mode: PutMode,
    ) -> Result<Option<UpdateVersion>> {
        let written = self.put_at(&self.path(&name.text()), bytes, mode).await;
        written.map_err(StoreFailure::into_error)
    }

    /// Deletes an object, and answers whether there was one.
    ///
    /// # Errors
    /// `STATE_UNAVAILABLE`.
    pub(super) async fn delete(&self, name: &ObjectName) -> Result<bool> {
        let path = self.path(&name.text());
        // Stores do not report whether there was an object.
        match within_time(self.store.head(&path)).await {
            Ok(_) => {
                let deleted = self.delete_at(&path).await;
                deleted.map(|()| true).map_err(StoreFailure::into_error)
            }
            Err(StoreFailure::Missing) => Ok(false),
            Err(failure) => Err(failure.into_error()),
        }
    }

    async fn put_at(
        &self,
        path: &Path,
        bytes: Vec<u8>,
        mode: PutMode,
    ) -> Result<Option<UpdateVersion>, StoreFailure> {
        match within_time(self.store.put_opts(path, bytes.into(), mode.into())).await {
            Ok(written) => Ok(Some(written.into())),
            Err(StoreFailure::Conflict | StoreFailure::Missing) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    async fn delete_at(&self, path: &Path) -> Result<(), StoreFailure> {
        match within_time(self.store.delete(path)).await {
            Ok(()) | Err(StoreFailure::Missing) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Each part is encoded, so that none leaves its folder.
    fn path(&self, name: &str) -> Path {
        Path::from(format!("{}/{name}", self.prefix))
    }
}

/// Why a request did nothing.
enum StoreFailure {
    /// The object is missing.
    Missing,
    /// The object is another one than the request names.
    Conflict,
    /// It failed; in words.
    Failed(String),
}

impl StoreFailure {
    fn text(&self) -> &str {
        match self {
            Self::Missing => "the object is missing",
            Self::Conflict => "the object has changed",
            Self::Failed(why) => why,
        }
    }

    /// The error for a tenant, who does not learn where the store is.
    fn into_error(self) -> Error {
        tracing::warn!(why = self.text(), "the object store cannot be used");
        Error::new(Reason::StateUnavailable, "the object store of the fleet cannot be used")
    }
}

impl From<StoreError> for StoreFailure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { .. } => Self::Missing,
            StoreError::AlreadyExists { .. }
            | StoreError::Precondition { .. }
            | StoreError::NotModified { .. } => Self::Conflict,
            error => Self::Failed(error.to_string()),
        }
    }
}

async fn within_time<T>(
    request: impl Future<Output = object_store::Result<T>>,
) -> Result<T, StoreFailure> {
    match timeout(REQUEST_TIMEOUT, request).await {
        Ok(outcome) => outcome.map_err(StoreFailure::from),
        Err(_) => Err(StoreFailure::Failed("it does not answer in time".to_owned())),
    }
}

fn ignores(what: &str) -> Error {
    let message = format!(
        "the object store does not honour the condition of a write ({what}), so two pods could \
         write one session"
    );
    Error::new(Reason::SettingInvalid, message)
        .with("setting", "BROWSE_POD_STATE")
        .with("place", "the environment")
        .with(HINT_KEY, "Use a store that has conditional writes, such as S3, R2 or MinIO")
}

fn invalid(url: &str, why: &str) -> Error {
    let message = format!("`{}` cannot be used: {why}", url.escape_debug());
    Error::new(Reason::SettingInvalid, message)
        .with("setting", "BROWSE_POD_STATE")
        .with("place", "the environment")
}
