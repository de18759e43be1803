//! TLS to a server that is known by its name: a certificate authority of this machine vouches for
//! it, or one of a file that the user named.

use std::path::Path;

use browse_proto::Reason;
use tokio_rustls::rustls::{ClientConfig, pki_types::CertificateDer};

use crate::{
    failure::{Failure, Result},
    io_failure,
};

/// How to greet a server that speaks `protocol`, by ALPN. The authorities of the file `ca` count
/// beside those of this machine.
///
/// # Errors
/// `CERTIFICATE_UNUSABLE`: the file cannot be read, or it holds no certificate.
pub fn client_config(ca: Option<&Path>, protocol: &[u8]) -> Result<ClientConfig> {
    let authorities = ca.map(read_authorities).transpose()?.unwrap_or_default();
    let greeting = browse_pin::named_greeting(authorities, protocol)
        .map_err(|error| Failure::new(Reason::Bug, format!("TLS cannot be set up: {error}")))?;
    greeting.ok_or_else(|| {
        let message = "this machine has no certificate authorities";
        Failure::new(Reason::CertificateUnusable, message)
            .with_hint("Install the package `ca-certificates`, or name a file with `--ca`")
    })
}

/// Reads the authorities of a PEM file.
///
/// # Errors
/// `CERTIFICATE_UNUSABLE`.
pub fn read_authorities(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    browse_pin::read_authorities(path).map_err(|error| {
        let (shown, why) = (path.display().to_string(), io_failure::error_text(&error));
        let message = format!("the certificate authorities of `{shown}` cannot be used: {why}");
        Failure::with_values(Reason::CertificateUnusable, message, [("path", shown)])
            .with_hint("Give `--ca` a file with certificates as PEM")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_used_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ca.pem");
        std::fs::write(&path, "words").expect("it writes");
        let failure = client_config(Some(&path), b"h2").map(drop).expect_err("it has none");
        assert!(failure.has_reason(Reason::CertificateUnusable));
        assert!(failure.message.contains(&path.display().to_string()), "{}", failure.message);
        assert!(failure.message.ends_with("it contains no certificate"), "{}", failure.message);
    }
}
