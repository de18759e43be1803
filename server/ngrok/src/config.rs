//! What is to be forwarded where, and on whose behalf.

use std::{fs, net::SocketAddr, path::Path};

use tokio_rustls::rustls::pki_types::{CertificateDer, pem::PemObject as _};

use crate::error::NgrokError;

/// Port of ngrok's service where none is named.
const DEFAULT_PORT: u16 = 443;

/// Where agents of ngrok call.
const DEFAULT_SERVER: &str = "connect.ngrok-agent.com:443";

/// Variables that may make no sense.
pub const SERVER_VARIABLE: &str = "NGROK_SERVER_ADDR";
/// The same.
pub const ROOTS_VARIABLE: &str = "NGROK_ROOT_CAS";

/// Bytes of a file of certificates; those of a whole system take a tenth.
const MAX_ROOTS_BYTES: u64 = 4 << 20;

/// Whom to believe that it is the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootCertificates {
    /// The certificate of ngrok that its crate brings.
    Ngrok,
    /// The authorities of the machine.
    Host,
    /// Those of a file, as PEM.
    File(Vec<u8>),
}

/// A tunnel that is wanted.
#[derive(Debug)]
pub struct NgrokConfig {
    /// The listener.
    pub listener: SocketAddr,
    /// SHA-256 of the public key of its certificate.
    pub pin: [u8; 32],
    /// What the account is known by.
    pub token: String,
    /// `host:port` of the service; whoever names a host alone means port 443.
    pub server: String,
    /// Whom to believe.
    pub roots: RootCertificates,
    /// Domain of the account, if a certain one is wanted.
    pub domain: Option<String>,
}

impl NgrokConfig {
    /// Reads the arguments, and the variables that `get` answers.
    ///
    /// # Errors
    /// What is missing or makes no sense.
    pub fn parse(
        listener: &str,
        pin: &str,
        get: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, NgrokError> {
        let get = |name: &str| {
            let value = get(name).map(|value| value.trim().to_owned());
            value.filter(|value| !value.is_empty())
        };
        let other = |what: &str| NgrokError::other(what.to_owned());
        Ok(Self {
            listener: listener.parse().map_err(|_| other("the listener is not an address"))?,
            pin: unhex(pin).ok_or_else(|| other("the pin is not 64 hexadecimal digits"))?,
            token: get("NGROK_AUTHTOKEN")
                .ok_or_else(|| NgrokError::token("NGROK_AUTHTOKEN is not set".to_owned()))?,
            server: get(SERVER_VARIABLE).map_or(Ok(DEFAULT_SERVER.to_owned()), with_port)?,
            roots: parse_roots(get(ROOTS_VARIABLE).as_deref())?,
            domain: get("NGROK_DOMAIN"),
        })
    }

    /// The ports that it has to reach.
    pub fn ports(&self) -> [u16; 2] {
        let (_, port) = self.server.rsplit_once(':').unwrap_or_default();
        [self.listener.port(), port.parse().unwrap_or(DEFAULT_PORT)]
    }
}

/// The address of a service, with its port.
fn with_port(text: String) -> Result<String, NgrokError> {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()),
        None => (text.as_str(), Some(DEFAULT_PORT)),
    };
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-".contains(letter);
    let port = port.filter(|port| *port > 0 && !host.is_empty() && host.chars().all(plain));
    let port = port.ok_or_else(|| {
        NgrokError::setting(
            SERVER_VARIABLE,
            "is a host, or a host with a port, such as a.example:443",
        )
    })?;
    Ok(format!("{host}:{port}"))
}

