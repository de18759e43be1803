//! The gateway of a fleet, which is known by its name: a certificate authority of this
//! machine vouches for it, or one of a file that the user named.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use rustls::crypto::ring as provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};

use super::fleet_state::FleetState;
use super::tls::TlsPeer;
use crate::client::{Connector, PeerHints, RemotePeer};
use crate::error::{Error, Result};
use crate::http::{HttpConnection, connect_tcp};

/// Bytes of a file with authorities.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// How the gateway of the fleet `name` is reached.
///
/// # Errors
/// `CERTIFICATE_UNUSABLE`: the file with authorities cannot be used, or there are none.
pub fn gateway_peer(name: &str, state: &FleetState) -> Result<RemotePeer> {
    let hints = PeerHints {
        unreachable: "Check the network and the address of the fleet, and ask its operator",
        foreign: "Check the address of the fleet, and whether a proxy answers in place of its gateway",
        token: format!("Run `{}` again", state.login_command(name)),
    };
    let address = state.origin.address.clone();
    let connector = match state.origin.is_tls {
        false => loopback_connector(address),
        true => {
            let server_name = ServerName::try_from(state.origin.host.clone());
            let server_name = server_name.map_err(|error| {
                Error::unreachable(&address, error).with_hint(hints.unreachable)
            })?;
            let peer = TlsPeer {
                config: Arc::new(client_config(state.ca.as_deref())?),
                address,
                name: server_name,
                protocol: "TLS",
                hints: hints.clone(),
                refusal: untrusted_certificate,
            };
            peer.connector()
        }
    };
    Ok(RemotePeer { connector, authority: state.origin.authority.clone(), hints })
}

/// Connects without TLS, to this machine alone.
fn loopback_connector(address: String) -> Connector {
    Box::new(move |end| {
        let socket = connect_tcp(&address, end)?;
        // `localhost` is a name, which can resolve to any address.
        match socket.peer_addr()?.ip().to_canonical().is_loopback() {
            true => Ok(HttpConnection::new(socket)),
            false => {
                let why = "its host is not this machine, and the connection has no TLS";
                Err(io::Error::other(why))
            }
        }
    })
}

/// How to greet a gateway: the authorities of the file `ca` count beside those of this
/// machine.
fn client_config(ca: Option<&str>) -> Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    // Some of a machine's may be beyond reading.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = ca {
        let found = read_authorities(path).map_err(|why| {
            let message = format!("the certificate authorities of `{path}` cannot be used: {why}");
            let hint = "Sign in again with a file with certificates as PEM: `browse login <url> --ca <file>`";
            Error::new("CERTIFICATE_UNUSABLE", message, hint, 9).with_metadata("path", path)
        })?;
        roots.add_parsable_certificates(found);
    }
    if roots.is_empty() {
        let message = "this machine has no certificate authorities";
        let hint = "Install the package `ca-certificates`, or sign in with `--ca <file>`";
        return Err(Error::new("CERTIFICATE_UNUSABLE", message, hint, 9));
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(provider::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| {
        Error::new("BUG", format!("TLS cannot be set up: {error}"), "Report this", 13)
    })?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// The authorities of a PEM file, or why there are none, in words.
fn read_authorities(path: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    let found = found.map_err(|error| error.to_string())?;
    match found.is_empty() {
        true => Err("it contains no certificate".to_owned()),
        false => Ok(found),
    }
}

fn untrusted_certificate(error: &rustls::Error) -> Error {
    let message = format!("the certificate of the gateway is not trusted: {error}");
    let hint = "Check the address; for an authority of your own, sign in with `--ca <file>`";
    Error::new("CERTIFICATE_UNUSABLE", message, hint, 9)
}
