//! From a host to addresses that may be connected to: resolved once, checked,
//! and connected to as they are. A second lookup could give another answer.

use std::net::{IpAddr, SocketAddr};

use browse_proto::Reason;
use url::{Host, Url};

use browse_base::{Error, Result};
use browse_net::{
    AddressKind, HostMapping, HostRules, ResolverRules, address_kind, is_metadata_host,
};

/// Where `fetch` may go.
#[derive(Debug, Clone, Default)]
pub struct FetchPolicy {
    /// Hosts that the user allows, wherever they lead.
    pub allowed_hosts: HostRules,
    /// `--host-resolver-rules`, which say where names lead for the browser.
    pub resolver_rules: ResolverRules,
}

impl FetchPolicy {
    /// Whether the user's configuration names the host.
    pub fn allows(&self, url: &Url) -> bool {
        let port = url.port_or_known_default().unwrap_or_default();
        url.host().is_some_and(|host| self.allowed_hosts.allows(&host, port))
    }

    /// The addresses of the host of `url`, all of which may be connected to.
    ///
    /// # Errors
    /// `ADDRESS_DENIED` for metadata services, which nothing opens;
    /// `FETCH_DENIED` when any of its addresses is not public and the user does
    /// not allow the host as the address names it: `127.0.0.1` does not allow
    /// `localhost`, nor the other way round; `FETCH_FAILED` when it
    /// has none.
    pub async fn resolve_checked(&self, url: &Url) -> Result<Vec<SocketAddr>> {
        let host = url.host().ok_or_else(|| host_unreachable(url, "it has no host"))?;
        if is_metadata_host(&host) {
            return Err(metadata_denied(url));
        }
        let port = url.port_or_known_default().unwrap_or_default();
        let found = self.resolve(url, &host, port).await?;
        let named = self.allowed_hosts.names_host(&host, port);
        for address in &found {
            let ip = address.ip();
            match address_kind(ip) {
                AddressKind::Metadata => return Err(metadata_denied(url)),
                AddressKind::Public => {}
                _ if named => {}
                // One bad address among good ones is a trap, not an accident.
                kind => return Err(address_denied(url, ip, kind)),
            }
        }
        Ok(found)
    }

    async fn resolve(&self, url: &Url, host: &Host<&str>, port: u16) -> Result<Vec<SocketAddr>> {
        let (name, port) =
            match (self.resolver_rules.map(url.host_str().unwrap_or_default(), port), host) {
                (HostMapping::NotFound, _) => {
                    return Err(host_unreachable(url, "the resolver rules say so"));
                }
                (HostMapping::To { host, port }, _) => (host, port),
                (HostMapping::Unchanged, Host::Ipv4(address)) => {
                    return Ok(vec![(*address, port).into()]);
                }
                (HostMapping::Unchanged, Host::Ipv6(address)) => {
                    return Ok(vec![(*address, port).into()]);
                }
                (HostMapping::Unchanged, Host::Domain(name)) => ((*name).to_owned(), port),
            };
        let found = tokio::net::lookup_host((name, port)).await;
        let found: Vec<_> =
            found.map_err(|error| host_unreachable(url, &error.to_string()))?.collect();
        match found.is_empty() {
            true => Err(host_unreachable(url, "it has no address")),
            false => Ok(found),
        }
    }
}

fn metadata_denied(url: &Url) -> Error {
    let message = "the address leads to a cloud metadata service";
    Error::new(Reason::AddressDenied, message).with("url", redacted_url(url))
}

fn address_denied(url: &Url, address: IpAddr, place: AddressKind) -> Error {
    let kind = match place {
        AddressKind::Loopback => "this machine",
        AddressKind::Private => "a private network",
        AddressKind::LinkLocal => "the local link",
        _ => "no public address",
    };
    let message = format!("the host leads to {address}, which is {kind}");
    Error::new(Reason::FetchDenied, message).with("host", host_of(url)).with("address", address)
}

