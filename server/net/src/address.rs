//! What kind of place an address is.
//!
//! Names and notations are settled before: `url` reads decimal, hexadecimal,
//! octal and short forms of IPv4 as browsers do. What is left is an address,
//! and IPv6 has several ways to say an IPv4 one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::Host;

/// A kind of place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressKind {
    /// The open internet.
    Public,
    /// This machine.
    Loopback,
    /// A private or shared network.
    Private,
    /// The local link only.
    LinkLocal,
    /// A cloud's metadata service: credentials for whoever asks.
    Metadata,
    /// Multicast, reserved, unspecified: nothing a browser talks to.
    Special,
}

/// Metadata services of the clouds, beside all of 169.254.0.0/16's known ones.
const METADATA_V4: [Ipv4Addr; 7] = [
    Ipv4Addr::new(169, 254, 169, 254), // AWS, Google, Azure, DigitalOcean, Oracle …
    Ipv4Addr::new(169, 254, 169, 253), // AWS name server
    Ipv4Addr::new(169, 254, 170, 2),   // AWS ECS tasks
    Ipv4Addr::new(169, 254, 170, 23),  // AWS EKS pods
    Ipv4Addr::new(100, 100, 100, 200), // Alibaba
    Ipv4Addr::new(168, 63, 129, 16),   // Azure's agent
    Ipv4Addr::new(192, 0, 0, 192),     // Oracle, older
];

/// The same over IPv6.
const METADATA_V6: [Ipv6Addr; 3] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), // AWS
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),  // AWS EKS pods
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),  // Google
];

/// Names that clouds answer themselves.
const METADATA_NAMES: [&str; 4] =
    ["metadata.google.internal", "metadata.goog", "metadata", "instance-data"];

/// The kind of place of an address, whatever version it is written in.
pub fn address_kind(address: IpAddr) -> AddressKind {
    match address {
        IpAddr::V4(address) => kind_v4(address),
        IpAddr::V6(address) => match embedded_v4(address) {
            Some(inner) => kind_v4(inner),
            None => kind_v6(address),
        },
    }
}

/// Whether an address is that of a metadata service.
pub fn is_metadata_address(address: IpAddr) -> bool {
    address_kind(address) == AddressKind::Metadata
}

/// Whether a URL's host is a metadata service by its own spelling.
pub fn is_metadata_host(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => address_kind((*address).into()) == AddressKind::Metadata,
        Host::Ipv6(address) => address_kind((*address).into()) == AddressKind::Metadata,
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            METADATA_NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
        }
    }
}

/// Whether no cookie may be given to a host: metadata services, and addresses
/// of the local link, where they live.
pub fn is_forbidden_to_cookies(host: &Host<&str>) -> bool {
    let local =
        |address| matches!(address_kind(address), AddressKind::Metadata | AddressKind::LinkLocal);
    match host {
        Host::Ipv4(address) => local((*address).into()),
        Host::Ipv6(address) => local((*address).into()),
        Host::Domain(_) => is_metadata_host(host),
    }
}

fn kind_v4(address: Ipv4Addr) -> AddressKind {
    let [a, b, ..] = address.octets();
    if METADATA_V4.contains(&address) {
        AddressKind::Metadata
    } else if address.is_loopback() {
        AddressKind::Loopback
    } else if address.is_link_local() {
        AddressKind::LinkLocal
    } else if address.is_private()
        // Carrier-grade NAT, and networks for benchmarks.
        || (a == 100 && (64..128).contains(&b))
        || (a == 198 && (18..20).contains(&b))
    {
        AddressKind::Private
    } else if address.is_unspecified() {
        // Linux connects 0.0.0.0 to this machine.
        AddressKind::Loopback
    } else if a == 0 || a >= 224 || (a == 192 && b == 0 && address.octets()[2] == 0) {
        AddressKind::Special
    } else {
        AddressKind::Public
    }
}

