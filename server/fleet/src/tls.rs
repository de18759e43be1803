//! Mutual TLS between the gateway and its pods: one authority of the fleet signs both, and each
//! side checks the name of the other.

use std::{fs, path::Path, sync::Arc};

use ::ring::hkdf;
use browse_base::{Error, HINT_KEY, Result};
use browse_proto::Reason;
use tokio_rustls::rustls::{
    self, ClientConfig, DigitallySignedStruct, DistinguishedName, RootCertStore, ServerConfig,
    SignatureScheme,
    client::danger::HandshakeSignatureValid,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime, pem::PemObject as _},
    server::{
        ParsedCertificate, WebPkiClientVerifier,
        danger::{ClientCertVerified, ClientCertVerifier},
    },
};

/// The DNS name in the certificate of the gateway.
pub const GATE_NAME: &str = "gate.browse.internal";

/// The DNS name in the certificate of pods. They share one: which pod answers is known by its
/// uid, which it checks itself.
pub const POD_NAME: &str = "pod.browse.internal";

/// Files of a Secret of the type `kubernetes.io/tls`, as cert-manager fills it.
const CERTIFICATE_FILE: &str = "tls.crt";
const KEY_FILE: &str = "tls.key";
const AUTHORITY_FILE: &str = "ca.crt";

/// Who this program is in the fleet: its certificate with its key, and the authority that signs
/// those of the others.
pub struct FleetIdentity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    authorities: Arc<RootCertStore>,
}

impl FleetIdentity {
    /// Reads `tls.crt`, `tls.key` and `ca.crt` of `folder`.
    ///
    /// # Errors
    /// `CERTIFICATE_UNUSABLE`.
    pub fn read(folder: &Path) -> Result<Self> {
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read(&path)
                .map_err(|error| unusable(&path, &error.to_string()))
                .map(|pem| (path, pem))
        };
        let (path, pem) = read(CERTIFICATE_FILE)?;
        let chain = certificates(&path, &pem)?;
        let (path, pem) = read(KEY_FILE)?;
        let key = PrivateKeyDer::from_pem_slice(&pem)
            .map_err(|error| unusable(&path, &error.to_string()))?;
        let (path, pem) = read(AUTHORITY_FILE)?;
        let mut authorities = RootCertStore::empty();
        for certificate in certificates(&path, &pem)? {
            authorities.add(certificate).map_err(|error| unusable(&path, &error.to_string()))?;
        }
        Ok(Self { chain, key, authorities: Arc::new(authorities) })
    }

    /// How a listener greets that takes callers with a certificate for `peer` alone.
    ///
    /// # Errors
    /// `CERTIFICATE_UNUSABLE`: certificate and key do not fit.
    pub fn server_config(&self, peer: &'static str) -> Result<ServerConfig> {
        let provider = Arc::new(ring::default_provider());
        let inner = WebPkiClientVerifier::builder_with_provider(
            Arc::clone(&self.authorities),
            Arc::clone(&provider),
        )
        .build()
        .map_err(|error| mismatch(&error.to_string()))?;
        let name = ServerName::try_from(peer).map_err(|error| mismatch(&error.to_string()))?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(|error| mismatch(&error.to_string()))?
            .with_client_cert_verifier(Arc::new(NamedClientVerifier { inner, name }))
            .with_single_cert(self.chain.clone(), self.key.clone_key())
            .map_err(|error| mismatch(&error.to_string()))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    }

    /// How a caller greets. It names the one that it expects (`POD_NAME`, `GATE_NAME`) when it
    /// connects.
    ///
    /// # Errors
    /// `CERTIFICATE_UNUSABLE`: certificate and key do not fit.
    pub fn client_config(&self) -> Result<ClientConfig> {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(|error| mismatch(&error.to_string()))?
            .with_root_certificates(Arc::clone(&self.authorities))
            .with_client_auth_cert(self.chain.clone(), self.key.clone_key());
        config.map_err(|error| mismatch(&error.to_string()))
    }

    /// A key of 32 bytes for `purpose`, which all programs with this private key derive, and no others:
    /// HKDF-SHA256 (RFC 5869).
    ///
    /// # Errors
    /// `CERTIFICATE_UNUSABLE`.
    pub fn derive_key(&self, purpose: &str) -> Result<[u8; 32]> {
        let extracted = hkdf::Salt::new(hkdf::HKDF_SHA256, &[]).extract(self.key.secret_der());
        let (info, mut key) = ([purpose.as_bytes()], [0; 32]);
        extracted
            .expand(&info, hkdf::HKDF_SHA256)
            .and_then(|derived| derived.fill(&mut key))
            .map_err(|_| mismatch("no key can be derived from its private key"))?;
        Ok(key)
    }
}

fn certificates(path: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>> {
    let chain = CertificateDer::pem_slice_iter(pem).collect::<std::result::Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| unusable(path, &error.to_string()))?;
    match chain.is_empty() {
        true => Err(unusable(path, "it holds no certificate")),
        false => Ok(chain),
    }
}

fn unusable(path: &Path, why: &str) -> Error {
    let message = format!("the certificate `{}` cannot be used: {why}", path.display());
    Error::new(Reason::CertificateUnusable, message).with("path", path.display()).with(
        HINT_KEY,
        "Mount the Secret of the fleet there: `tls.crt`, `tls.key` and `ca.crt` (docs/fleet.md)",
    )
}

