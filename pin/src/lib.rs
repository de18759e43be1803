//! TLS 1.3 to the holder of one public key: names and authorities have no say,
//! unless the caller names authorities who may vouch for another key.
//!
//! The SDK for Rust has a check of its own: its file stands alone.
//!
//! Where names and authorities do have a say, [`HttpsUrl`] is what may be called, and
//! [`named_greeting`] how.

mod https_url;
mod named_greeting;

pub use https_url::HttpsUrl;
pub use named_greeting::{named_greeting, read_authorities};

use std::{error::Error, fmt, sync::Arc};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, OtherError, RootCertStore,
    SignatureScheme,
    client::{
        VerifierBuilderError, WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, ring, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
    server::ParsedCertificate,
};
use sha2::{Digest as _, Sha256};

/// SHA-256 of the public key (SPKI) that the other end has to show.
pub type Pin = [u8; 32];

/// The other end has another public key, and why nobody vouches for that.
#[derive(Debug)]
pub struct Mismatch(Option<rustls::Error>);

impl Mismatch {
    /// What it is in an error of a greeting.
    pub fn of(error: &rustls::Error) -> Option<&Self> {
        match error {
            rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(other))) => {
                other.downcast_ref()
            }
            _ => None,
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("it has another public key"),
            Some(why) => write!(f, "it has another public key, and nobody vouches for it: {why}"),
        }
    }
}

impl Error for Mismatch {}

/// How to greet the holder of the key of `pin`, or one that `authorities` vouch
/// for.
///
/// # Errors
/// TLS 1.3 is not to be had.
pub fn greeting(
    pin: Pin,
    authorities: Option<Arc<WebPkiServerVerifier>>,
) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Pinned { pin, authorities, provider: Arc::clone(&provider) };
    Ok(ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}

/// The authorities whose word this machine takes for certificates, if there are any.
///
/// # Errors
/// No certificate can be checked with them.
pub fn machine_authorities() -> Result<Option<Arc<WebPkiServerVerifier>>, VerifierBuilderError> {
    let roots = machine_roots();
    if roots.is_empty() {
        return Ok(None);
    }
    let provider = Arc::new(ring::default_provider());
    WebPkiServerVerifier::builder_with_provider(roots.into(), provider).build().map(Some)
}

/// The certificates of these authorities. It is empty where the machine has none.
pub fn machine_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    // Some of a machine's may be beyond reading.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
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
        if found[..] == self.pin {
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
        Err(CertificateError::Other(OtherError(Arc::new(Mismatch(why)))).into())
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

#[cfg(test)]
mod tests {
    use std::io;

    use rustls::{ClientConnection, ServerConfig, ServerConnection};

    use super::*;

    struct Server {
        config: Arc<ServerConfig>,
        certificate: CertificateDer<'static>,
        pin: Pin,
    }

    impl Server {
        fn new() -> Self {
            Self::with(&[&rustls::version::TLS13])
        }

        fn with(versions: &[&'static rustls::SupportedProtocolVersion]) -> Self {
            let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]);
            let made = made.expect("a certificate");
            let certificate = made.cert.der().clone();
            let key = rustls::pki_types::PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
            let parsed = ParsedCertificate::try_from(&certificate).expect("it is whole");
            let pin = Sha256::digest(parsed.subject_public_key_info().as_ref()).into();
            let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
                .with_protocol_versions(versions)
                .expect("it is spoken")
                .with_no_client_auth()
                .with_single_cert(vec![certificate.clone()], key.into())
                .expect("they fit");
            Self { config: Arc::new(config), certificate, pin }
        }

        fn authority(&self) -> Arc<WebPkiServerVerifier> {
            let mut roots = RootCertStore::empty();
            roots.add(self.certificate.clone()).expect("a root");
            let provider = Arc::new(ring::default_provider());
            let builder = WebPkiServerVerifier::builder_with_provider(roots.into(), provider);
            builder.build().expect("there is a root")
        }
    }

    /// Greets `server` in memory.
    fn greet(config: ClientConfig, server: &Server, name: &str) -> Result<(), rustls::Error> {
        let name = ServerName::try_from(name.to_owned()).expect("a name");
        let mut client = ClientConnection::new(Arc::new(config), name)?;
        let mut server = ServerConnection::new(Arc::clone(&server.config))?;
        let memory = |error: io::Error| rustls::Error::General(error.to_string());
        while client.is_handshaking() || server.is_handshaking() {
            let mut bytes = Vec::new();
            client.write_tls(&mut bytes).map_err(memory)?;
            server.read_tls(&mut &bytes[..]).map_err(memory)?;
            let heard = server.process_new_packets();
            bytes.clear();
            server.write_tls(&mut bytes).map_err(memory)?;
            client.read_tls(&mut &bytes[..]).map_err(memory)?;
            client.process_new_packets()?;
            heard?;
        }
        Ok(())
    }

    #[test]
    fn one_key_is_known_whatever_its_name() {
        let server = Server::new();
        let config = || greeting(server.pin, None).expect("TLS 1.3");
        assert_eq!(greet(config(), &server, "localhost"), Ok(()));
        assert_eq!(greet(config(), &server, "elsewhere.example"), Ok(()));
    }

    #[test]
    fn another_key_is_refused_unless_an_authority_vouches_for_it() {
        let (ours, other) = (Server::new(), Server::new());
        let refused = |authorities, name: &str| {
            let config = greeting(ours.pin, authorities).expect("TLS 1.3");
            let error = greet(config, &other, name).expect_err("it is another");
            Mismatch::of(&error).expect("that is why").to_string()
        };
        assert_eq!(refused(None, "localhost"), "it has another public key");
        let why = refused(Some(ours.authority()), "localhost");
        assert!(why.contains("nobody vouches for it"), "{why}");
        let why = refused(Some(other.authority()), "elsewhere.example");
        assert!(why.contains("nobody vouches for it"), "{why}");
        let config = greeting(ours.pin, Some(other.authority())).expect("TLS 1.3");
        assert_eq!(greet(config, &other, "localhost"), Ok(()));
    }
}