fn kind_v6(address: Ipv6Addr) -> AddressKind {
    if METADATA_V6.contains(&address) {
        AddressKind::Metadata
    } else if address.is_loopback() || address.is_unspecified() {
        AddressKind::Loopback
    } else if address.is_unicast_link_local() {
        AddressKind::LinkLocal
    } else if address.is_unique_local() || address.segments()[0] & 0xffc0 == 0xfec0 {
        AddressKind::Private
    } else if matches!(address.segments(), [0x64, 0xff9b, 1, ..]) {
        // Translated to IPv4 by a prefix that is the network's own choice.
        AddressKind::Private
    } else if matches!(address.segments(), [0x2001, 0 | 0xdb8, ..])
        || address.segments()[0] & 0xe000 != 0x2000
    {
        // Teredo, which hides IPv4 addresses; examples; what nobody was given.
        AddressKind::Special
    } else {
        AddressKind::Public
    }
}

/// The IPv4 address inside an IPv6 one: mapped, compatible, NAT64, 6to4.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let last = || Ipv4Addr::from((u32::from(segments[6]) << 16) | u32::from(segments[7]));
    match segments {
        [0, 0, 0, 0, 0, 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => Some(last()),
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => Some(last()),
        // `::` and `::1` are addresses of their own.
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 || low > 1 => Some(last()),
        [0x2002, high, low, ..] => Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_known_in_every_notation() {
        for url in [
            "http://169.254.169.254/latest",
            "http://2852039166/",
            "http://0xa9fea9fe/",
            "http://0xa9.0xfe.0xa9.0xfe/",
            "http://0251.0376.0251.0376/",
            "http://169.254.43518/",
            "http://169.16689662/",
            "http://169.254.169.254./",
            "http://[::ffff:169.254.169.254]/",
            "http://[::ffff:a9fe:a9fe]/",
            "http://[::169.254.169.254]/",
            "http://[64:ff9b::169.254.169.254]/",
            "http://[2002:a9fe:a9fe::]/",
            "http://[fd00:ec2::254]/",
            "http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/",
            "http://METADATA.google.internal/",
            "http://metadata.google.internal./",
            "http://metadata/",
            "https://100.100.100.200/",
            "http://user:pass@169.254.170.2:8080/",
        ] {
            let parsed = url::Url::parse(url).expect(url);
            assert!(is_metadata_host(&parsed.host().expect(url)), "{url}");
        }
    }

    #[test]
    fn ordinary_hosts_are_not_metadata() {
        for url in [
            "http://example.com/169.254.169.254",
            "http://127.0.0.1/",
            "http://localhost/",
            "http://192.168.1.1/",
            "http://169.254.169.254.example.com/",
            "http://metadata.example.com/",
            "http://[::1]/",
        ] {
            let parsed = url::Url::parse(url).expect(url);
            assert!(!is_metadata_host(&parsed.host().expect(url)), "{url}");
        }
    }

    #[test]
    fn places() {
        let table = [
            ("8.8.8.8", AddressKind::Public),
            ("2606:4700::1111", AddressKind::Public),
            ("127.8.9.1", AddressKind::Loopback),
            ("0.0.0.0", AddressKind::Loopback),
            ("::1", AddressKind::Loopback),
            ("::", AddressKind::Loopback),
            ("::ffff:127.0.0.1", AddressKind::Loopback),
            ("10.1.2.3", AddressKind::Private),
            ("172.31.0.1", AddressKind::Private),
            ("172.32.0.1", AddressKind::Public),
            ("192.168.0.1", AddressKind::Private),
            ("100.64.0.1", AddressKind::Private),
            ("fd12::1", AddressKind::Private),
            ("::ffff:10.0.0.1", AddressKind::Private),
            ("64:ff9b::10.0.0.1", AddressKind::Private),
            ("2002:0a00:0001::", AddressKind::Private),
            ("169.254.1.1", AddressKind::LinkLocal),
            ("fe80::1", AddressKind::LinkLocal),
            ("224.0.0.1", AddressKind::Special),
            ("255.255.255.255", AddressKind::Special),
            ("0.1.2.3", AddressKind::Special),
            ("ff02::1", AddressKind::Special),
            ("64:ff9b:1::1", AddressKind::Private),
            ("2001:0:7f00:1::", AddressKind::Special),
            ("2001:db8::1", AddressKind::Special),
            ("2001:4860:4860::8888", AddressKind::Public),
            ("4000::1", AddressKind::Special),
        ];
        for (text, expected) in table {
            assert_eq!(address_kind(text.parse().expect(text)), expected, "{text}");
        }
    }
}
