//! TLS to the gateway of a fleet, which is known by its name: an authority of this machine vouches
//! for its certificate, or one of the file of the sign-in.

use std::{io, path::Path, sync::Arc};

use browse_base::{Error, HINT_KEY, Result};
use browse_proto::Reason;
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{self, ClientConfig, pki_types::ServerName},
};

use super::{
    gateway_error::{foreign, unreachable},
    remote_file::FleetCredentials,
};

const ALPN_HTTP2: &[u8] = b"h2";

/// Greets the gateway of `fleet`.
///
/// # Errors
/// `DAEMON_UNREACHABLE`, `CERTIFICATE_UNUSABLE`, `REMOTE_FOREIGN`.
pub async fn greet(fleet: &FleetCredentials, stream: TcpStream) -> Result<TlsStream<TcpStream>> {
    let config = client_config(fleet.ca.as_deref())?;
    let name = ServerName::try_from(fleet.url.host().to_owned());
    let name = name.map_err(|error| unreachable(&fleet.url, &error.to_string()))?;
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
    let stream = stream.map_err(|error| greeting_failure(fleet, &error))?;
    match stream.get_ref().1.alpn_protocol() {
        Some(ALPN_HTTP2) => Ok(stream),
        _ => Err(foreign("it does not speak HTTP/2")),
    }
}

/// How a gateway is greeted. The authorities of the file `ca` count beside those of this machine.
fn client_config(ca: Option<&Path>) -> Result<ClientConfig> {
    let authorities = match ca {
        Some(path) => browse_pin::read_authorities(path).map_err(|error| unusable(path, &error))?,
        None => Vec::new(),
    };
    let greeting = browse_pin::named_greeting(authorities, ALPN_HTTP2)
        .map_err(|error| Error::new(Reason::Bug, format!("TLS cannot be set up: {error}")))?;
    greeting.ok_or_else(|| {
        let message = "this machine has no certificate authorities";
        let hint = "Install the package `ca-certificates`, or sign in with `--ca <file>`";
        Error::new(Reason::CertificateUnusable, message).with(HINT_KEY, hint)
    })
}

fn unusable(path: &Path, error: &io::Error) -> Error {
    let shown = path.display();
    let message = format!("the certificate authorities of `{shown}` cannot be used: {error}");
    Error::new(Reason::CertificateUnusable, message)
        .with("path", shown)
        .with(HINT_KEY, "Sign in again, and give `--ca` a file with certificates as PEM")
}

fn greeting_failure(fleet: &FleetCredentials, error: &io::Error) -> Error {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    match cause {
        Some(cause @ rustls::Error::InvalidCertificate(_)) => {
            let message = format!("the certificate of the gateway is not trusted: {cause}");
            let hint =
                "Check the address; for an authority of your own, sign in with `--ca <file>`";
            Error::new(Reason::CertificateUnusable, message).with(HINT_KEY, hint)
        }
        Some(cause) => foreign(&cause.to_string()),
        None => unreachable(&fleet.url, &error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_certificates_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ca.pem");
        std::fs::write(&path, "words").expect("written");
        let error = client_config(Some(&path)).map(drop).expect_err("it has none");
        assert_eq!(error.reason(), Reason::CertificateUnusable);
        assert_eq!(error.metadata()["path"], path.display().to_string());
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]);
        std::fs::write(&path, made.expect("a certificate").cert.pem()).expect("written");
        assert!(client_config(Some(&path)).is_ok());
    }
}
