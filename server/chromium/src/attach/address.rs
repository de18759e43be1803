//! How a browser that runs already is named.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use url::Url;

/// The address of a browser that runs already. It may hold a secret of a hosted
/// browser, so [`fmt::Display`] writes scheme, host and port alone.
#[derive(Clone, PartialEq, Eq)]
pub enum CdpAddress {
    /// `ws:` or `wss:` is the DevTools protocol itself; below `http:` or `https:`,
    /// `/json/version` names that address.
    Url(Url),
    /// A browser of this user, whose profile says where it listens.
    Channel(BrowserChannel),
}

/// A branded browser, with the profile that it uses by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrowserChannel {
    name: &'static str,
    /// Below `~/.config` on Linux.
    linux: &'static str,
    /// Below `~/Library/Application Support` on macOS.
    mac: &'static str,
}

const CHANNELS: [BrowserChannel; 7] = [
    BrowserChannel { name: "chrome", linux: "google-chrome", mac: "Google/Chrome" },
    BrowserChannel { name: "chrome-beta", linux: "google-chrome-beta", mac: "Google/Chrome Beta" },
    BrowserChannel {
        name: "chrome-dev",
        linux: "google-chrome-unstable",
        mac: "Google/Chrome Dev",
    },
    BrowserChannel {
        name: "chrome-canary",
        linux: "google-chrome-canary",
        mac: "Google/Chrome Canary",
    },
    BrowserChannel { name: "chromium", linux: "chromium", mac: "Chromium" },
    BrowserChannel { name: "edge", linux: "microsoft-edge", mac: "Microsoft Edge" },
    BrowserChannel {
        name: "brave",
        linux: "BraveSoftware/Brave-Browser",
        mac: "BraveSoftware/Brave-Browser",
    },
];

/// Where a browser writes the port that it listens on, inside its profile.
pub(crate) const PORT_FILE: &str = "DevToolsActivePort";

impl BrowserChannel {
    /// Such as `chrome`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The file in which the browser says where it listens.
    pub(crate) fn port_file(self, home: &Path) -> PathBuf {
        let profile = match cfg!(target_os = "macos") {
            true => home.join("Library/Application Support").join(self.mac),
            false => home.join(".config").join(self.linux),
        };
        profile.join(PORT_FILE)
    }
}

impl CdpAddress {
    /// All of it, the secret that it may hold included.
    pub(crate) fn full_text(&self) -> String {
        match self {
            Self::Url(url) => url.to_string(),
            Self::Channel(_) => self.to_string(),
        }
    }

    /// Whether the browser runs on this machine.
    pub fn is_local(&self) -> bool {
        let Self::Url(url) = self else { return true };
        match url.host() {
            Some(url::Host::Domain(name)) => {
                name.eq_ignore_ascii_case("localhost") || name.ends_with(".localhost")
            }
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }
}

impl FromStr for CdpAddress {
    type Err = String;

    /// Reads `channel:chrome`, a port of this machine, or an address of ws, wss, http or
    /// https. The error says what would be right.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(name) = text.strip_prefix("channel:") {
            let channel = CHANNELS.into_iter().find(|channel| channel.name == name);
            return channel.map(Self::Channel).ok_or_else(|| {
                let names = CHANNELS.map(|channel| format!("channel:{}", channel.name));
                format!("the channel is one of {}", names.join(", "))
            });
        }
        let port = text.strip_prefix(':').unwrap_or(text).parse::<u16>().ok();
        let url = match port {
            Some(port) => format!("http://127.0.0.1:{port}/"),
            None => text.to_owned(),
        };
        let expected = "give `ws://HOST:PORT/PATH`, `http://HOST:PORT`, a port of this machine, \
                        or `channel:chrome`";
        let url = Url::parse(&url).map_err(|_| expected.to_owned())?;
        match url.scheme() {
            "ws" | "wss" | "http" | "https" if url.has_host() => Ok(Self::Url(url)),
            _ => Err(expected.to_owned()),
        }
    }
}

impl fmt::Display for CdpAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channel(channel) => write!(formatter, "channel:{}", channel.name),
            Self::Url(url) => {
                write!(formatter, "{}://{}", url.scheme(), url.host_str().unwrap_or_default())?;
                match url.port() {
                    Some(port) => write!(formatter, ":{port}"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl fmt::Debug for CdpAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CdpAddress({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_never_show_a_secret() {
        let table = [
            ("9222", "http://127.0.0.1:9222", true),
            (":9222", "http://127.0.0.1:9222", true),
            ("http://localhost:9222/", "http://localhost:9222", true),
            ("ws://127.0.0.1:9222/devtools/browser/0c6b", "ws://127.0.0.1:9222", true),
            ("ws://[::1]:9222/x", "ws://[::1]:9222", true),
            ("wss://u:p@cloud.example/x?token=secret", "wss://cloud.example", false),
            ("http://chrome:9222", "http://chrome:9222", false),
            ("channel:chrome", "channel:chrome", true),
            ("channel:edge", "channel:edge", true),
        ];
        for (text, shown, is_local) in table {
            let address: CdpAddress = text.parse().expect(text);
            assert_eq!(address.to_string(), shown, "{text}");
            assert_eq!(format!("{address:?}"), format!("CdpAddress({shown})"));
            assert_eq!(address.is_local(), is_local, "{text}");
        }
        for wrong in
            ["", "chrome", "ftp://x/", "file:///x", "channel:netscape", "localhost:9222", "99999"]
        {
            let error = wrong.parse::<CdpAddress>().expect_err(wrong);
            assert!(error.contains("channel:chrome"), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_channel_says_where_its_browser_listens() {
        let CdpAddress::Channel(channel) = "channel:chrome-beta".parse().expect("a channel") else {
            panic!("it is a channel");
        };
        let file = channel.port_file(Path::new("/home/ada"));
        assert!(file.starts_with("/home/ada") && file.ends_with(PORT_FILE), "{}", file.display());
    }
}
