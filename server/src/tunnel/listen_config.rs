//! Where the listener is, and by which address it is reached.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use browse_proto::Reason;

use browse_base::{Error, Result, quote};

/// Where the listener shall be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenConfig {
    /// Address of this machine; none leaves it where it is, or 127.0.0.1.
    pub listen: Option<SocketAddr>,
    /// Address by which agents reach it, when that is another.
    pub address: Option<String>,
}

impl ListenConfig {
    /// Reads what the owner specified to `command`.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`.
    pub fn from_request(
        command: &str,
        listen: Option<&str>,
        address: Option<&str>,
    ) -> Result<Self> {
        Self::parse(listen, address).map_err(|error| error.with("command", command))
    }

    fn parse(listen: Option<&str>, address: Option<&str>) -> Result<Self> {
        let listen = listen.map(parse_listen).transpose()?;
        let address = address.map(parse_address).transpose()?;
        let everywhere = listen.is_some_and(|listen| listen.ip().is_unspecified());
        if everywhere && address.is_none() {
            let message =
                "agents cannot call `0.0.0.0`: `--address` says how they reach this machine";
            return Err(invalid(message.to_owned()));
        }
        Ok(Self { listen, address })
    }

    /// What to bind by default.
    pub fn default_listen() -> SocketAddr {
        SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0)
    }
}

/// `0.0.0.0:4567`, or an address alone: any port.
fn parse_listen(text: &str) -> Result<SocketAddr> {
    let found = text.parse::<SocketAddr>().ok();
    let found = found.or_else(|| text.parse::<IpAddr>().ok().map(|ip| SocketAddr::new(ip, 0)));
    found.ok_or_else(|| {
        let quoted = quote(text);
        invalid(format!(
            "`--listen` is an address of this machine such as 0.0.0.0:4567, not `{quoted}`"
        ))
    })
}

/// A host with a port, as it stands in a URL.
fn parse_address(text: &str) -> Result<String> {
    let wrong = |why: &str| {
        let quoted = quote(text);
        invalid(format!(
            "`--address` is a host with a port such as my-host.lan:4567, not `{quoted}`: {why}"
        ))
    };
    let (host, port) = text.rsplit_once(':').ok_or_else(|| wrong("it has no port"))?;
    // A number with a sign would be one, too.
    let digits = port.bytes().all(|byte| byte.is_ascii_digit());
    let port = port.parse::<u16>().ok().filter(|port| digits && *port > 0);
    let port = port.ok_or_else(|| wrong("its port is not 1 to 65535"))?;
    let host = host.to_ascii_lowercase();
    let address = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => match inner.parse::<Ipv6Addr>() {
            Ok(address) => Some(IpAddr::V6(address)),
            Err(_) => return Err(wrong("no IPv6 address stands between the brackets")),
        },
        None if host.contains(':') => return Err(wrong("an IPv6 address stands in brackets")),
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    };
    match address {
        Some(address) if address.is_unspecified() || address.is_multicast() => {
            Err(wrong("nobody can call that address"))
        }
        Some(_) => Ok(format!("{host}:{port}")),
        None if is_hostname(&host) => Ok(format!("{host}:{port}")),
        None => Err(wrong("that is not a name of a host")),
    }
}

/// Whether resolvers take it for a name: labels of letters, digits, dashes and
/// underscores, the last of which is not a number.
fn is_hostname(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let label = |label: &str| {
        let edges = label.starts_with('-') || label.ends_with('-');
        (1..=63).contains(&label.len()) && label.bytes().all(good) && !edges
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    let number = last.starts_with(|first: char| first.is_ascii_digit());
    host.len() <= 253 && host.split('.').all(label) && !number
}

fn invalid(message: String) -> Error {
    Error::new(Reason::ArgumentInvalid, message)
}

#[cfg(test)]
mod tests {
    use super::ListenConfig;

    #[test]
    fn addresses_are_whole() {
        let good =
            ListenConfig::from_request("pair new", Some("0.0.0.0:4567"), Some("My-Host.lan:4567"))
                .expect("good");
        assert_eq!(good.address.as_deref(), Some("my-host.lan:4567"));
        assert_eq!(
            ListenConfig::from_request("pair new", Some("::1"), None)
                .expect("good")
                .listen
                .expect("an address")
                .port(),
            0
        );
        for listen in ["", "localhost:1", "127.0.0.1:99999", "0.0.0.0:1", "a b"] {
            assert!(
                ListenConfig::from_request("pair new", Some(listen), None).is_err(),
                "{listen}"
            );
        }
        for (output, kept) in [
            ("192.0.2.7:443", "192.0.2.7:443"),
            ("[::1]:9", "[::1]:9"),
            ("[2001:DB8::7]:080", "[2001:db8::7]:80"),
            ("localhost:1", "localhost:1"),
            ("a_b.x-1.example.:65535", "a_b.x-1.example.:65535"),
        ] {
            let place = ListenConfig::from_request("pair new", None, Some(output)).expect(output);
            assert_eq!(place.address.as_deref(), Some(kept));
        }
        let long = format!("{}:1", "a".repeat(64));
        for address in [
            "",
            "host",
            "host:",
            "host:0",
            "host:+1",
            "host:65536",
            "host:1x",
            ":1",
            "a@b:1",
            "https://a:1",
            "a b:1",
            "host:1/x",
            "a\"b:1",
            "a'b:1",
            "a\\b:1",
            "$(id):1",
            "a;b:1",
            "a%41:1",
            "a,b:1",
            "-a:1",
            "a-:1",
            "a..b:1",
            ".a:1",
            "*.a:1",
            "ä.example:1",
            "::1:1",
            "[::1:1",
            "[::g]:1",
            "[]:1",
            "[127.0.0.1]:1",
            "[fe80::1%eth0]:1",
            "127.0.0:1",
            "256.1.1.1:1",
            "0x7f.1:1",
            "2130706433:1",
            "0.0.0.0:1",
            "[::]:1",
            "a\nb:1",
            &long,
        ] {
            let refused =
                ListenConfig::from_request("pair new", None, Some(address)).expect_err(address);
            assert!(refused.to_string().starts_with("`--address` is a host"), "{address}");
        }
    }
}
