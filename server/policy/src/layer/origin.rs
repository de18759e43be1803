//! Refuses what a web page may have sent.
//!
//! A page can make a browser call any loopback port. It cannot do so without
//! an `Origin` header, and after DNS rebinding the `Host` is still the name of
//! its own site.

use std::sync::Arc;

use browse_proto::Reason;
use http::{Request, header, uri::Authority};
use tonic::body::Body;

use super::filter::RequestCheck;
use crate::layer::AllowedHosts;
use browse_base::{Error, HINT_KEY, Result};

/// The origin of the dashboard's extension in the everyday browser of a person. Its id follows
/// from the key in the manifest of the extension.
pub const EXTENSION_ORIGIN: &str = "chrome-extension://ebfbejbigakaoaongpljbomgekgjkifh";

/// From where calls may come.
#[derive(Clone, Debug)]
pub enum OriginCheck {
    /// From programs of this machine that call this port by a loopback name.
    Loopback {
        /// Port of the listener.
        port: u16,
    },
    /// From programs somewhere else that call by a name that was given out.
    Named(Arc<AllowedHosts>),
    /// From the page that this port serves or the extension of the dashboard, and from no
    /// other page or program.
    Page {
        /// Port of the listener.
        port: u16,
    },
    /// From what has no other way: programs at a socket with a path, and the side panel at the
    /// pipe to its browser.
    Any,
}

impl RequestCheck for OriginCheck {
    fn check(&self, request: &mut Request<Body>) -> Result<()> {
        if let Self::Page { port } = self {
            return check_page(request, *port);
        }
        if request.headers().contains_key(header::ORIGIN) {
            return Err(self.denied("the call carries an `Origin` header"));
        }
        let ours = |authority: &Authority| match self {
            Self::Loopback { port } => is_loopback(authority, *port),
            Self::Named(names) => names.allows(authority),
            Self::Page { .. } | Self::Any => true,
        };
        if matches!(self, Self::Any) {
            return Ok(());
        }
        let hosts: Vec<_> = request.headers().get_all(header::HOST).iter().collect();
        let named = hosts.iter().map(|host| host.to_str().ok().and_then(|host| host.parse().ok()));
        let mut authorities: Vec<Option<Authority>> = named.collect();
        authorities.extend(request.uri().authority().cloned().map(Some));
        let local = |authority: &Option<Authority>| authority.as_ref().is_some_and(ours);
        match authorities.is_empty() || !authorities.iter().all(local) {
            true => Err(self.denied("the call names another host")),
            false => Ok(()),
        }
    }
}

impl OriginCheck {
    fn denied(&self, message: &str) -> Error {
        let error = Error::new(Reason::OriginDenied, message);
        match self {
            // A remote caller has no state file.
            Self::Named(_) => error.with(
                HINT_KEY,
                "Call the address of the pairing block, as its `Host` and without an `Origin`; \
                 the owner gives out another name with `browse pair new <name> --address`",
            ),
            Self::Loopback { .. } | Self::Page { .. } | Self::Any => error,
        }
    }
}

/// Passes what a page at `http://127.0.0.1:port` or the extension of the dashboard sends: one
/// `Host`, exactly that of the port, and one `Origin`. The browser sets both, and no script of
/// another page or extension can.
///
/// # Errors
/// `ORIGIN_DENIED`.
pub fn check_page<B>(request: &Request<B>, port: u16) -> Result<()> {
    let host = format!("127.0.0.1:{port}");
    let only = |name: header::HeaderName, expected: &str| {
        let mut values = request.headers().get_all(name).iter();
        values.next().is_some_and(|value| value.as_bytes() == expected.as_bytes())
            && values.next().is_none()
    };
    let is_named = request.uri().authority().is_none_or(|authority| authority.as_str() == host);
    let site = request.headers().get("sec-fetch-site");
    // To Chromium a request of an extension that may reach the host is of no site.
    let allowed = [
        (format!("http://{host}"), b"same-origin".as_slice()),
        (EXTENSION_ORIGIN.to_owned(), b"none".as_slice()),
    ];
    let is_allowed = allowed.iter().any(|(origin, of_site)| {
        only(header::ORIGIN, origin) && site.is_none_or(|site| site.as_bytes() == *of_site)
    });
    match is_named && is_allowed && only(header::HOST, &host) {
        true => Ok(()),
        false => Err(Error::new(
            Reason::OriginDenied,
            "the call does not come from the page of the dashboard",
        )
        .with(HINT_KEY, "Run `browse dashboard`, and open its link")),
    }
}

