//! The certificates of a fleet that lasts for one run: one authority signs those of the gateway, of
//! the pods and for clients.

use std::{
    fs,
    path::{Path, PathBuf},
};

use browse_fleet::{FleetIdentity, GATE_NAME, POD_NAME};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio_rustls::rustls::ClientConfig;

use super::failure::{During as _, Outcome};

/// The name in the certificate for clients.
pub const PUBLIC_NAME: &str = "browse.example.com";

/// Folders with `tls.crt`, `tls.key` and `ca.crt`.
pub struct Identities {
    /// Of the gateway.
    pub gate: PathBuf,
    /// Of the pods.
    pub pod: PathBuf,
    /// What the gateway shows to clients.
    pub public: PathBuf,
}

impl Identities {
    /// Writes the three below `home`.
    ///
    /// # Errors
    /// A file cannot be written, or a key cannot be made.
    pub fn write(home: &Path) -> Outcome<Self> {
        let mut params = CertificateParams::new(Vec::new()).during("an authority")?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().during("a key")?;
        let authority = CertifiedIssuer::self_signed(params, key).during("an authority")?;
        Ok(Self {
            gate: write_identity(&authority, home, GATE_NAME)?,
            pod: write_identity(&authority, home, POD_NAME)?,
            public: write_identity(&authority, home, PUBLIC_NAME)?,
        })
    }

    /// How this program connects, to pods as the gateway does, and to the gateway as a client.
    ///
    /// # Errors
    /// The files were changed.
    pub fn client_config(&self) -> Outcome<ClientConfig> {
        let identity = FleetIdentity::read(&self.gate).during("the certificate of the gateway")?;
        identity.client_config().during("the certificate of the gateway")
    }
}

fn write_identity(
    authority: &CertifiedIssuer<'static, KeyPair>,
    home: &Path,
    name: &str,
) -> Outcome<PathBuf> {
    let folder = home.join(name);
    fs::create_dir_all(&folder).during(folder.display())?;
    let key = KeyPair::generate().during("a key")?;
    let params = CertificateParams::new(vec![name.to_owned()]).during(name)?;
    let certificate = params.signed_by(&key, authority).during(name)?;
    let files = [
        ("tls.crt", certificate.pem()),
        ("tls.key", key.serialize_pem()),
        ("ca.crt", authority.pem()),
    ];
    for (file, text) in files {
        let path = folder.join(file);
        fs::write(&path, text).during(path.display())?;
    }
    Ok(folder)
}
