//! A server with releases: what it offers, checked by the key that signs them.

use std::{env::consts, fs, path::Path, process::Stdio, time::Duration};

use browse_base::{Error, Result};
use browse_outbound::{DownloadLimits, UrlGate};
use browse_proto::Reason;
use bytes::Bytes;
use http::StatusCode;
use minisign_verify::{PublicKey, Signature};
use semver::Version;
use sha2::{Digest as _, Sha256};
use tokio::{process::Command, time::timeout};
use url::Url;

use super::ReleaseSource;

/// Longest that one of the small files takes.
const FETCH_TIMEOUT: Duration = Duration::from_secs(60);

/// Longest that the archive takes to be downloaded and installed.
const INSTALL_TIMEOUT: Duration = Duration::from_secs(600);

/// Bytes of a small file that are read.
const MAX_FILE_BYTES: usize = 1 << 20;

/// Lines of a failed install.sh that are repeated.
const MAX_OUTPUT_LINES: usize = 6;

/// A release whose signature was verified.
#[derive(Debug)]
pub struct Release {
    /// Its version.
    pub version: Version,
    /// SHA256SUMS, as it was signed.
    sums: String,
}

/// Where releases are.
#[derive(Debug)]
pub struct ReleaseServer {
    source: ReleaseSource,
}

/// Only the server itself, and only over a connection that cannot be changed on the way.
struct ServerGate<'a>(&'a Url);

impl UrlGate for ServerGate<'_> {
    fn check_url(&self, url: &Url) -> Result<()> {
        if url.scheme() == self.0.scheme() || url.scheme() == "https" {
            return Ok(());
        }
        let message = format!("{} leads to an address that is not https", self.0);
        Err(Error::new(Reason::ReleaseUnreachable, message).with("url", self.0))
    }
}

impl ReleaseServer {
    pub fn new(source: ReleaseSource) -> Self {
        Self { source }
    }

    /// The newest release for this platform.
    ///
    /// # Errors
    /// `RELEASE_UNREACHABLE`, `RELEASE_UNTRUSTED`.
    pub async fn latest(&self) -> Result<Release> {
        let sums = self
            .fetch("latest", "SHA256SUMS")
            .await?
            .ok_or_else(|| self.unreachable("it has no latest release"))?;
        let signature = self.fetch("latest", "SHA256SUMS.minisig").await?;
        let signature = signature.ok_or_else(|| self.untrusted("the release is not signed"))?;
        self.verify(&sums, &signature)?;
        let sums = String::from_utf8(sums.to_vec())
            .map_err(|_| self.untrusted("SHA256SUMS is not text"))?;
        let version = archive_version(&sums).ok_or_else(|| {
            self.unreachable(&format!("the latest release has no archive for {}", platform()))
        })?;
        Ok(Release { version, sums })
    }

    fn verify(&self, sums: &[u8], signature: &[u8]) -> Result<()> {
        let key = PublicKey::from_base64(&self.source.key)
            .map_err(|_| self.untrusted("the key that was built in is not one of minisign"))?;
        let signature =
            std::str::from_utf8(signature).ok().and_then(|text| Signature::decode(text).ok());
        let signature =
            signature.ok_or_else(|| self.untrusted("its signature is not one of minisign"))?;
        // Pre-hashed signatures alone: the older form is not made by this project.
        key.verify(sums, &signature, false)
            .map_err(|_| self.untrusted("the signature is not that of the key that was built in"))
    }

    /// Installs `release` below `prefix` by its own install.sh, and answers what that printed.
    ///
    /// # Errors
    /// `RELEASE_UNTRUSTED` for a file that is not the one that was signed; `UPGRADE_FAILED`.
    pub async fn install(&self, release: &Release, prefix: &Path) -> Result<String> {
        let version = release.version.to_string();
        let script = self.fetch(&version, "install.sh").await?;
        let script = script.ok_or_else(|| self.unreachable("the release has no install.sh"))?;
        let found: String =
            Sha256::digest(&script).iter().map(|byte| format!("{byte:02x}")).collect();
        if !release.sums.lines().any(|line| line == format!("{found}  install.sh")) {
            return Err(self.untrusted("its install.sh is not the one that was signed"));
        }
        let failed = |error: &dyn std::fmt::Display| {
            Error::new(Reason::UpgradeFailed, format!("the upgrade did not start: {error}"))
                .with("next", "Run `browse upgrade` again")
        };
        let folder = tempfile::tempdir().map_err(|error| failed(&error))?;
        let (program, sums) = (folder.path().join("install.sh"), folder.path().join("SHA256SUMS"));
        fs::write(&program, &script).map_err(|error| failed(&error))?;
        fs::write(&sums, &release.sums).map_err(|error| failed(&error))?;
        let mut command = Command::new("sh");
        command.arg(&program).args(["--from", self.source.url.as_str(), "--version", &version]);
        command.arg("--sums").arg(&sums).arg("--prefix").arg(prefix);
        command.stdin(Stdio::null()).kill_on_drop(true);
        let output = timeout(INSTALL_TIMEOUT, command.output()).await;
        let output = output
            .map_err(|_| failed(&format!("it took more than {} s", INSTALL_TIMEOUT.as_secs())))?
            .map_err(|error| failed(&error))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        let line = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
        let last: Vec<&str> = text.lines().rev().take(MAX_OUTPUT_LINES).collect();
        let message = line("error: ").map_or_else(|| last.join("; "), str::to_owned);
        Err(Error::new(Reason::UpgradeFailed, format!("nothing was changed: {message}"))
            .with("next", line("hint: ").unwrap_or("Run `browse upgrade` again")))
    }

    /// A file of the release `version`; none when the server has none.
    async fn fetch(&self, version: &str, name: &str) -> Result<Option<Bytes>> {
        let download = DownloadLimits {
            server: &self.source.url,
            path: &format!("/{version}/{name}"),
            max_bytes: MAX_FILE_BYTES,
            time_limit: FETCH_TIMEOUT,
        };
        let answer = download.send(&ServerGate(&self.source.url)).await;
        let answer = answer.map_err(|problem| self.unreachable(&problem))?;
        match answer.status {
            StatusCode::NOT_FOUND => Ok(None),
            StatusCode::OK if !answer.truncated => Ok(Some(answer.body)),
            StatusCode::OK => Err(self.unreachable(&format!("{name} is larger than 1 MiB"))),
            other => Err(self.unreachable(&format!("{name} is answered with {}", other.as_u16()))),
        }
    }

    /// The error for a release that must not be installed.
    pub fn untrusted(&self, why: &str) -> Error {
        let message = format!("{why}: nothing was changed");
        Error::new(Reason::ReleaseUntrusted, message).with("url", &self.source.url)
    }

    fn unreachable(&self, why: &str) -> Error {
        let message = format!("no release could be fetched from {}: {why}", self.source.url);
        Error::new(Reason::ReleaseUnreachable, message).with("url", &self.source.url)
    }
}

/// The platform, as archives are named.
fn platform() -> String {
    let kernel = if cfg!(target_os = "macos") { "apple-darwin" } else { "unknown-linux-gnu" };
    format!("{}-{kernel}", consts::ARCH)
}

/// The version of the only archive for this platform that `sums` lists.
fn archive_version(sums: &str) -> Option<Version> {
    let end = format!("-{}.tar.gz", platform());
    let mut versions = sums.lines().filter_map(|line| {
        let (_, name) = line.split_once("  ")?;
        Version::parse(name.strip_prefix("browse-")?.strip_suffix(&end)?).ok()
    });
    let found = versions.next()?;
    versions.next().is_none().then_some(found)
}
