//! From a host and port to an address that may be connected to.
//!
//! Resolved once, checked, and connected to that very address: a second
//! lookup could give another answer.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpStream;
use url::Host;

use super::live_rules::LiveRules;
use browse_net::{
    AddressKind, HostMapping, HostRules, ResolverRules, address_kind, is_metadata_host,
};

/// Why a connection was not made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// No rule names the host.
    #[error("no rule of this session allows `{0}`")]
    NotListed(String),
    /// The host or what it resolves to is a metadata service.
    #[error("`{0}` is a cloud metadata service")]
    Metadata(String),
    /// The name leads to this machine or a private network.
    #[error("`{host}` leads to {address}, which no rule of this session names")]
    NotPublic {
        /// The name.
        host: String,
        /// Where it leads.
        address: String,
    },
    /// It could not be reached at all.
    #[error("`{host}` cannot be reached: {problem}")]
    Unreachable {
        /// The name.
        host: String,
        /// The operating system's words.
        problem: String,
        /// What the browser would call it: `ERR_CONNECTION_REFUSED`.
        code: &'static str,
    },
}

/// What the browser calls a failure to connect.
fn net_error_name(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "ERR_CONNECTION_REFUSED",
        io::ErrorKind::ConnectionReset => "ERR_CONNECTION_RESET",
        io::ErrorKind::TimedOut => "ERR_CONNECTION_TIMED_OUT",
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            "ERR_ADDRESS_UNREACHABLE"
        }
        _ => "ERR_CONNECTION_FAILED",
    }
}

const UNKNOWN_HOST: &str = "ERR_NAME_NOT_RESOLVED";

fn unreachable(host: &str, problem: String, code: &'static str) -> ConnectError {
    ConnectError::Unreachable { host: host.to_owned(), problem, code }
}

/// What one restricted context may reach.
#[derive(Debug, Clone)]
pub(crate) struct ConnectPolicy {
    pub rules: LiveRules,
    pub resolver: ResolverRules,
}

impl ConnectPolicy {
    /// Connects to a host if that is allowed.
    pub(crate) async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, ConnectError> {
        let unreachable = |problem: String, code| unreachable(host, problem, code);
        let parsed =
            Host::parse(host).map_err(|error| unreachable(error.to_string(), "ERR_INVALID_URL"))?;
        let parsed = host_as_ref(&parsed);
        let rules = self.rules.get();
        if is_metadata_host(&parsed) {
            return Err(ConnectError::Metadata(host.to_owned()));
        }
        if !rules.allows(&parsed, port) {
            return Err(ConnectError::NotListed(host.to_owned()));
        }
        let mut last = unreachable("it has no address".to_owned(), UNKNOWN_HOST);
        for address in self.allowed_addresses(&rules, host, &parsed, port).await? {
            match TcpStream::connect(address).await {
                Ok(stream) => return Ok(stream),
                Err(error) => last = unreachable(error.to_string(), net_error_name(&error)),
            }
        }
        Err(last)
    }

    /// The addresses that passed every check.
    async fn allowed_addresses(
        &self,
        rules: &HostRules,
        host: &str,
        parsed: &Host<&str>,
        port: u16,
    ) -> Result<Vec<SocketAddr>, ConnectError> {
        let unknown = |problem: String| unreachable(host, problem, UNKNOWN_HOST);
        let lookup = |name: String, port: u16| async move {
            let found: io::Result<Vec<SocketAddr>> =
                tokio::net::lookup_host((name, port)).await.map(Iterator::collect);
            found.map_err(|error| unknown(error.to_string()))
        };
        let (found, chosen_by_user) = match (self.resolver.map(host, port), parsed) {
            (HostMapping::NotFound, _) => {
                return Err(unknown("the resolver rules say so".to_owned()));
            }
            (HostMapping::To { host, port }, _) => (lookup(host, port).await?, true),
            (HostMapping::Unchanged, Host::Ipv4(address)) => {
                (vec![((*address), port).into()], false)
            }
            (HostMapping::Unchanged, Host::Ipv6(address)) => {
                (vec![((*address), port).into()], false)
            }
            (HostMapping::Unchanged, Host::Domain(name)) => {
                (lookup((*name).to_owned(), port).await?, false)
            }
        };
        let mut allowed = Vec::new();
        let mut refusal = None;
        for address in found {
            let ip = address.ip();
            match address_kind(ip) {
                AddressKind::Metadata => refusal = Some(ConnectError::Metadata(host.to_owned())),
                AddressKind::Public => allowed.push(address),
                _ if chosen_by_user || rules.names_address(ip, port) => allowed.push(address),
                // `localhost` is this machine by definition, not by resolution.
                AddressKind::Loopback if is_localhost(parsed) => allowed.push(address),
                _ => {
                    refusal.get_or_insert(ConnectError::NotPublic {
                        host: host.to_owned(),
                        address: ip.to_string(),
                    });
                }
            }
        }
        match refusal {
            // One bad address among good ones is a trap, not an accident.
            Some(ConnectError::Metadata(host)) => Err(ConnectError::Metadata(host)),
            Some(refusal) if allowed.is_empty() => Err(refusal),
            _ => Ok(allowed),
        }
    }
}

fn is_localhost(host: &Host<&str>) -> bool {
    let Host::Domain(name) = host else {
        return false;
    };
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

/// Borrows the name of a parsed host.
pub(crate) fn host_as_ref(host: &Host<String>) -> Host<&str> {
    match host {
        Host::Domain(name) => Host::Domain(name.as_str()),
        Host::Ipv4(address) => Host::Ipv4(*address),
        Host::Ipv6(address) => Host::Ipv6(*address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn outcome(
        rules: &[&str],
        resolver: &str,
        host: &str,
        port: u16,
    ) -> Result<(), ConnectError> {
        let reach = ConnectPolicy {
            rules: LiveRules::new(HostRules::parse(rules).expect("rules")),
            resolver: ResolverRules::from_arguments(&[format!("--host-resolver-rules={resolver}")]),
        };
        reach.connect(host, port).await.map(drop)
    }

    #[tokio::test]
    async fn only_what_the_rules_name_is_reached() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let port = listener.local_addr().expect("bound").port();
        assert_eq!(outcome(&["127.0.0.1"], "", "127.0.0.1", port).await, Ok(()));
        assert_eq!(outcome(&["localhost"], "", "localhost", port).await, Ok(()));
        let refused = outcome(&["example.com"], "", "127.0.0.1", port).await;
        assert_eq!(refused, Err(ConnectError::NotListed("127.0.0.1".into())));
        let refused = outcome(&["169.254.169.254"], "", "169.254.169.254", 80).await;
        assert_eq!(refused, Err(ConnectError::Metadata("169.254.169.254".into())));
    }

    #[tokio::test]
    async fn a_mapped_name_goes_where_the_user_says_but_never_to_metadata() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let port = listener.local_addr().expect("bound").port();
        let map = format!("MAP site.example 127.0.0.1:{port}");
        assert_eq!(outcome(&["site.example"], &map, "site.example", 443).await, Ok(()));
        let refused = outcome(&["site.example"], "MAP * 169.254.169.254", "site.example", 80).await;
        assert_eq!(refused, Err(ConnectError::Metadata("site.example".into())));
        let refused = outcome(&["site.example"], "MAP * ^NOTFOUND", "site.example", 80).await;
        assert!(matches!(refused, Err(ConnectError::Unreachable { .. })));
    }
}
