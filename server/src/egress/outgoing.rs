//! What one call sends, and what came of it: kept with its session until the next
//! one that acts, since the documents that an act leads to may come after it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use browse_guard::egress::Site;

use crate::error::Error;

/// Addresses of one call that were looked at before it began.
const MOST_ASKED: usize = 256;

/// Sites and notes of one call that are remembered.
const MOST_TOLD: usize = 64;

/// What one call sends.
#[derive(Debug, Default)]
pub struct Outgoing(Mutex<Told>);

#[derive(Debug, Default)]
struct Told {
    asked: Vec<String>,
    sites: Vec<Site>,
    notes: Vec<String>,
    refused: Option<Error>,
}

impl Outgoing {
    /// Notes an address that the caller asks for, and that was looked at.
    pub fn ask(&self, url: &str) {
        let mut told = self.lock();
        if told.asked.len() < MOST_ASKED {
            told.asked.push(bare(url).to_owned());
        }
    }

    /// Whether this is such an address; each counts once.
    pub fn takes(&self, url: &str) -> bool {
        let mut told = self.lock();
        let at = told.asked.iter().position(|asked| asked == bare(url));
        at.map(|at| told.asked.swap_remove(at)).is_some()
    }

    /// Notes that somebody was told of what goes to `site`.
    pub fn tell(&self, site: &Site) {
        let mut told = self.lock();
        if told.sites.len() < MOST_TOLD && !told.sites.contains(site) {
            told.sites.push(site.clone());
        }
    }

    /// Whether somebody was.
    pub fn has_told(&self, site: &Site) -> bool {
        self.lock().sites.contains(site)
    }

    /// Notes what the caller is to be told.
    pub fn note(&self, words: String) {
        let mut told = self.lock();
        if told.notes.len() < MOST_TOLD {
            told.notes.push(words);
        }
    }

    /// Notes why a document was not asked for; the first one counts.
    pub fn refuse(&self, error: Error) {
        self.lock().refused.get_or_insert(error);
    }

    /// What the caller is to be told, once: notes, and why a document was not asked
    /// for.
    pub fn take(&self) -> (Vec<String>, Option<Error>) {
        let mut told = self.lock();
        (std::mem::take(&mut told.notes), told.refused.take())
    }

    fn lock(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An address as it is sent: without its fragment.
fn bare(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_was_looked_at_passes_once() {
        let outgoing = Outgoing::default();
        outgoing.ask("http://a.test/b#c");
        assert!(outgoing.takes("http://a.test/b") && !outgoing.takes("http://a.test/b"));
        assert!(!outgoing.takes("http://a.test/"));
    }

    #[test]
    fn what_is_to_be_told_is_told_once() {
        let outgoing = Outgoing::default();
        outgoing.note("one".to_owned());
        let site = Site::of_host("a.test", 443);
        outgoing.tell(&site);
        assert_eq!(outgoing.take().0, ["one"]);
        assert!(outgoing.take().0.is_empty() && outgoing.has_told(&site));
    }
}
