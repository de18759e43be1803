//! The daemon's own forward proxy: one listener for each restricted context.
//!
//! Chromium sends it everything the context does, loopback included. What is
//! refused gets no answer: a 403 would become a document of the refused host.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};

use super::forward::Forwarder;
use super::reach::{Reach, Refused};
use crate::chromium::error::{Error, Result};
use crate::chromium::sync::Lock;

/// Refusals kept, so that a failed navigation can be explained.
const MAX_REFUSALS: usize = 64;

/// A running proxy; it ends, with all its connections, when dropped.
pub(crate) struct Proxy {
    address: SocketAddr,
    refusals: Arc<Refusals>,
    task: AbortHandle,
}

/// Whom the proxy turned away, newest last.
#[derive(Default)]
pub(crate) struct Refusals(Lock<VecDeque<(String, Refused)>>);

impl Refusals {
    /// Remembers one.
    pub(crate) fn add(&self, host: &str, refused: Refused) {
        tracing::info!(host, %refused, "the proxy refused a connection");
        let mut refusals = self.0.lock();
        if refusals.len() == MAX_REFUSALS {
            refusals.pop_front();
        }
        refusals.push_back((host.to_owned(), refused));
    }

    /// Takes the newest about a host.
    fn take(&self, host: &str) -> Option<Refused> {
        let mut refusals = self.0.lock();
        let at = refusals.iter().rposition(|(refused, _)| refused == host)?;
        refusals.remove(at).map(|(_, refused)| refused)
    }
}

impl Proxy {
    /// Starts listening on a port of the operating system's choice.
    pub(crate) async fn start(reach: Reach) -> Result<Self> {
        let fail = |error| Error::system("the proxy of a session", error);
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        let refusals = Arc::<Refusals>::default();
        let serving = serve(listener, Arc::new(reach), Arc::clone(&refusals));
        let task = tokio::spawn(serving).abort_handle();
        Ok(Self { address, refusals, task })
    }

    /// For `proxyServer`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Why the last connection to this host was refused, if one was. It is
    /// told once.
    pub(crate) fn refusal(&self, host: &str) -> Option<Refused> {
        self.refusals.take(host)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Accepts until aborted; the set takes its connections with it.
async fn serve(listener: TcpListener, reach: Arc<Reach>, refusals: Arc<Refusals>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let _ = stream.set_nodelay(true);
                    let forwarder = Forwarder::new(Arc::clone(&reach), Arc::clone(&refusals));
                    connections.spawn(forwarder.run(TokioIo::new(stream)));
                }
                // Out of file descriptors, most likely: it passes.
                Err(error) => {
                    tracing::warn!(%error, "the proxy could not accept");
                    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}
