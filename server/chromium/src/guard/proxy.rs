//! The daemon's own forward proxy: one listener for each restricted context.
//!
//! Chromium sends it everything the context does, loopback included. What is
//! refused gets no answer: a 403 would become a document of the refused host.
//!
//! Any user of this machine can connect to a port, so the proxy asks for
//! credentials, which only the browser has: [`Credentials`].

use std::net::SocketAddr;
use std::sync::Arc;

use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};

use super::connect_policy::{ConnectError, ConnectPolicy};
use super::credentials::ProxyCredentials;
use super::forwarder::Forwarder;
use super::refusals::ProxyRefusals;
use crate::error::{Error, Result};

/// A running proxy; it ends, with all its connections, when dropped.
pub(crate) struct Proxy {
    address: SocketAddr,
    credentials: Arc<ProxyCredentials>,
    refusals: Arc<ProxyRefusals>,
    task: AbortHandle,
}

impl Proxy {
    /// Starts listening on a port of the operating system's choice.
    pub(crate) async fn start(reach: ConnectPolicy) -> Result<Self> {
        let fail = |error| Error::system("the proxy of a session", error);
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        let (refusals, credentials) = (Arc::default(), Arc::new(ProxyCredentials::new()));
        let forwarder =
            Forwarder::new(Arc::new(reach), Arc::clone(&refusals), Arc::clone(&credentials));
        let task = tokio::spawn(serve(listener, forwarder)).abort_handle();
        Ok(Self { address, credentials, refusals, task })
    }

    /// For `proxyServer`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it asks for.
    pub(crate) fn credentials(&self) -> &ProxyCredentials {
        &self.credentials
    }

    /// Why the last connection to this host was refused, if one was. It is
    /// reported once.
    pub(crate) fn take_refusal(&self, host: &str) -> Option<ConnectError> {
        self.refusals.take(host)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Accepts until aborted; the set takes its connections with it.
async fn serve(listener: TcpListener, forwarder: Forwarder) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let _ = stream.set_nodelay(true);
                    connections.spawn(forwarder.for_new_connection().run(TokioIo::new(stream)));
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

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    use super::{ConnectPolicy, Proxy};
    use crate::guard::live_rules::LiveRules;
    use browse_net::HostRules;
    use browse_net::ResolverRules;

    async fn ask(proxy: &Proxy, head: &str) -> String {
        let mut stream = TcpStream::connect(proxy.address).await.expect("connected");
        stream.write_all(head.as_bytes()).await.expect("sent");
        let mut answer = vec![0; 4096];
        let length = stream.read(&mut answer).await.expect("answered");
        String::from_utf8_lossy(&answer[..length]).into_owned()
    }

    #[tokio::test]
    async fn only_who_has_the_credentials_is_served() {
        let site = TcpListener::bind("127.0.0.1:0").await.expect("a site");
        let port = site.local_addr().expect("bound").port();
        let rules = HostRules::parse(&[format!("127.0.0.1:{port}")]).expect("rules");
        let resolver = ResolverRules::default();
        let reach = ConnectPolicy { rules: LiveRules::new(rules), resolver };
        let proxy = Proxy::start(reach).await.expect("a proxy");
        let get = |more: &str| {
            format!("GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{more}\r\n")
        };
        let connect = format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n");
        let wrong = "Proxy-Authorization: Basic YnJvd3NlOndyb25n\r\n";
        for head in [get(""), get(wrong), format!("{connect}\r\n"), format!("{connect}{wrong}\r\n")]
        {
            let answer = ask(&proxy, &head).await;
            assert!(answer.starts_with("HTTP/1.1 407 "), "{head}{answer}");
        }
        let right = format!("Proxy-Authorization: {}\r\n", proxy.credentials().header());
        let served = async {
            let (mut stream, _) = site.accept().await.expect("the first that comes through");
            let mut head = vec![0; 4096];
            let length = stream.read(&mut head).await.expect("a request");
            stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.expect("answered");
            String::from_utf8_lossy(&head[..length]).into_owned()
        };
        let right = get(&right);
        let (answer, seen) = tokio::join!(ask(&proxy, &right), served);
        assert!(answer.starts_with("HTTP/1.1 204 "), "{answer}");
        assert!(!seen.to_ascii_lowercase().contains("proxy-authorization"), "{seen}");
    }
}
