//! The names by which agents reach the listener. A page whose name was bound
//! anew to our address calls it by its own.

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use http::uri::Authority;

/// Names that a `Host` may have: addresses, `localhost`, and what the owner
/// gave out, as often as that was.
#[derive(Debug, Default)]
pub struct AllowedHosts(Mutex<BTreeMap<String, u32>>);

impl AllowedHosts {
    /// Gives out the address `host:port`.
    pub fn add(&self, address: &str) {
        if let Ok(host) = address.parse::<Authority>() {
            let mut names = self.lock();
            let count = names.entry(normalize_host(host.host())).or_default();
            *count = count.saturating_add(1);
        }
    }

    /// Takes it back once: a tunnel and a pairing may have given out the same.
    pub fn remove(&self, address: &str) {
        if let Ok(host) = address.parse::<Authority>() {
            let (mut names, name) = (self.lock(), normalize_host(host.host()));
            if let Some(count) = names.get_mut(&name) {
                *count -= 1;
                if *count == 0 {
                    names.remove(&name);
                }
            }
        }
    }

    /// Takes all back: nobody listens any more.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// Whether a call to `authority` is meant for us. The port is not looked
    /// at: what forwards to us has ports of its own.
    pub fn allows(&self, authority: &Authority) -> bool {
        let host = normalize_host(authority.host());
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let known = bare.parse::<IpAddr>().is_ok()
            || host == "localhost"
            || self.lock().contains_key(&host);
        known && !authority.as_str().contains('@')
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn normalize_host(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::AllowedHosts;

    #[test]
    fn only_names_that_were_given_out_are_known() {
        let names = AllowedHosts::default();
        names.add("My-Host.lan:4567");
        let know = |text: &str| names.allows(&text.parse().expect(text));
        for good in ["127.0.0.1:1", "192.0.2.7:443", "[::1]:9", "localhost", "my-host.lan:80"] {
            assert!(know(good), "{good}");
        }
        for bad in ["evil.example:4567", "my-host.lan.evil.example", "a@127.0.0.1:1", "lan"] {
            assert!(!know(bad), "{bad}");
        }
        names.remove("MY-host.lan:1");
        assert!(!know("my-host.lan:80"));
        names.remove("my-host.lan:1");
        assert!(!know("my-host.lan:80"), "what is not there goes nowhere");
    }

    #[test]
    fn a_name_stays_as_long_as_one_of_those_who_gave_it_out() {
        let names = AllowedHosts::default();
        let know = || names.allows(&"my-host.lan:80".parse().expect("an address"));
        names.add("my-host.lan:4567");
        names.add("my-host.lan:443");
        names.remove("my-host.lan:443");
        assert!(know(), "the tunnel has ended, the pairing has not");
        names.clear();
        assert!(!know());
    }
}
