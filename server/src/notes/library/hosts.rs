//! Hosts whose folders in the collection are named otherwise: a table of ours,
//! and one of the user's in `library-hosts.toml`, which goes before it.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::matching::host_of_site_name;
use crate::notes::safe_files;

/// Ours.
const BUNDLED_HOSTS: &str = include_str!("hosts.toml");

/// Host to sites of the collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteTable {
    sites_by_host: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum SiteNames {
    One(String),
    Many(Vec<String>),
}

impl SiteTable {
    /// The file of the user.
    pub fn path(home: &Path) -> PathBuf {
        home.join("library-hosts.toml")
    }

    /// Both tables; and what is wrong with that of the user.
    pub fn load(home: &Path) -> (Self, Option<String>) {
        let mut table = parse(BUNDLED_HOSTS).unwrap_or_default();
        let path = Self::path(home);
        let own = match safe_files::read_file(&path) {
            Ok(bytes) => String::from_utf8(bytes)
                .map_err(|error| error.to_string())
                .and_then(|text| parse(&text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(error.to_string()),
        };
        let problem = match own {
            Ok(own) => {
                table.extend(own);
                None
            }
            Err(problem) => Some(format!("`{}` is not used: {problem}", path.display())),
        };
        (Self { sites_by_host: table }, problem)
    }

    /// The sites of the nearest host that the tables name.
    pub fn sites(&self, host: &str) -> Option<&[String]> {
        let mut rest = host;
        loop {
            if let Some(sites) = self.sites_by_host.get(rest) {
                return Some(sites);
            }
            rest = rest.split_once('.')?.1;
        }
    }

    /// The hosts that `site` stands for: those of the tables, else by its name.
    pub fn hosts_of_site(&self, site: &str) -> Vec<String> {
        let named =
            self.sites_by_host.iter().filter(|(_, sites)| sites.iter().any(|one| one == site));
        let named: Vec<_> = named.map(|(host, _)| host.clone()).collect();
        match named.is_empty() {
            true => host_of_site_name(site).into_iter().collect(),
            false => named,
        }
    }
}

/// Reads `"host" = "site"` and `"host" = ["site", "site"]`.
fn parse(text: &str) -> Result<BTreeMap<String, Vec<String>>, String> {
    let read: BTreeMap<String, SiteNames> = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let line = text[..at].matches('\n').count() + 1;
        format!("line {line}: {}", error.message())
    })?;
    let sites = |sites| match sites {
        SiteNames::One(site) => vec![site],
        SiteNames::Many(sites) => sites,
    };
    Ok(read.into_iter().map(|(host, named)| (host.to_lowercase(), sites(named))).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_table_that_is_damaged_is_told_with_its_line_and_left_out() {
        let home = tempfile::tempdir().expect("a folder");
        fs::write(SiteTable::path(home.path()), "\"a.example\" = \"a\"\n\"b\" = 1\n")
            .expect("written");
        let (hosts, problem) = SiteTable::load(home.path());
        assert!(problem.is_some_and(|problem| problem.contains("line 2")));
        assert_eq!(hosts.hosts_of_site("wikipedia"), ["wikipedia.org"]);
        assert!(SiteTable::load(Path::new("/nowhere")).1.is_none());
        fs::remove_file(SiteTable::path(home.path())).expect("removed");
        let mode = nix::sys::stat::Mode::S_IRWXU;
        nix::unistd::mkfifo(&SiteTable::path(home.path()), mode).expect("a pipe");
        let problem = SiteTable::load(home.path()).1;
        assert!(problem.is_some_and(|problem| problem.contains("a named pipe")));
    }
}
