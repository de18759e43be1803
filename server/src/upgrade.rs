//! `browsed upgrade`: says how this installation is upgraded, and does it for one of install.sh.
//!
//! What a server offers is taken only when the key that was built into this program signed it. Of
//! what it offers only SHA256SUMS is signed (minisign); everything else has its hash there. The
//! work is done by the install.sh of the new release, which is one of the hashed files: it replaces
//! all programs by one rename or leaves everything as it was, and a daemon that runs goes on with
//! the version before.

mod installation;
mod release;

use std::path::Path;

use browse_base::{Error, Result};
use browse_proto::Reason;
use semver::Version;
use serde_json::{Value, json};
use url::Url;

use installation::Installation;
use release::ReleaseServer;

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What was built into this program: where releases are, and who signs them. `make dist` sets both.
const BUILT_IN_URL: Option<&str> = option_env!("BROWSE_RELEASE_URL");
const BUILT_IN_KEY: Option<&str> = option_env!("BROWSE_RELEASE_KEY");

/// Where releases are, and the key that signs them.
#[derive(Clone, Debug)]
pub struct ReleaseSource {
    /// The folder with one folder for each version, and `latest`.
    pub url: Url,
    /// The public key of minisign.
    pub key: String,
}

impl ReleaseSource {
    /// What was built into this program; none in one that was built from a checkout. A program for
    /// tests takes both from its environment.
    pub fn built_in() -> Option<Self> {
        let variable = |name: &str| std::env::var(name).ok().filter(|_| cfg!(debug_assertions));
        let of = |built_in: Option<&str>, name: &str| {
            let built_in = built_in.map(str::to_owned).filter(|text| !text.is_empty());
            built_in.or_else(|| variable(name)).filter(|text| !text.is_empty())
        };
        let url = Url::parse(&of(BUILT_IN_URL, "BROWSE_TEST_RELEASE_URL")?).ok()?;
        Some(Self { url, key: of(BUILT_IN_KEY, "BROWSE_TEST_RELEASE_KEY")? })
    }
}

/// Upgrades the installation that `program` is of, or only compares versions for `check_only`.
///
/// # Errors
/// `UPGRADE_UNAVAILABLE`, `RELEASE_UNREACHABLE`, `RELEASE_UNTRUSTED`, `UPGRADE_FAILED`.
pub async fn upgrade(
    program: &Path,
    source: Option<ReleaseSource>,
    check_only: bool,
) -> Result<Value> {
    let installation = Installation::of(program);
    let Installation::Archive { prefix } = &installation else {
        let (kind, command) = (installation.name(), installation.upgrade_command());
        return Ok(json!({"installation": kind, "version": VERSION, "command": command}));
    };
    let Some(source) = source else {
        let message = "this browse has no key built in by which a release could be checked";
        let next = format!(
            "Run `sh install.sh --from URL --prefix {}` with the install.sh of the new release and the URL of its server",
            prefix.display()
        );
        return Err(Error::new(Reason::UpgradeUnavailable, message).with("next", next));
    };
    let server = ReleaseServer::new(source);
    let release = server.latest().await?;
    let own = Version::parse(VERSION)
        .map_err(|error| Error::new(Reason::UpgradeFailed, error.to_string()))?;
    let answer = |upgraded: bool, output: String| {
        json!({
            "installation": installation.name(),
            "version": VERSION,
            "latest": release.version.to_string(),
            "upgraded": upgraded,
            "output": output,
        })
    };
    if release.version < own {
        // Signed once, so it may be a release whose mistakes are known by now.
        let message = format!("the server offers {}, which is older than {own}", release.version);
        return Err(server.untrusted(&message));
    }
    if release.version == own || check_only {
        return Ok(answer(false, String::new()));
    }
    let output = server.install(&release, prefix).await?;
    Ok(answer(true, output))
}
