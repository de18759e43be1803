//! TLS to a server that is known by its name: a certificate authority of this machine vouches for
//! it, or one of a file that the user named.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
    sync::Arc,
};

use rustls::{
    ClientConfig,
    crypto::ring,
    pki_types::{
        CertificateDer,
        pem::{self, PemObject as _},
    },
};

use crate::machine_roots;

/// Bytes of a file with authorities; those of a whole system take a quarter of it.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// How to greet a server that speaks `protocol`, by ALPN. `authorities` count beside those of this
/// machine. `None`: neither has any.
///
/// # Errors
/// TLS cannot be set up.
pub fn named_greeting(
    authorities: Vec<CertificateDer<'static>>,
    protocol: &[u8],
) -> Result<Option<ClientConfig>, rustls::Error> {
    let mut roots = machine_roots();
    roots.add_parsable_certificates(authorities);
    if roots.is_empty() {
        return Ok(None);
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    Ok(Some(config))
}

/// Reads the authorities of a PEM file.
///
/// # Errors
/// The file cannot be read, it is not PEM, or it contains no certificate.
pub fn read_authorities(path: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
    let found: Result<Vec<CertificateDer<'static>>, pem::Error> =
        CertificateDer::pem_slice_iter(&bytes).collect();
    let found = found.map_err(io::Error::other)?;
    match found.is_empty() {
        true => Err(io::Error::other("it contains no certificate")),
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
        let missing = read_authorities(&path).expect_err("the file is missing");
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        for text in ["", "words", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n"] {
            fs::write(&path, text).expect("it writes");
            assert!(read_authorities(&path).is_err(), "{text}");
        }
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]);
        fs::write(&path, made.expect("a certificate").cert.pem()).expect("it writes");
        let found = read_authorities(&path).expect("it has one");
        assert_eq!(found.len(), 1);
        let greeting = named_greeting(found, b"h2").expect("TLS").expect("an authority");
        assert_eq!(greeting.alpn_protocols, [b"h2".to_vec()]);
    }
}
