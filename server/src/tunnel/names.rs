//! The names by which agents reach the listener. A page whose name was bound
//! anew to our address calls it by its own.

use std::{
    collections::BTreeSet,
    net::IpAddr,
    sync::{Mutex, PoisonError},
};

use http::uri::Authority;

/// Names that a `Host` may have: addresses, `localhost`, and what the owner
/// gave out.
#[derive(Debug, Default)]
pub struct Names(Mutex<BTreeSet<String>>);

impl Names {
    /// Gives out the address `host:port`.
    pub fn add(&self, address: &str) {
        let host = address.parse::<Authority>().ok();
        if let Some(host) = host {
            let name = normal(host.host());
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name);
        }
    }

    /// Takes it back.
    pub fn remove(&self, address: &str) {
        if let Ok(host) = address.parse::<Authority>() {
            let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            names.remove(&normal(host.host()));
        }
    }

    /// Whether a call to `authority` is meant for us. The port is not looked
    /// at: what forwards to us has ports of its own.
    pub fn know(&self, authority: &Authority) -> bool {
        let host = normal(authority.host());
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let known = bare.parse::<IpAddr>().is_ok()
            || host == "localhost"
            || self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&host);
        known && !authority.as_str().contains('@')
    }
}

fn normal(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn only_names_that_were_given_out_are_known() {
        let names = Names::default();
        names.add("My-Host.lan:4567");
        let know = |text: &str| names.know(&text.parse().expect(text));
        for good in ["127.0.0.1:1", "192.0.2.7:443", "[::1]:9", "localhost", "my-host.lan:80"] {
            assert!(know(good), "{good}");
        }
        for bad in ["evil.example:4567", "my-host.lan.evil.example", "a@127.0.0.1:1", "lan"] {
            assert!(!know(bad), "{bad}");
        }
        names.remove("MY-host.lan:1");
        assert!(!know("my-host.lan:80"));
    }
}