fn parse_roots(output: Option<&str>) -> Result<RootCertificates, NgrokError> {
    match output {
        None | Some("trusted") => Ok(RootCertificates::Ngrok),
        Some("host") => Ok(RootCertificates::Host),
        Some(file) if Path::new(file).is_absolute() => {
            let read = read_certificates(Path::new(file)).map(RootCertificates::File);
            read.map_err(|why| {
                NgrokError::setting(ROOTS_VARIABLE, format_args!("names `{file}`, {why}"))
            })
        }
        Some(_) => Err(NgrokError::setting(
            ROOTS_VARIABLE,
            "is `trusted`, `host`, or the whole path of a file of certificates",
        )),
    }
}

/// The certificates of a file, or what is wrong with it.
fn read_certificates(path: &Path) -> Result<Vec<u8>, String> {
    let unread = |error: std::io::Error| format!("which cannot be read: {error}");
    // Before it is opened: a pipe would be waited for, a device has no end.
    let facts = fs::metadata(path).map_err(unread)?;
    if !facts.is_file() || facts.len() > MAX_ROOTS_BYTES {
        return Err("which is not a plain file of at most 4 MiB".to_owned());
    }
    let pem = fs::read(path).map_err(unread)?;
    match CertificateDer::pem_slice_iter(&pem).next() {
        Some(Ok(_)) => Ok(pem),
        _ => Err("which holds no certificate as PEM".to_owned()),
    }
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(listener: &str, pin: &str, set: &[(&str, &str)]) -> Result<NgrokConfig, NgrokError> {
        let get = |name: &str| {
            let found = set.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        NgrokConfig::parse(listener, pin, get)
    }

    #[test]
    fn what_is_not_said_is_as_ngrok_has_it() {
        let pin = "0a".repeat(32);
        let order = read("127.0.0.1:4567", &pin, &[("NGROK_AUTHTOKEN", " t\n")]).expect("good");
        assert_eq!((order.token.as_str(), order.pin), ("t", [10; 32]));
        assert_eq!((order.server.as_str(), order.ports()), (DEFAULT_SERVER, [4567, 443]));
        assert_eq!((order.roots, order.domain), (RootCertificates::Ngrok, None));
        let token = ("NGROK_AUTHTOKEN", "t");
        let set = [token, ("NGROK_SERVER_ADDR", "a.example:99"), ("NGROK_ROOT_CAS", "host")];
        let order = read("[::1]:1", &pin, &set).expect("good");
        assert_eq!((order.ports(), order.roots), ([1, 99], RootCertificates::Host));
        let order = read("[::1]:1", &pin, &[token, ("NGROK_SERVER_ADDR", "a.example")]);
        assert_eq!(order.expect("a host alone is good").server, "a.example:443");
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let pin = "0a".repeat(32);
        let token = ("NGROK_AUTHTOKEN", "t");
        let fails = |listener: &str, pin: &str, set: &[(&str, &str)]| {
            read(listener, pin, set).expect_err("it makes no sense").to_string()
        };
        assert!(fails("x", &pin, &[token]).contains("listener"));
        assert!(fails("127.0.0.1:1", "0a", &[token]).contains("pin"));
        assert!(fails("127.0.0.1:1", &"é".repeat(32), &[token]).contains("pin"));
        for set in [&[][..], &[("NGROK_AUTHTOKEN", " ")]] {
            assert!(fails("127.0.0.1:1", &pin, set).starts_with("token: NGROK_AUTHTOKEN"));
        }
        for server in ["a.example:", "a.example:0", ":1", "a b:1", "http://a:1", "[::1]:1"] {
            let set = [token, ("NGROK_SERVER_ADDR", server)];
            assert!(
                fails("127.0.0.1:1", &pin, &set).starts_with("setting: NGROK_SERVER_ADDR "),
                "{server}"
            );
        }
        for roots in ["ca.pem", "/no/such/file", "/dev/zero", "/etc", "/etc/passwd"] {
            let set = [token, ("NGROK_ROOT_CAS", roots)];
            assert!(
                fails("127.0.0.1:1", &pin, &set).starts_with("setting: NGROK_ROOT_CAS "),
                "{roots}"
            );
        }
    }
}
