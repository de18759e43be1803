//! Where the listener is, and by which address it is reached.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use browse_proto::Reason;

use crate::error::{Error, Result, quote};

/// Where the listener shall be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Address of this machine; none leaves it where it is, or 127.0.0.1.
    pub listen: Option<SocketAddr>,
    /// Address by which agents reach it, when that is another.
    pub address: Option<String>,
}

impl Place {
    /// Reads what the owner said to `command`.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`.
    pub fn read(command: &str, listen: Option<&str>, address: Option<&str>) -> Result<Self> {
        Self::parse(listen, address).map_err(|error| error.with("command", command))
    }

    fn parse(listen: Option<&str>, address: Option<&str>) -> Result<Self> {
        let listen = listen.map(listening).transpose()?;
        let address = address.map(reached).transpose()?;
        let everywhere = listen.is_some_and(|listen| listen.ip().is_unspecified());
        if everywhere && address.is_none() {
            let message =
                "agents cannot call `0.0.0.0`: `--address` says how they reach this machine";
            return Err(invalid(message.to_owned()));
        }
        Ok(Self { listen, address })
    }

    /// What to bind when nothing was said.
    pub fn usual() -> SocketAddr {
        SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0)
    }
}

/// `0.0.0.0:4567`, or an address alone: any port.
fn listening(text: &str) -> Result<SocketAddr> {
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
fn reached(text: &str) -> Result<String> {
    let authority = text.parse::<http::uri::Authority>().ok();
    let authority = authority.filter(|found| found.port_u16().is_some_and(|port| port > 0));
    let plain = authority.filter(|found| !found.as_str().contains('@') && !found.host().is_empty());
    plain.map(|found| found.as_str().to_ascii_lowercase()).ok_or_else(|| {
        let quoted = quote(text);
        invalid(format!(
            "`--address` is a host with a port such as my-host.lan:4567, not `{quoted}`"
        ))
    })
}

fn invalid(message: String) -> Error {
    Error::new(Reason::ArgumentInvalid, message)
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn addresses_are_whole() {
        let good =
            Place::read("pair new", Some("0.0.0.0:4567"), Some("My-Host.lan:4567")).expect("good");
        assert_eq!(good.address.as_deref(), Some("my-host.lan:4567"));
        assert_eq!(
            Place::read("pair new", Some("::1"), None).expect("good").listen.expect("said").port(),
            0
        );
        for listen in ["", "localhost:1", "127.0.0.1:99999", "0.0.0.0:1", "a b"] {
            assert!(Place::read("pair new", Some(listen), None).is_err(), "{listen}");
        }
        for address in ["", "host", "host:0", "a@b:1", "https://a:1", "a b:1", "host:1/x", ":1"] {
            assert!(Place::read("pair new", None, Some(address)).is_err(), "{address}");
        }
    }
}
