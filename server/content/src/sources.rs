//! Which hosts page-derived content came from, in few words: an answer may
//! have entries of hundreds, and its envelope names some of them.

use std::collections::HashSet;

use browse_guard::egress::Site;
use url::Url;

/// Hosts that are named; the others are counted.
const MAX_NAMED_HOSTS: usize = 3;

/// The hosts of one answer.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// In order of appearance.
    named_hosts: Vec<String>,
    hosts: HashSet<String>,
    /// The one site that all of it is of; none when it is of several.
    site: Option<Site>,
    has_several_sites: bool,
}

impl Sources {
    /// Adds a host, or what stands for one.
    pub fn add(&mut self, host: &str) {
        if !host.is_empty()
            && self.hosts.insert(host.to_owned())
            && self.named_hosts.len() < MAX_NAMED_HOSTS
        {
            self.named_hosts.push(host.to_owned());
        }
    }

    /// Adds the host of an address; false when it has none.
    pub fn add_url(&mut self, url: &str) -> bool {
        let url = Url::parse(url).ok();
        let Some((url, host)) = url.as_ref().and_then(|url| Some((url, url.host_str()?))) else {
            return false;
        };
        self.add(host);
        self.add_site(&Site::of_host(host, url.port_or_known_default().unwrap_or_default()));
        true
    }

    /// The site that all of it is of; [`Site::several`] when there is none.
    pub fn site(&self) -> Site {
        let one = self.site.clone().filter(|_| !self.has_several_sites);
        one.unwrap_or_else(Site::mixed)
    }

    fn add_site(&mut self, site: &Site) {
        self.has_several_sites |= self.site.as_ref().is_some_and(|known| known != site);
        self.site = Some(site.clone());
    }

    /// Adds those of a part of the answer.
    pub fn extend(&mut self, other: &Self) {
        self.has_several_sites |= other.has_several_sites;
        if let Some(site) = &other.site {
            self.add_site(site);
        }
        other.named_hosts.iter().chain(&other.hosts).for_each(|host| self.add(host));
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.named_hosts.is_empty()
    }

    /// `a.com,b.com,c.com and 4 more`.
    pub fn display(&self) -> String {
        let named = self.named_hosts.join(",");
        match self.hosts.len() - self.named_hosts.len() {
            0 => named,
            more => format!("{named} and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_hosts_are_named_and_many_counted() {
        let mut sources = Sources::default();
        for url in ["https://b.com/x", "http://a.com:8/", "data:text/html,x", "https://b.com/y"] {
            sources.add_url(url);
        }
        assert_eq!(sources.display(), "b.com,a.com");
        for number in 0..5 {
            sources.add(&format!("h{number}"));
        }
        assert_eq!(sources.display(), "b.com,a.com,h0 and 4 more");
        let mut outer = Sources::default();
        outer.add("b.com");
        outer.extend(&sources);
        assert_eq!(outer.display(), "b.com,a.com,h0 and 4 more");
    }
}