fn mismatch(why: &str) -> Error {
    let message = format!("the certificate of the fleet cannot be used: {why}");
    Error::new(Reason::CertificateUnusable, message).with("path", CERTIFICATE_FILE)
}

/// Takes certificates of the authority that are for one name: a pod must not reach another pod.
#[derive(Debug)]
struct NamedClientVerifier {
    inner: Arc<dyn ClientCertVerifier>,
    name: ServerName<'static>,
}

impl ClientCertVerifier for NamedClientVerifier {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.inner.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> std::result::Result<ClientCertVerified, rustls::Error> {
        let verified = self.inner.verify_client_cert(end_entity, intermediates, now)?;
        let certificate = ParsedCertificate::try_from(end_entity)?;
        rustls::client::verify_server_name(&certificate, &self.name)?;
        Ok(verified)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio_rustls::{TlsAcceptor, TlsConnector};

    use super::*;

    struct Authority(CertifiedIssuer<'static, KeyPair>);

    impl Authority {
        fn new() -> Self {
            let mut params = CertificateParams::new(Vec::new()).expect("no names");
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            let key = KeyPair::generate().expect("a key");
            Self(CertifiedIssuer::self_signed(params, key).expect("an authority"))
        }

        /// A folder with a certificate for `name`, trusting `trusted`.
        fn folder(&self, home: &Path, name: &str, trusted: &Self) -> PathBuf {
            let folder = home.join(name);
            fs::create_dir_all(&folder).expect("a folder");
            let key = KeyPair::generate().expect("a key");
            let params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
            let certificate = params.signed_by(&key, &self.0).expect("a certificate");
            fs::write(folder.join(CERTIFICATE_FILE), certificate.pem()).expect("written");
            fs::write(folder.join(KEY_FILE), key.serialize_pem()).expect("written");
            fs::write(folder.join(AUTHORITY_FILE), trusted.0.pem()).expect("written");
            folder
        }
    }

    /// Whether a listener for the gateway and a caller come to talk.
    async fn talk(server: &Path, client: &Path) -> std::io::Result<()> {
        let server = FleetIdentity::read(server).expect("it is whole");
        let server = server.server_config(GATE_NAME).expect("it fits");
        let client = FleetIdentity::read(client).expect("it is whole");
        let client = client.client_config().expect("it fits");
        let (near, far) = tokio::io::duplex(16 << 10);
        let name = ServerName::try_from(POD_NAME).expect("a name");
        let serve = async {
            let mut stream = TlsAcceptor::from(Arc::new(server)).accept(near).await?;
            stream.write_all(b"hi").await
        };
        let call = async {
            let mut stream = TlsConnector::from(Arc::new(client)).connect(name, far).await?;
            stream.read_exact(&mut [0; 2]).await.map(drop)
        };
        let (served, called) = tokio::join!(serve, call);
        served.and(called)
    }

    #[tokio::test]
    async fn a_pod_takes_the_gateway_alone() {
        let home = tempfile::tempdir().expect("a folder");
        let (fleet, other) = (Authority::new(), Authority::new());
        let gate = fleet.folder(&home.path().join("fleet"), GATE_NAME, &fleet);
        let pod = fleet.folder(&home.path().join("fleet"), POD_NAME, &fleet);
        talk(&pod, &gate).await.expect("the gateway is taken");
        assert!(talk(&pod, &pod).await.is_err(), "another pod is not");
        let foreign = other.folder(&home.path().join("a"), GATE_NAME, &fleet);
        assert!(talk(&pod, &foreign).await.is_err(), "another authority is not");
        let posing = other.folder(&home.path().join("b"), POD_NAME, &fleet);
        assert!(talk(&posing, &gate).await.is_err(), "the gateway knows its pods");
        assert!(talk(&gate, &gate).await.is_err(), "the gateway is not a pod");
    }

    #[test]
    fn who_has_the_private_key_derives_the_same_keys() {
        let home = tempfile::tempdir().expect("a folder");
        let fleet = Authority::new();
        let gate = fleet.folder(home.path(), GATE_NAME, &fleet);
        let pod = fleet.folder(home.path(), POD_NAME, &fleet);
        let derive = |folder: &Path, purpose: &str| {
            FleetIdentity::read(folder).and_then(|identity| identity.derive_key(purpose))
        };
        let key = derive(&gate, "ids").expect("a key");
        assert_eq!(derive(&gate, "ids").expect("a key"), key, "another replica");
        assert_ne!(derive(&gate, "others").expect("a key"), key);
        assert_ne!(derive(&pod, "ids").expect("a key"), key);
    }

    #[test]
    fn a_folder_that_is_not_whole_says_what_is_missing() {
        let home = tempfile::tempdir().expect("a folder");
        let fleet = Authority::new();
        let folder = fleet.folder(home.path(), GATE_NAME, &fleet);
        fs::write(folder.join(AUTHORITY_FILE), "nonsense").expect("written");
        let error = FleetIdentity::read(&folder).map(|_| ()).expect_err("no authority");
        assert!(error.to_string().contains("ca.crt"), "{error}");
        fs::remove_file(folder.join(KEY_FILE)).expect("removed");
        let error = FleetIdentity::read(&folder).map(|_| ()).expect_err("no key");
        assert!(error.to_string().contains("tls.key"), "{error}");
    }
}
