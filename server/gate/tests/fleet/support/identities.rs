//! Certificates of the fleet, and keys of its callers.

use std::{
    fs,
    path::{Path, PathBuf},
};

use browse_base::hex;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use sha2::{Digest as _, Sha256};

/// Tenants with callers; the key of one is its name with `-key`.
pub const TENANTS: [&str; 4] = ["acme", "beta", "gamma", "delta"];

/// A file of keys: one for each of these tenants, and one for a session of `acme`.
pub fn api_keys(tenants: &[&str]) -> String {
    let key = |tenant: &&str| {
        let hash = hex(&Sha256::digest(format!("{tenant}-key")));
        format!(
            "[[key]]\nsha256 = \"{hash}\"\ntenant = \"{tenant}\"\nsubject = \"ann\"\n\
             scopes = [\"read\", \"write\", \"meta\", \"admin\", \"control\"]\n"
        )
    };
    let narrow = hex(&Sha256::digest("narrow-key"));
    let narrow = format!(
        "[[key]]\nsha256 = \"{narrow}\"\ntenant = \"acme\"\nsubject = \"bob\"\n\
         scopes = [\"read\"]\nsession = \"one\"\n"
    );
    tenants.iter().map(key).collect::<String>() + &narrow
}

/// A new authority.
pub fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority")
}

/// Writes a certificate for `name` into a folder below `home`; returns the folder.
pub fn write_identity(
    authority: &CertifiedIssuer<'static, KeyPair>,
    home: &Path,
    name: &str,
) -> PathBuf {
    let folder = home.join(name);
    fs::create_dir_all(&folder).expect("a folder");
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
    let certificate = params.signed_by(&key, authority).expect("a certificate");
    fs::write(folder.join("tls.crt"), certificate.pem()).expect("written");
    fs::write(folder.join("tls.key"), key.serialize_pem()).expect("written");
    fs::write(folder.join("ca.crt"), authority.pem()).expect("written");
    folder
}
