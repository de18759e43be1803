//! The certificate of the listener: the user's, or one that is made on first
//! use. Agents know it by its public key, so nobody has to vouch for it.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use browse_proto::Reason;
use sha2::{Digest as _, Sha256};
use tokio_rustls::rustls::{
    self, ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};

use super::TunnelSettings;
use browse_base::{Error, HINT_KEY, Result};

/// File of the certificate that we make, below the home of browse, with its key.
const CERTIFICATE_FILE: &str = "tunnel/identity.pem";

/// What to do where the file that we have made is of no use.
const REGENERATE_HINT: &str = "Run `rm '{}'`, then run the command again: another is made, and agents that were paired need new blocks; where it is the mode, `chmod 600` will do";

/// Who the listener is to its callers.
pub struct TunnelIdentity {
    /// How it greets.
    pub config: Arc<ServerConfig>,
    /// SHA-256 of its public key.
    pub fingerprint: [u8; 32],
}

impl TunnelIdentity {
    /// The identity that the settings name, else the one of this home.
    ///
    /// # Errors
    /// `CERTIFICATE_UNUSABLE`; `FILE_UNWRITABLE`.
    pub fn from_settings(settings: &TunnelSettings) -> Result<Self> {
        match (&settings.certificate, &settings.key) {
            (Some(certificate), Some(key)) => Self::load(certificate, key),
            (None, None) => {
                let file = settings.home.join(CERTIFICATE_FILE);
                generate(&file)?;
                Self::load(&file, &file).map_err(|error| {
                    error.with(HINT_KEY, REGENERATE_HINT.replace("{}", &file.display().to_string()))
                })
            }
            (Some(path), None) | (None, Some(path)) => Err(unusable_certificate(
                path,
                "BROWSE_TUNNEL_CERT and BROWSE_TUNNEL_KEY go together",
            )),
        }
    }

    fn load(certificate: &Path, key: &Path) -> Result<Self> {
        let chain = read_pem(certificate, false)?;
        let chain = CertificateDer::pem_slice_iter(&chain).collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(|error| unusable_certificate(certificate, error))?;
        if chain.is_empty() {
            return Err(unusable_certificate(certificate, "it holds no certificate"));
        }
        let secret = read_pem(key, true)?;
        let secret = PrivateKeyDer::from_pem_slice(&secret);
        let secret = secret.map_err(|error| unusable_certificate(key, error))?;
        let provider = Arc::new(ring::default_provider());
        let signer = provider.key_provider.load_private_key(secret.clone_key());
        let signer = signer.map_err(|error| unusable_certificate(key, error))?;
        let public =
            signer.public_key().ok_or_else(|| unusable_certificate(key, "it has no public key"))?;
        let fingerprint = Sha256::digest(public.as_ref()).into();
        let config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(|error| unusable_certificate(certificate, error))?
            .with_no_client_auth()
            .with_single_cert(chain, secret);
        let mut config = config.map_err(|error| unusable_certificate(certificate, error))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self { config: Arc::new(config), fingerprint })
    }
}

/// Makes the certificate, unless it is there. Of several daemons that do so at
/// once, one wins, and all go by its file.
fn generate(file: &Path) -> Result<()> {
    if file.exists() {
        return Ok(());
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    let unwritable = |error: io::Error| {
        let message = format!("`{}` cannot be written: {error}", file.display());
        Error::new(Reason::FileUnwritable, message).with("path", file.display())
    };
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(unwritable)?;
    let pair = rcgen::generate_simple_self_signed(["browse".to_owned(), "localhost".to_owned()]);
    let pair = pair.map_err(|error| unusable_certificate(file, error))?;
    let text = format!("{}{}", pair.cert.pem(), pair.signing_key.serialize_pem());
    // A temporary file is 0600 from the start.
    let mut waiting = tempfile::NamedTempFile::new_in(folder).map_err(unwritable)?;
    io::Write::write_all(&mut waiting, text.as_bytes()).map_err(unwritable)?;
    match waiting.persist_noclobber(file) {
        Ok(_) => Ok(()),
        Err(lost) if lost.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(lost) => Err(unwritable(lost.error)),
    }
}

/// What the file holds. A key that others may read is nobody's secret.
fn read_pem(path: &Path, secret: bool) -> Result<Vec<u8>> {
    let flags = nix::libc::O_NONBLOCK;
    let file = fs::OpenOptions::new().read(true).custom_flags(flags).open(path);
    let mut file = file.map_err(|error| unusable_certificate(path, error))?;
    let about = file.metadata().map_err(|error| unusable_certificate(path, error))?;
    if !about.is_file() {
        return Err(unusable_certificate(path, "it is not a plain file"));
    }
    if secret && about.mode() & 0o077 != 0 {
        let mode = about.mode() & 0o777;
        return Err(unusable_certificate(path, format!("others may open it (mode {mode:o})")));
    }
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut file, &mut bytes)
        .map_err(|error| unusable_certificate(path, error))?;
    Ok(bytes)
}

fn unusable_certificate(path: &Path, why: impl std::fmt::Display) -> Error {
    let shown: PathBuf = path.to_path_buf();
    let message = format!("the certificate `{}` cannot be used: {why}", shown.display());
    Error::new(Reason::CertificateUnusable, message).with("path", shown.display())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn it_is_made_once_and_is_the_same_ever_after() {
        let home = tempfile::tempdir().expect("a folder");
        let file = home.path().join(CERTIFICATE_FILE);
        generate(&file).expect("it is made");
        let first = TunnelIdentity::load(&file, &file).expect("it is good");
        generate(&file).expect("it is there");
        let second = TunnelIdentity::load(&file, &file).expect("it is good");
        assert_eq!(first.fingerprint, second.fingerprint);
        assert_eq!(fs::metadata(&file).expect("a file").mode() & 0o777, 0o600);
    }

    #[test]
    fn what_others_may_read_or_does_not_fit_is_refused() {
        let home = tempfile::tempdir().expect("a folder");
        let (one, other) = (home.path().join("a/1.pem"), home.path().join("a/2.pem"));
        generate(&one).expect("it is made");
        generate(&other).expect("it is made");
        // The key of one with the certificate of the other.
        let mixed = home.path().join("mixed.pem");
        let text = fs::read_to_string(&other).expect("a file");
        let at = text.find("-----BEGIN PRIVATE").expect("a key");
        fs::write(&mixed, &text[at..]).expect("it is written");
        fs::set_permissions(&mixed, fs::Permissions::from_mode(0o600)).expect("a mode");
        assert!(TunnelIdentity::load(&one, &mixed).is_err());
        fs::set_permissions(&one, fs::Permissions::from_mode(0o644)).expect("a mode");
        let refused = TunnelIdentity::load(&one, &one).map(|_| ()).expect_err("others may read it");
        assert_eq!(refused.reason(), Reason::CertificateUnusable);
        fs::write(&mixed, "nonsense").expect("it is written");
        assert!(TunnelIdentity::load(&mixed, &mixed).is_err());
    }
}
