//! TLS with the certificates of the system.

use std::sync::Arc;

use browse_proto::Reason;
use tokio::{net::TcpStream, sync::OnceCell};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{self, ClientConfig, RootCertStore, pki_types::ServerName},
};
use url::Url;

use super::ssrf_check::host_unreachable;
use browse_base::{Error, Result};

/// Reading the certificates takes a moment: once is enough.
static CONFIG: OnceCell<Arc<ClientConfig>> = OnceCell::const_new();

/// Greets the host of `url` on `stream`.
///
/// # Errors
/// `CERTIFICATE_INVALID`; `FETCH_FAILED` when it does not speak TLS.
pub async fn handshake(url: &Url, stream: TcpStream) -> Result<TlsStream<TcpStream>> {
    let config = CONFIG.get_or_try_init(configure).await?;
    let host = url.host_str().unwrap_or_default();
    let name = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    let name = ServerName::try_from(name.to_owned())
        .map_err(|error| host_unreachable(url, &error.to_string()))?;
    let greeted = TlsConnector::from(Arc::clone(config)).connect(name, stream).await;
    greeted.map_err(|error| {
        let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
        match cause {
            Some(rustls::Error::InvalidCertificate(problem)) => {
                let message = format!("the certificate of `{host}` is not valid: {problem}");
                Error::new(Reason::CertificateInvalid, message).with("host", host)
            }
            _ => host_unreachable(url, &format!("no TLS connection: {error}")),
        }
    })
}

async fn configure() -> Result<Arc<ClientConfig>> {
    let configure = || {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        let (_, broken) = roots.add_parsable_certificates(found.certs);
        if broken > 0 || !found.errors.is_empty() {
            tracing::info!(broken, errors = ?found.errors, "some certificates cannot be read");
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config =
            ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        config.map(|config| config.with_root_certificates(roots).with_no_client_auth())
    };
    let config = tokio::task::spawn_blocking(configure).await;
    let config =
        config.map_err(|error| setup_error(&error))?.map_err(|error| setup_error(&error))?;
    Ok(Arc::new(config))
}

fn setup_error(error: &dyn std::fmt::Display) -> Error {
    Error::new(Reason::Bug, format!("TLS cannot be set up: {error}"))
}