fn is_loopback(authority: &Authority, port: u16) -> bool {
    let host = matches!(authority.host(), "localhost" | "127.0.0.1" | "[::1]");
    host && authority.port_u16().unwrap_or(80) == port && !authority.as_str().contains('@')
}

#[cfg(test)]
mod tests {
    use super::{Body, EXTENSION_ORIGIN, OriginCheck, Request, RequestCheck as _, check_page};

    fn passes(uri: &str, headers: &[(&str, &str)]) -> bool {
        let request = headers.iter().fold(Request::builder().uri(uri), |request, (name, value)| {
            request.header(*name, *value)
        });
        let mut request = request.body(Body::default()).expect("the request is well formed");
        OriginCheck::Loopback { port: 4000 }.check(&mut request).is_ok()
    }

    #[test]
    fn loopback_names_with_our_port_pass() {
        assert!(passes("http://127.0.0.1:4000/a", &[]));
        assert!(passes("http://localhost:4000/a", &[("host", "localhost:4000")]));
        assert!(passes("/a", &[("host", "[::1]:4000")]));
    }

    #[test]
    fn only_the_own_page_of_a_dashboard_passes() {
        let passes = |uri: &str, headers: &[(&str, &str)]| {
            let request =
                headers.iter().fold(Request::builder().uri(uri), |request, (name, value)| {
                    request.header(*name, *value)
                });
            check_page(&request.body(()).expect("the request is well formed"), 4000).is_ok()
        };
        let (host, origin) = (("host", "127.0.0.1:4000"), ("origin", "http://127.0.0.1:4000"));
        assert!(passes("/a", &[host, origin]));
        assert!(passes("/a", &[host, origin, ("sec-fetch-site", "same-origin")]));
        let extension = ("origin", EXTENSION_ORIGIN);
        assert!(passes("/a", &[host, extension]));
        assert!(passes("/a", &[host, extension, ("sec-fetch-site", "none")]));
        for headers in [
            &[host][..],
            &[origin],
            &[host, ("origin", "null")],
            &[host, ("origin", "http://localhost:4000")],
            &[host, ("origin", "http://127.0.0.1:4001")],
            &[host, ("origin", "https://127.0.0.1:4000")],
            &[host, origin, origin],
            &[host, host, origin],
            &[("host", "localhost:4000"), origin],
            &[("host", "evil.example:4000"), origin],
            &[host, origin, ("sec-fetch-site", "same-site")],
            &[host, origin, ("sec-fetch-site", "cross-site")],
            &[host, origin, ("sec-fetch-site", "none")],
            &[host, origin, extension],
            &[host, extension, extension],
            &[extension],
            &[("host", "localhost:4000"), extension],
            &[host, extension, ("sec-fetch-site", "same-origin")],
            &[host, extension, ("sec-fetch-site", "cross-site")],
            &[host, ("origin", "chrome-extension://abcdefghijklmnopabcdefghijklmnop")],
            &[host, ("origin", "chrome-extension://EBFBEJBIGAKAOAONGPLJBOMGEKGJKIFH")],
            &[host, ("origin", "https://ebfbejbigakaoaongpljbomgekgjkifh")],
        ] {
            assert!(!passes("/a", headers), "{headers:?}");
        }
        assert!(!passes("http://evil.example:4000/a", &[host, origin]));
    }

    #[test]
    fn pages_do_not() {
        for (uri, headers) in [
            ("/a", &[][..]),
            ("http://evil.example:4000/a", &[]),
            ("http://127.0.0.1:4001/a", &[]),
            ("http://127.0.0.1/a", &[]),
            ("http://127.0.0.1:4000/a", &[("host", "evil.example:4000")]),
            ("/a", &[("host", "localhost:4000"), ("host", "evil.example")]),
            ("http://127.0.0.1:4000/a", &[("origin", "null")]),
            ("http://127.0.0.1:4000/a", &[("origin", "http://127.0.0.1:4000")]),
            ("http://127.0.0.1:4000/a", &[("origin", "chrome-extension://abc")]),
            ("http://127.0.0.1.evil.example:4000/a", &[]),
        ] {
            assert!(!passes(uri, headers), "{uri} {headers:?}");
        }
    }
}
