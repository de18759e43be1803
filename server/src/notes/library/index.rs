//! Which notes of the collection are about a host, found in no time: goto asks
//! at each arrival.

use std::{collections::HashMap, sync::Arc};

use super::{cache::LibraryManifest, hosts::SiteTable};

/// The notes by host.
pub struct LibraryIndex {
    /// What it was made from.
    pub manifest: Arc<LibraryManifest>,
    /// What it was made with.
    pub hosts: SiteTable,
    /// Sites by the host that their names stand for.
    sites_by_host: HashMap<String, Vec<String>>,
    /// Places of notes in the manifest, by site.
    notes_by_site: HashMap<String, Vec<usize>>,
}

impl LibraryIndex {
    /// Sorts the notes of `manifest`.
    pub fn new(manifest: Arc<LibraryManifest>, hosts: SiteTable) -> Self {
        let mut notes: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, note) in manifest.notes.iter().enumerate() {
            notes.entry(note.site().to_owned()).or_default().push(place);
        }
        let mut named: HashMap<String, Vec<String>> = HashMap::new();
        for site in notes.keys() {
            for host in hosts.hosts_of_site(site) {
                named.entry(host).or_default().push(site.clone());
            }
        }
        Self { manifest, hosts, sites_by_host: named, notes_by_site: notes }
    }

    /// Places in the manifest of the notes on `host`. A host that the tables
    /// name has the sites that they say, and no others.
    pub fn notes_for_host(&self, host: &str) -> Vec<usize> {
        let sites: Vec<&String> = match self.hosts.sites(host) {
            Some(sites) => sites.iter().collect(),
            None => self.sites_by_name(host),
        };
        let places = sites.into_iter().filter_map(|site| self.notes_by_site.get(site)).flatten();
        let mut places: Vec<_> = places.copied().collect();
        places.sort_unstable();
        places
    }

    /// The sites whose names stand for `host`, or for one above it.
    fn sites_by_name(&self, host: &str) -> Vec<&String> {
        let mut sites = Vec::new();
        let mut rest = host;
        loop {
            sites.extend(self.sites_by_host.get(rest).into_iter().flatten());
            match rest.split_once('.') {
                Some((_, above)) => rest = above,
                None => return sites,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{super::cache::CachedNote, *};

    fn found(table: &str, host: &str) -> Vec<String> {
        let home = tempfile::tempdir().expect("a folder");
        fs::write(SiteTable::path(home.path()), table).expect("written");
        let note = |id: &&str| CachedNote {
            id: (*id).to_owned(),
            blob: String::new(),
            sha256: String::new(),
            title: String::new(),
            score: 0.0,
            flagged: false,
        };
        let ids = [
            "booking-com/search",
            "github/attachments",
            "github/triage",
            "shopify/cart",
            "wikipedia/tables",
            "co.uk/all",
        ];
        let manifest =
            LibraryManifest { notes: ids.iter().map(note).collect(), ..LibraryManifest::default() };
        let index = LibraryIndex::new(Arc::new(manifest), SiteTable::load(home.path()).0);
        index.notes_for_host(host).into_iter().map(|place| ids[place].to_owned()).collect()
    }

    #[test]
    fn hosts_find_the_notes_of_their_site_alone() {
        assert_eq!(found("", "secure.booking.com"), ["booking-com/search"]);
        assert_eq!(found("", "github.com"), ["github/attachments", "github/triage"]);
        assert_eq!(found("", "de.wikipedia.org"), ["wikipedia/tables"]);
        for other in [
            "wikipedia.com",
            "booking.com.evil.example",
            "mygithub.com",
            "github.io",
            "shop.co.uk",
            "com",
            "",
        ] {
            assert!(found("", other).is_empty(), "{other}");
        }
    }

    #[test]
    fn the_users_table_goes_before_ours_and_both_before_names() {
        let table = "\"shop.internal\" = \"shopify\"\n\"en.wikipedia.org\" = [\"github\"]\n";
        assert_eq!(found(table, "m.shop.internal"), ["shopify/cart"]);
        assert!(found(table, "shopify.com").is_empty(), "the user says what it is");
        assert_eq!(found(table, "en.wikipedia.org"), ["github/attachments", "github/triage"]);
        assert_eq!(found(table, "de.wikipedia.org"), ["wikipedia/tables"]);
    }
}
