//! What the proxy of a session asks for. Chromium takes no credentials with the address
//! of a proxy: it asks for them with `Fetch.authRequired` at the first document of a
//! context, and adds them by itself from then on. So a context begins with a document of
//! ours, which the proxy answers itself: what a page loads first may be no document.

use base64::Engine as _;
use http::HeaderMap;
use http::header::PROXY_AUTHORIZATION;
use subtle::ConstantTimeEq as _;
use tokio::sync::watch;

/// The name, which is not a secret.
const PROXY_USER: &str = "browse";

/// The credentials of one proxy.
pub(crate) struct ProxyCredentials {
    password: String,
    header: String,
    /// A host that is nowhere.
    probe_host: String,
    is_known: watch::Sender<bool>,
}

impl ProxyCredentials {
    /// New ones.
    pub(crate) fn new() -> Self {
        let password = format!("{:032x}", rand::random::<u128>());
        let both = format!("{PROXY_USER}:{password}");
        let header = format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(both));
        let first = format!("{:032x}.invalid", rand::random::<u128>());
        Self { password, header, probe_host: first, is_known: watch::Sender::new(false) }
    }

    /// The user.
    pub(crate) fn user(&self) -> &'static str {
        PROXY_USER
    }

    /// The password.
    pub(crate) fn password(&self) -> &str {
        &self.password
    }

    /// Value of `Proxy-Authorization`.
    #[cfg(test)]
    pub(crate) fn header(&self) -> &str {
        &self.header
    }

    /// Whether a request has them.
    pub(crate) fn are_valid_in(&self, headers: &HeaderMap) -> bool {
        let found = headers.get(PROXY_AUTHORIZATION);
        found.is_some_and(|found| found.as_bytes().ct_eq(self.header.as_bytes()).into())
    }

    /// Address of the document that a context begins with.
    pub(crate) fn probe_url(&self) -> String {
        format!("http://{}/", self.probe_host)
    }

    /// Whether a request, which has the credentials, is for that document. Then the
    /// browser knows them.
    pub(crate) fn is_probe(&self, host: Option<&str>) -> bool {
        let is_first = host == Some(&self.probe_host);
        if is_first {
            self.is_known.send_replace(true);
        }
        is_first
    }

    /// Lets those go on who wait for the browser to know them.
    pub(crate) fn stop_waiting(&self) {
        self.is_known.send_replace(true);
    }

    /// Waits until the browser knows them, or until it is not waited for any more.
    pub(crate) async fn wait_known(&self) {
        // The sender is here.
        let _ = self.is_known.subscribe().wait_for(|known| *known).await;
    }
}
