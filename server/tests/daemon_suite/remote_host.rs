//! An agent on another machine, which has nothing but HTTP in TLS.

use std::{sync::Arc, time::Duration};

use browse_policy::layer::GatedService;
use browse_proto::{
    Command,
    v1::{self, pair_service_client::PairServiceClient},
};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        ClientConfig, DigitallySignedStruct, Error, SignatureScheme, SupportedProtocolVersion,
        client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        crypto::ring,
        pki_types::{CertificateDer, ServerName, UnixTime},
        version::TLS13,
    },
};

use super::world::World;

/// What an agent got for an answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

/// An agent that has redeemed a key.
pub struct Agent {
    pub address: String,
    pub token: String,
}

impl World {
    pub fn pairs(&self) -> PairServiceClient<GatedService> {
        let origin = "http://127.0.0.1:4000".parse().unwrap();
        PairServiceClient::with_origin(self.services.clone(), origin)
    }

    /// Pairs `name`, as the owner says besides.
    pub async fn pair(
        &self,
        name: &str,
        say: impl FnOnce(&mut v1::NewPairingRequest),
    ) -> v1::NewPairingResponse {
        let mut request = v1::NewPairingRequest { name: name.to_owned(), ..Default::default() };
        say(&mut request);
        self.pairs().new_pairing(self.root(request)).await.unwrap().into_inner()
    }

    /// The same in the session of root, with the key redeemed.
    pub async fn agent_in_default(&self, name: &str) -> Agent {
        let (name, rate) = (name.to_owned(), Some(1000));
        let asked = v1::NewPairingRequest { name, rate, ..Default::default() };
        let mut request = self.root(asked);
        request.metadata_mut().insert("browse-session", "default".parse().unwrap());
        let paired = self.pairs().new_pairing(request).await.unwrap().into_inner();
        Agent::redeem(&paired).await
    }

    pub async fn refused(&self) -> Vec<String> {
        let request = self.root(v1::ListRefusalsRequest { last: None });
        let log = self.pairs().list_refusals(request).await.unwrap().into_inner();
        log.refusals.into_iter().map(|refusal| refusal.reason).collect()
    }
}

impl Agent {
    pub async fn redeem(paired: &v1::NewPairingResponse) -> Self {
        let body = format!(r#"{{"key":"{}"}}"#, paired.key);
        let answer = post(&paired.address, "PairService/Redeem", &[], &body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let token = answer.json()["token"].as_str().unwrap().to_owned();
        Self { address: paired.address.clone(), token }
    }

    pub async fn call(&self, method: &str, body: &str) -> Answer {
        self.call_with(method, &[], body).await
    }

    pub async fn call_with(&self, method: &str, headers: &[&str], body: &str) -> Answer {
        let token = format!("authorization: Bearer {}", self.token);
        let headers = [&[token.as_str()], headers].concat();
        post(&self.address, method, &headers, body).await
    }

    /// A call that succeeds.
    #[track_caller]
    pub fn ok(&self, method: &str, body: &str) -> impl Future<Output = Value> {
        let (method, body) = (method.to_owned(), body.to_owned());
        async move {
            let answer = self.call(&method, &body).await;
            assert_eq!(answer.status, 200, "{method}: {answer:?}");
            let command = Command::by_path(&format!("/browse.v1.{method}")).expect("a command");
            let result = command.result.map(|index| command.response.fields[index].name);
            result.map_or_else(|| answer.json(), |name| answer.json()[name].clone())
        }
    }
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// What the error says: reason, hint and metadata.
    pub fn error(&self) -> Value {
        self.json()["details"][0]["debug"].clone()
    }

    pub fn reason(&self) -> String {
        let error = self.error();
        assert!(!error["hint"].as_str().unwrap_or_default().is_empty(), "{self:?}");
        error["reason"].as_str().unwrap_or_default().to_owned()
    }
}

pub async fn post(address: &str, method: &str, headers: &[&str], body: &str) -> Answer {
    let length = format!("content-length: {}", body.len());
    let mut all = vec!["content-type: application/json", &length];
    if !headers.iter().any(|header| header.starts_with("host:")) {
        all.push("host: localhost");
    }
    all.extend(headers);
    raw(address, &format!("POST /browse.v1.{method} HTTP/1.1"), &all, body).await
}

/// One request as it stands, and what came back.
pub async fn raw(address: &str, line: &str, headers: &[&str], body: &str) -> Answer {
    let mut stream = greet(address, &[&TLS13]).await.expect("TLS 1.3");
    let text = format!("{line}\r\n{}\r\nconnection: close\r\n\r\n{body}", headers.join("\r\n"));
    // The other end may have had enough before all is sent.
    let _ = stream.write_all(text.as_bytes()).await;
    let mut bytes = Vec::new();
    let _ = timeout(Duration::from_secs(60), stream.read_to_end(&mut bytes)).await.expect("an end");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
    Answer { status, head: head.to_lowercase(), body: body.to_owned() }
}

/// A TLS connection to whoever answers at `address`.
pub async fn greet(
    address: &str,
    versions: &[&'static SupportedProtocolVersion],
) -> std::io::Result<TlsStream<TcpStream>> {
    greet_for(address, versions, b"http/1.1").await
}

pub async fn greet_for(
    address: &str,
    versions: &[&'static SupportedProtocolVersion],
    protocol: &[u8],
) -> std::io::Result<TlsStream<TcpStream>> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let mut config = builder
        .with_protocol_versions(versions)
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anyone))
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

#[derive(Debug)]
struct Anyone;

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        ring::default_provider().signature_verification_algorithms.supported_schemes()
    }
}
