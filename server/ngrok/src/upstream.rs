//! The way to the listener: TLS 1.3 to the one certificate that it has.

use std::{io, sync::Arc, time::Duration};

use sha2::{Digest as _, Sha256};
use tokio::{
    io::{AsyncRead, AsyncWrite, copy_bidirectional},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        self, ClientConfig, DigitallySignedStruct, SignatureScheme,
        client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        crypto::{CryptoProvider, ring, verify_tls13_signature},
        pki_types::{CertificateDer, ServerName, UnixTime},
        server::ParsedCertificate,
    },
};

use crate::order::Order;

/// Time that the listener gets to greet.
const GREETING: Duration = Duration::from_secs(10);

/// The listener.
#[derive(Clone)]
pub struct Upstream {
    address: std::net::SocketAddr,
    tls: TlsConnector,
}

impl Upstream {
    /// The listener of `order`.
    ///
    /// # Errors
    /// TLS 1.3 is not to be had.
    pub fn of(order: &Order) -> Result<Self, rustls::Error> {
        let provider = Arc::new(ring::default_provider());
        let verifier = Pinned { pin: order.pin, provider: Arc::clone(&provider) };
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        // What ngrok hands on of an https endpoint.
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { address: order.listener, tls: TlsConnector::from(Arc::new(config)) })
    }

    /// Carries `outside` to the listener and back, to the end of both.
    ///
    /// # Errors
    /// The listener is gone or another; one of the two broke off.
    pub async fn carry(&self, mut outside: impl AsyncRead + AsyncWrite + Unpin) -> io::Result<()> {
        let greeted = async {
            let stream = TcpStream::connect(self.address).await?;
            stream.set_nodelay(true)?;
            self.tls.connect(ServerName::IpAddress(self.address.ip().into()), stream).await
        };
        let mut inside = timeout(GREETING, greeted).await??;
        copy_bidirectional(&mut outside, &mut inside).await.map(drop)
    }
}

/// Knows one public key; names and authorities have no say.
#[derive(Debug)]
struct Pinned {
    pin: [u8; 32],
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
        match found[..] == self.pin {
            true => Ok(ServerCertVerified::assertion()),
            false => Err(rustls::CertificateError::UnknownIssuer.into()),
        }
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
