//! TLS 1.3 to a daemon elsewhere, which is known by its public key alone: names
//! and authorities have no say.

use std::{error::Error, fmt, sync::Arc};

use browse_proto::Reason;
use sha2::{Digest as _, Sha256};
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        self, ClientConfig, DigitallySignedStruct, SignatureScheme,
        client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        crypto::{CryptoProvider, ring, verify_tls13_signature},
        pki_types::{CertificateDer, ServerName, UnixTime},
        server::ParsedCertificate,
    },
};

use crate::{failure::Failure, link::Pin};

/// The other end has another public key.
#[derive(Debug)]
struct Mismatch;

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another public key")
    }
}

impl Error for Mismatch {}

/// Greets the daemon at `authority`, which has to show the key of `pin`.
pub async fn greet(
    stream: TcpStream,
    authority: &str,
    pin: &Pin,
) -> Result<TlsStream<TcpStream>, Box<dyn Error + Send + Sync>> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Pinned { pin: *pin, provider: Arc::clone(&provider) };
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let name = ServerName::try_from(host)?;
    Ok(TlsConnector::from(Arc::new(config)).connect(name, stream).await?)
}

/// The failure to tell when the other end is not who it should be.
pub fn mismatch(error: &(dyn Error + 'static)) -> Option<Failure> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        let found = inner.map_or(error, |inner| inner as &(dyn Error + 'static));
        if let Some(rustls::Error::InvalidCertificate(rustls::CertificateError::Other(other))) =
            found.downcast_ref()
            && other.0.is::<Mismatch>()
        {
            let message = "the other end is not the daemon of the pairing block";
            return Some(Failure::new(Reason::RemoteMismatch, message));
        }
        cause = error.source();
    }
    None
}

/// Knows one public key.
#[derive(Debug)]
struct Pinned {
    pin: Pin,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let parsed = ParsedCertificate::try_from(end_entity)?;
        let found = Sha256::digest(parsed.subject_public_key_info().as_ref());
        if found[..] == self.pin.0 {
            return Ok(ServerCertVerified::assertion());
        }
        let other = rustls::OtherError(Arc::new(Mismatch));
        Err(rustls::CertificateError::Other(other).into())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Err(rustls::Error::General("TLS 1.2 is not spoken".to_owned()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
