//! Clients that come by the gateway of a fleet. Their connections come to the listener of the pod,
//! so that no port of their own is open; their files are on other machines.

use std::sync::Arc;

use browse_base::{Error, Result};
use browse_proto::Reason;
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;

use super::{AddressTerms, Addresses, DevToolsListener, IssuedAddress, handshake::refuse};

/// An address for one connection, which ends with it.
struct ConnectionAddress {
    addresses: Arc<Addresses>,
    capability: String,
}

impl DevToolsListener {
    /// Makes an address that [`Self::connect`] takes.
    ///
    /// # Errors
    /// As [`Addresses::issue`].
    pub async fn issue_for_gateway(self: &Arc<Self>, terms: AddressTerms) -> Result<IssuedAddress> {
        let mut open = self.open.lock().await;
        self.watch_addresses(&mut open);
        self.addresses.issue(terms)
    }

    /// Connects a client that shows the capability of an address. Everything else is not found.
    pub async fn connect<B: Send + 'static>(
        &self,
        capability: &str,
        request: Request<B>,
    ) -> Response<Full<Bytes>> {
        match self.addresses.find(capability) {
            Some(grant) => self.handshake.upgrade(request, grant, ()).await,
            None => refuse(StatusCode::NOT_FOUND, ""),
        }
    }

    /// Connects a client that may do so without an address. It is listed and ended as the clients
    /// of addresses are.
    ///
    /// # Errors
    /// As [`Addresses::issue`]; `TOKEN_EXPIRED` where the time of `terms` is over.
    pub async fn connect_once<B: Send + 'static>(
        self: &Arc<Self>,
        terms: AddressTerms,
        request: Request<B>,
    ) -> Result<Response<Full<Bytes>>> {
        let capability = self.issue_for_gateway(terms).await?.capability;
        let address = ConnectionAddress { addresses: Arc::clone(&self.addresses), capability };
        let grant = self.addresses.find(&address.capability);
        let grant = grant.ok_or_else(|| Error::new(Reason::TokenExpired, "the token has ended"))?;
        Ok(self.handshake.upgrade(request, grant, address).await)
    }

    /// Ends all addresses with their clients: the pod is about to end.
    pub fn end_all(&self) {
        self.addresses.clear();
    }
}

impl Drop for ConnectionAddress {
    fn drop(&mut self) {
        self.addresses.remove(&self.capability);
    }
}
