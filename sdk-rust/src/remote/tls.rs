//! TLS to another machine: how it is greeted, and what its failures are. A paired daemon
//! speaks TLS 1.3 and is known by its public key alone: names and authorities have no
//! say, unless TLS may end at a tunnel.

use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{VerifierBuilderError, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring as provider, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use rustls::{DigitallySignedStruct, SignatureScheme};

use crate::client::{Connector, PeerHints, RemotePeer};
use crate::error::{Error, Result};
use crate::http::{HttpConnection, Socket, connect_tcp};
use crate::sha256::sha256;

/// Time that the other end has to greet, if the call has no less.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// What to do about the errors of a paired daemon.
pub const PAIRED_HINTS: PeerHints = PeerHints {
    unreachable: "Check the network, and ask the owner whether the pairing still is",
    foreign: "Ask the owner to look at `browse tunnel status`, and for a new block; the call may have been carried out",
    token: String::new(),
};

/// A server that is greeted with TLS.
pub struct TlsPeer {
    /// `host:port`.
    pub address: String,
    /// The name that its certificate is for.
    pub name: ServerName<'static>,
    /// How it is greeted.
    pub config: Arc<ClientConfig>,
    /// What is spoken, for errors.
    pub protocol: &'static str,
    /// What to do about its errors.
    pub hints: PeerHints,
    /// The failure of a certificate that does not count.
    pub refusal: fn(&rustls::Error) -> Error,
}

impl TlsPeer {
    /// Makes connections to it.
    pub fn connector(self) -> Connector {
        Box::new(move |end| self.connect(end))
    }

    fn connect(&self, end: Instant) -> io::Result<HttpConnection> {
        let mut socket = connect_tcp(&self.address, end)?;
        let client = ClientConnection::new(Arc::clone(&self.config), self.name.clone());
        let mut client = client.map_err(io::Error::other)?;
        let begun = Instant::now();
        let end = end.min(begun + HANDSHAKE_TIMEOUT);
        let time = end.saturating_duration_since(begun);
        handshake(&mut client, &mut socket, end)
            .map_err(|error| self.handshake_error(error, time))?;
        Ok(HttpConnection::new(StreamOwned::new(client, socket)))
    }

    /// The error of a greeting, as callers shall see it.
    fn handshake_error(&self, error: io::Error, time: Duration) -> io::Error {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
        use io::ErrorKind::{TimedOut, UnexpectedEof, WouldBlock};
        let foreign = |what: &str| {
            io::Error::other(Error::unexpected_peer(&self.address, what, self.hints.foreign))
        };
        match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(refused @ rustls::Error::InvalidCertificate(_)) => {
                return io::Error::other((self.refusal)(refused));
            }
            Some(rustls::Error::AlertReceived(alert)) => {
                return foreign(&format!("it refuses the greeting of TLS with `{alert:?}`"));
            }
            Some(_) => return foreign(&format!("it does not speak {}", self.protocol)),
            None => {}
        }
        let why = match error.kind() {
            WouldBlock | TimedOut => {
                format!("it takes the connection, and says nothing within {time:.0?}")
            }
            UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe => {
                "it takes the connection, and ends it before a word".to_owned()
            }
            _ => return error,
        };
        let unreachable = Error::unreachable(&self.address, why);
        io::Error::other(unreachable.with_hint(self.hints.unreachable))
    }
}

/// A daemon at `address`, which has to show the key of `pin`. With `vouched` TLS may end
/// at a tunnel: a certificate is as good that the authorities of this machine vouch for.
pub fn paired_peer(address: &str, pin: &str, vouched: bool) -> Result<RemotePeer> {
    let unusable = |error: &dyn std::fmt::Display| Error::unreachable(address, error);
    let provider = Arc::new(provider::default_provider());
    let pin = pin.to_ascii_lowercase();
    let authorities = match vouched {
        true => Some(public_ca_verifier(&provider).map_err(|error| unusable(&error))?),
        false => None,
    };
    let verifier =
        Arc::new(PinnedKeyVerifier { pin, authorities, provider: Arc::clone(&provider) });
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| unusable(&error))?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let name = ServerName::try_from(host).map_err(|error| unusable(&error))?;
    let peer = TlsPeer {
        address: address.to_owned(),
        name,
        config: Arc::new(config),
        protocol: "TLS 1.3",
        hints: PAIRED_HINTS,
        refusal: pin_mismatch,
    };
    Ok(RemotePeer { connector: peer.connector(), authority: String::new(), hints: PAIRED_HINTS })
}

fn pin_mismatch(_: &rustls::Error) -> Error {
    let message = "the other end is not the daemon of the pairing block";
    Error::new("REMOTE_MISMATCH", message, "Do not go on; ask the owner for a new block", 9)
}

/// Those whose word this machine takes for certificates.
fn public_ca_verifier(
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, VerifierBuilderError> {
    let mut roots = RootCertStore::empty();
    // Some of a machine's may be beyond reading.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    WebPkiServerVerifier::builder_with_provider(roots.into(), Arc::clone(provider)).build()
}

/// Greets the other end until `end`, however slowly it answers.
fn handshake(
    client: &mut ClientConnection,
    socket: &mut TcpStream,
    end: Instant,
) -> io::Result<()> {
    let wrong = |error: rustls::Error| io::Error::new(io::ErrorKind::InvalidData, error);
    while client.is_handshaking() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        socket.wait(left)?;
        if client.wants_write() {
            client.write_tls(socket)?;
        } else if client.read_tls(socket)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        } else if let Err(error) = client.process_new_packets() {
            // What it is refused for.
            let _ = client.write_tls(socket);
            return Err(wrong(error));
        }
    }
    // The end of our greeting, which the first call would bring as well.
    while client.wants_write() {
        client.write_tls(socket)?;
    }
    Ok(())
}

impl Socket for StreamOwned<ClientConnection, TcpStream> {
    fn hurry(&self, on: bool) -> io::Result<()> {
        self.sock.hurry(on)
    }

    fn wait(&self, time: Duration) -> io::Result<()> {
        self.sock.wait(time)
    }
}

/// Knows one public key, and maybe whom to ask about others.
#[derive(Debug)]
struct PinnedKeyVerifier {
    pin: String,
    authorities: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for PinnedKeyVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        status: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let parsed = ParsedCertificate::try_from(end_entity)?;
        if sha256(parsed.subject_public_key_info().as_ref()) == self.pin {
            return Ok(ServerCertVerified::assertion());
        }
        match &self.authorities {
            Some(them) => them.verify_server_cert(end_entity, others, name, status, now),
            None => Err(rustls::CertificateError::ApplicationVerificationFailure.into()),
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
