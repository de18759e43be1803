//! What the proxy of a session asks for. Chromium takes no credentials with the address
//! of a proxy: it asks for them with `Fetch.authRequired` at the first document of a
//! context, and adds them by itself from then on. So a context begins with a document of
//! ours, which the proxy answers itself: what a page loads first may be no document.

use base64::Engine as _;
use http::HeaderMap;
use http::header::PROXY_AUTHORIZATION;
use subtle::ConstantTimeEq as _;
use tokio::sync::watch;

/// The name, which is no secret.
const USER: &str = "browse";

/// The credentials of one proxy.
pub(crate) struct Credentials {
    password: String,
    header: String,
    /// A host that is nowhere.
    first: String,
    known: watch::Sender<bool>,
}

impl Credentials {
    /// New ones.
    pub(crate) fn new() -> Self {
        let password = format!("{:032x}", rand::random::<u128>());
        let both = format!("{USER}:{password}");
        let header = format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(both));
        let first = format!("{:032x}.invalid", rand::random::<u128>());
        Self { password, header, first, known: watch::Sender::new(false) }
    }

    /// The user.
    pub(crate) fn user(&self) -> &'static str {
        USER
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
    pub(crate) fn are_in(&self, headers: &HeaderMap) -> bool {
        let found = headers.get(PROXY_AUTHORIZATION);
        found.is_some_and(|found| found.as_bytes().ct_eq(self.header.as_bytes()).into())
    }

    /// Address of the document that a context begins with.
    pub(crate) fn first_document(&self) -> String {
        format!("http://{}/", self.first)
    }

    /// Whether a request, which has the credentials, is for that document. Then the
    /// browser knows them.
    pub(crate) fn is_first(&self, host: Option<&str>) -> bool {
        let is_first = host == Some(&self.first);
        if is_first {
            self.known.send_replace(true);
        }
        is_first
    }

    /// Lets those go on who wait for the browser to know them.
    pub(crate) fn settle(&self) {
        self.known.send_replace(true);
    }

    /// Waits until the browser knows them, or until it is not waited for any more.
    pub(crate) async fn known(&self) {
        // The sender is here.
        let _ = self.known.subscribe().wait_for(|known| *known).await;
    }
}
