//! TLS to a server that is known by its name: a certificate authority of this machine vouches for
//! it, or one of a file that the user named.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
    sync::Arc,
};

use browse_proto::Reason;
use tokio_rustls::rustls::{
    ClientConfig,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};

use crate::{
    failure::{Failure, Result},
    io_failure,
};

/// Bytes of a file with authorities; those of a whole system take a quarter of it.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// How to greet a server that speaks `protocol`, by ALPN. The authorities of the file `ca` count
/// beside those of this machine.
///
/// # Errors
/// `CERTIFICATE_UNUSABLE`: the file cannot be read, or it holds no certificate.
pub fn client_config(ca: Option<&Path>, protocol: &[u8]) -> Result<ClientConfig> {
    let mut roots = browse_pin::machine_roots();
    if let Some(path) = ca {
        roots.add_parsable_certificates(read_authorities(path)?);
    }
    if roots.is_empty() {
        let message = "this machine has no certificate authorities";
        return Err(Failure::new(Reason::CertificateUnusable, message)
            .with_hint("Install the package `ca-certificates`, or name a file with `--ca`"));
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder
        .with_safe_default_protocol_versions()
        .map_err(|error| Failure::new(Reason::Bug, format!("TLS cannot be set up: {error}")))?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    Ok(config)
}

/// Reads the authorities of a PEM file.
///
/// # Errors
/// `CERTIFICATE_UNUSABLE`.
pub fn read_authorities(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let shown = path.display().to_string();
    let unusable = |why: &str| {
        let message = format!("the certificate authorities of `{shown}` cannot be used: {why}");
        let values = [("path", shown.clone())];
        Failure::with_values(Reason::CertificateUnusable, message, values)
            .with_hint("Give `--ca` a file with certificates as PEM")
    };
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(|error| unusable(&io_failure::error_text(&error)))?;
    let found: Result<Vec<CertificateDer<'static>>, _> =
        CertificateDer::pem_slice_iter(&bytes).collect();
    let found = found.map_err(|error| unusable(&error.to_string()))?;
    match found.is_empty() {
        true => Err(unusable("it contains no certificate")),
        false => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_without_certificates_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ca.pem");
        assert!(read_authorities(&path).is_err(), "the file is missing");
        for text in ["", "words", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n"] {
            fs::write(&path, text).expect("it writes");
            let failure = read_authorities(&path).expect_err(text);
            assert!(failure.has_reason(Reason::CertificateUnusable), "{text}");
        }
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]);
        fs::write(&path, made.expect("a certificate").cert.pem()).expect("it writes");
        assert_eq!(read_authorities(&path).map(|found| found.len()), Ok(1));
        assert!(client_config(Some(&path), b"h2").is_ok());
    }
}
