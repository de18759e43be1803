//! TLS to servers that the certificate authorities of the machine vouch for: the issuer, and the
//! collector of traces.

use std::sync::Arc;

use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, crypto::ring},
};

/// Connects to a server of HTTP/1.1 by TLS.
///
/// # Errors
/// TLS cannot be set up, in words.
pub fn connector() -> Result<TlsConnector, String> {
    let roots = browse_pin::machine_roots();
    if roots.is_empty() {
        tracing::warn!(
            "the system has no certificate authorities: nothing can be reached by https"
        );
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}
