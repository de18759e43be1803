//! TLS 1.3 to a daemon elsewhere, which is known by its public key: names and
//! authorities have no say, unless a tunnel may end TLS on the way.

use std::{error::Error, fmt, sync::Arc};

use browse_proto::Reason;
use sha2::{Digest as _, Sha256};
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        self, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
        client::{
            WebPkiServerVerifier,
            danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        },
        crypto::{CryptoProvider, ring, verify_tls13_signature},
        pki_types::{CertificateDer, ServerName, UnixTime},
        server::ParsedCertificate,
    },
};

use crate::{failure::Failure, link::Pin, reach::Proof};

/// The other end has another public key, and why nobody vouches for that.
#[derive(Debug)]
struct Mismatch(Option<rustls::Error>);

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("it has another public key"),
            Some(why) => write!(f, "it has another public key, and nobody vouches for it: {why}"),
        }
    }
}

impl Error for Mismatch {}

/// Greets the daemon at `authority`, which has to give this proof.
pub async fn greet(
    stream: TcpStream,
    authority: &str,
    proof: &Proof,
) -> Result<TlsStream<TcpStream>, Box<dyn Error + Send + Sync>> {
    let provider = Arc::new(ring::default_provider());
    let authorities = if proof.vouched { authorities(&provider)? } else { None };
    let verifier = Pinned { pin: proof.pin, authorities, provider: Arc::clone(&provider) };
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    // A tunnel that ends TLS may hand on nothing but HTTP/1.1.
    config.alpn_protocols = match proof.vouched {
        true => vec![b"http/1.1".to_vec()],
        false => vec![b"h2".to_vec()],
    };
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let name = ServerName::try_from(host)?;
    Ok(TlsConnector::from(Arc::new(config)).connect(name, stream).await?)
}

/// Those whose word the machine takes for certificates, if there are any.
fn authorities(
    provider: &Arc<CryptoProvider>,
) -> Result<Option<Arc<WebPkiServerVerifier>>, Box<dyn Error + Send + Sync>> {
    let mut roots = RootCertStore::empty();
    // Some of a machine's may be beyond reading.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Ok(None);
    }
    let builder = WebPkiServerVerifier::builder_with_provider(roots.into(), Arc::clone(provider));
    Ok(Some(builder.build()?))
}

/// The failure to tell when the other end is not who it should be.
pub fn mismatch(error: &(dyn Error + 'static)) -> Option<Failure> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        let found = inner.map_or(error, |inner| inner as &(dyn Error + 'static));
        if let Some(rustls::Error::InvalidCertificate(rustls::CertificateError::Other(other))) =
            found.downcast_ref()
            && let Some(mismatch) = other.0.downcast_ref::<Mismatch>()
        {
            let message =
                format!("the other end is not the daemon of the pairing block: {mismatch}");
            return Some(Failure::new(Reason::RemoteMismatch, message));
        }
        cause = error.source();
    }
    None
}

/// Knows one public key, and maybe whom to ask about others.
#[derive(Debug)]
struct Pinned {
    pin: Pin,
    authorities: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        status: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let parsed = ParsedCertificate::try_from(end_entity)?;
        let found = Sha256::digest(parsed.subject_public_key_info().as_ref());
        if found[..] == self.pin.0 {
            return Ok(ServerCertVerified::assertion());
        }
        let why = match &self.authorities {
            None => None,
            Some(authorities) => {
                match authorities.verify_server_cert(end_entity, others, name, status, now) {
                    Ok(verified) => return Ok(verified),
                    Err(why) => Some(why),
                }
            }
        };
        let other = rustls::OtherError(Arc::new(Mismatch(why)));
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