/// The error for a host that gave no answer.
pub(super) fn host_unreachable(url: &Url, problem: &str) -> Error {
    let message = format!("the host cannot be reached: {problem}");
    Error::new(Reason::FetchFailed, message).with("url", redacted_url(url))
}

fn redacted_url(url: &Url) -> String {
    browse_net::without_query(url.as_str())
}

fn host_of(url: &Url) -> &str {
    url.host_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn outcome(allow: &[&str], resolver: &str, url: &str) -> &'static str {
        let rules = format!("--host-resolver-rules={resolver}");
        let reach = FetchPolicy {
            allowed_hosts: HostRules::parse(allow).expect("rules"),
            resolver_rules: ResolverRules::from_arguments(&[rules]),
        };
        let url = Url::parse(url).expect(url);
        reach.resolve_checked(&url).await.map_or_else(|error| error.reason().name(), |_| "ok")
    }

    #[tokio::test]
    async fn only_public_addresses_are_reached_in_whatever_notation() {
        for url in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://0.0.0.0/",
            "http://[::1]/",
            "http://[::]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:a00:1]/",
            "http://[64:ff9b::10.0.0.1]/",
            "http://[64:ff9b:1::a00:1]/",
            "http://[2002:a00:1::]/",
            "http://[2001:0:7f00:1::1]/",
            "http://10.0.0.1/",
            "http://172.16.0.1/",
            "http://192.168.1.1/",
            "http://100.64.0.1/",
            "http://169.254.1.1/",
            "http://[fe80::1]/",
            "http://[fc00::1]/",
            "http://224.0.0.1/",
            "http://[ff02::1]/",
            "http://255.255.255.255/",
            "http://[4000::1]/",
            "http://localhost/",
        ] {
            assert_eq!(outcome(&[], "", url).await, "FETCH_DENIED", "{url}");
            assert_eq!(outcome(&["*"], "", url).await, "FETCH_DENIED", "{url}");
        }
        for url in ["http://169.254.169.254/", "http://[::ffff:a9fe:a9fe]/", "http://metadata/"] {
            let allow = ["169.254.169.254", "metadata"];
            assert_eq!(outcome(&allow, "", url).await, "ADDRESS_DENIED", "{url}");
        }
        for url in ["http://8.8.8.8/", "https://[2606:4700::1111]/"] {
            assert_eq!(outcome(&[], "", url).await, "ok", "{url}");
        }
    }

    #[tokio::test]
    async fn names_are_judged_by_where_they_lead() {
        let url = "http://site.example/";
        for (to, expected) in [
            ("8.8.8.8", "ok"),
            ("10.0.0.1", "FETCH_DENIED"),
            ("127.0.0.1", "FETCH_DENIED"),
            ("[::1]", "FETCH_DENIED"),
            ("169.254.169.254", "ADDRESS_DENIED"),
            ("^NOTFOUND", "FETCH_FAILED"),
        ] {
            assert_eq!(outcome(&[], &format!("MAP * {to}"), url).await, expected, "{to}");
        }
    }

    #[tokio::test]
    async fn the_user_opens_hosts_by_name_or_address_but_never_metadata() {
        let url = "http://site.example:3000/";
        let loopback = "MAP * 127.0.0.1:3000";
        for (allow, expected) in [
            ("site.example", "ok"),
            ("site.example:3000", "ok"),
            ("*.example", "ok"),
            ("127.0.0.1", "FETCH_DENIED"),
            ("site.example:80", "FETCH_DENIED"),
            ("other.example", "FETCH_DENIED"),
            ("*", "FETCH_DENIED"),
        ] {
            assert_eq!(outcome(&[allow], loopback, url).await, expected, "{allow}");
        }
        let trap = "MAP * 169.254.169.254";
        assert_eq!(outcome(&["site.example"], trap, url).await, "ADDRESS_DENIED");
    }
}
