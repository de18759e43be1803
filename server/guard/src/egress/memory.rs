//! What one reader has read, where, and what it was told to go to. Hashes with
//! a key of the process, never text.

mod aged;
mod carried;

use std::collections::{HashMap, HashSet};

use self::aged::Aged;
pub use self::carried::{Carried, Sent};
use super::{
    address, codes, decode,
    sites::{Site, named_in},
    stream::{Hasher, Stream},
};

/// Letters and digits of a piece of text that is remembered.
const PIECE: usize = 12;

/// Of each so many pieces in a row the one with the least hash is remembered,
/// which is the same one wherever the text stands: whatever run of 16 is sent
/// holds one. Source: Schleimer and others, "Winnowing", 2003.
const WINDOW: usize = 5;

/// Pieces in a generation. Two are kept, which is some 4.5 MiB, and a megabyte
/// of text.
const MOST_PIECES: usize = 1 << 17;

/// Codes, named sites, addresses and the rest, in a generation of each.
const MOST_OTHERS: usize = 1 << 14;

/// Pieces of what addresses of other sites say, in a generation: some 300 of
/// them.
const MOST_GIVEN: usize = 1 << 14;

/// Sites that are told apart; further ones share a place.
const MOST_SITES: usize = 30;

/// The place of what the caller itself brought.
const OWN: u32 = 1;

/// The place that further sites share: text of theirs is of another site,
/// whichever it goes to.
const SHARED: u32 = 1 << 31;

/// What was read.
pub struct Memory {
    hasher: Hasher,
    sites: Vec<Site>,
    pieces: Aged<u32>,
    codes: Aged<u32>,
    strong: Aged<()>,
    /// Sites that pages named, by whom.
    named: Aged<u32>,
    /// Sites that the caller went to before any page named them.
    chosen: Aged<()>,
    opened: Aged<()>,
    /// Sites that the caller came to without having gone there: by a link, and
    /// what it read before.
    followed: Aged<u32>,
    last: u32,
    addresses: Aged<()>,
    /// Pieces of addresses, for the sites that they lead to.
    given: Aged<()>,
    /// The codes in them.
    given_codes: Aged<()>,
    /// Pieces and codes that were read somewhere, and that the caller has sent
    /// somewhere since.
    sent_on: Aged<()>,
    /// Texts that are remembered already.
    texts: Aged<()>,
    totals: HashMap<u64, usize>,
}

impl Memory {
    /// Nothing yet; `key` is secret.
    pub fn new(key: u64) -> Self {
        Self {
            hasher: Hasher::new(key),
            sites: Vec::new(),
            pieces: Aged::new(MOST_PIECES),
            codes: Aged::new(MOST_OTHERS),
            strong: Aged::new(MOST_OTHERS),
            named: Aged::new(MOST_OTHERS),
            chosen: Aged::new(MOST_OTHERS),
            opened: Aged::new(MOST_OTHERS),
            followed: Aged::new(MOST_OTHERS),
            last: 0,
            addresses: Aged::new(MOST_OTHERS),
            given: Aged::new(MOST_GIVEN),
            given_codes: Aged::new(MOST_OTHERS),
            sent_on: Aged::new(MOST_OTHERS),
            texts: Aged::new(MOST_OTHERS),
            totals: HashMap::new(),
        }
    }

    /// Whether the caller went to `site` before any page named it.
    pub fn is_chosen(&self, site: &Site) -> bool {
        self.chosen.get(self.id(site)).is_some()
    }

    /// Remembers `text` of `site`.
    pub fn read(&mut self, site: &Site, text: &str) {
        let (id, bit) = self.arrive(site);
        let whole = self.hasher.hash(text.as_bytes()) ^ id;
        if self.texts.get(whole).is_some() {
            return;
        }
        self.texts.add(whole, |_| ());
        self.add(text, bit);
        // Words that an address took along stand nowhere else.
        let encoded = text.split_whitespace().filter(|word| word.contains('%'));
        for decoded in encoded.filter_map(decode::percent) {
            self.add(&decoded, bit);
        }
        for named in named_in(text).collect::<HashSet<_>>() {
            let id = self.id(&named);
            // Whoever was there before needed no page to say so.
            if named != *site && self.chosen.get(id).is_none() {
                self.named.add(id, |known| known | bit);
            }
        }
        for (whole, bare) in address::addresses(text) {
            if let Some(vouched) = address::vouched_text(bare) {
                self.pass(site, whole, vouched);
            }
        }
    }

    /// Remembers `text` of `site` that may hold what the caller typed there. What is
    /// known from elsewhere stays of elsewhere, or it could be sent once more for
    /// having been sent once; and the text vouches for no site and no address.
    pub fn read_back(&mut self, site: &Site, text: &str) {
        let (_, bit) = self.arrive(site);
        self.add_with(text, |known| if known == 0 { bit } else { known });
    }

    /// Notes that something of `site` is read. Answers its hash and its place.
    fn arrive(&mut self, site: &Site) -> (u64, u32) {
        let (id, bit) = (self.id(site), self.bit(site));
        let before = std::mem::replace(&mut self.last, bit);
        if self.opened.get(id).is_none() {
            match before {
                0 => self.open(site),
                before => {
                    self.opened.add(id, |()| ());
                    self.followed.add(id, |known| known | before);
                }
            }
        }
        (id, bit)
    }

    /// Remembers the address of a link of `site`: unlike one that stands in a text,
    /// it is known to end where its writer ended it, once nothing of others is in it.
    pub fn link(&mut self, site: &Site, href: &str) {
        let Some((_, bare)) = href.split_once("://") else { return };
        if let Some(vouched) = address::vouched_link(bare) {
            self.pass(site, href, vouched);
        }
    }

    /// Notes that the caller goes to `site`.
    pub fn open(&mut self, site: &Site) {
        let id = self.id(site);
        if self.named.get(id).is_none() {
            self.chosen.add(id, |()| ());
        }
        self.opened.add(id, |()| ());
    }

    /// Remembers what the caller brought itself: what it sends without having
    /// read it may come back from a page, and go on.
    pub fn own(&mut self, text: &str) {
        self.add(text, OWN);
    }

    /// Lets what is `vouched` for of the address `whole` be asked for, and be typed
    /// where it leads.
    fn pass(&mut self, site: &Site, whole: &str, vouched: &str) {
        for address in address::beginnings(vouched, self.hasher) {
            self.addresses.add(address, |()| ());
        }
        if let Some(to) = address::leads_to(whole).filter(|to| to != site) {
            self.give(&to, decode::percent(vouched).as_deref().unwrap_or(vouched));
        }
    }

    /// Remembers `text` of an address that leads to `to`: who follows it tells `to`
    /// as much, so it may be typed there as well. What stands between the tags of a
    /// link does not count: a label may be of another hand than the address.
    fn give(&mut self, to: &Site, text: &str) {
        let id = self.id(to);
        let stream = Stream::of(text);
        let prefixes = stream.prefixes(self.hasher);
        for (_, hash) in prefixes.windows(PIECE, 1) {
            self.given.add(hash ^ id, |()| ());
        }
        for code in codes::codes(&stream) {
            self.given_codes.add(prefixes.part(&code.at) ^ id, |()| ());
        }
    }

    /// The parts of `sent` that the caller may have chosen.
    pub fn parts<'a>(&self, sent: &Sent<'a>, to: &Site) -> Vec<&'a str> {
        match sent {
            Sent::Text(text) => vec![*text],
            Sent::Address(url) => {
                let known = |hash| self.addresses.get(hash).is_some();
                address::cargo(url, to, known, self.hasher)
            }
        }
    }

    /// Adds what was sent to the total of `to`.
    pub fn count(&mut self, to: &Site, text: usize) {
        if self.totals.len() >= MOST_OTHERS {
            self.totals.clear();
        }
        *self.totals.entry(self.id(to)).or_default() += text;
    }

    /// Whether a page named `to`, or the site that receives its requests.
    fn is_named(&self, to: &Site) -> bool {
        let listener = to.listener();
        self.named.get(self.id(to)).is_some()
            || listener != *to && self.named.get(self.id(&listener)).is_some()
    }

    fn add(&mut self, text: &str, bit: u32) {
        self.add_with(text, |known| known | bit);
    }

    fn add_with(&mut self, text: &str, places: impl Fn(u32) -> u32) {
        let stream = Stream::of(text);
        let prefixes = stream.prefixes(self.hasher);
        let all: Vec<u64> = prefixes.windows(PIECE, 1).map(|(_, hash)| hash).collect();
        let mut last = None;
        // What is shorter than a window has one piece all the same.
        for window in all.windows(WINDOW.min(all.len()).max(1)) {
            let least = window.iter().min().copied();
            if let Some(hash) = least.filter(|_| least != last) {
                self.pieces.add(hash, &places);
            }
            last = least;
        }
        for code in codes::codes(&stream) {
            let hash = prefixes.part(&code.at);
            self.codes.add(hash, &places);
            if code.strong {
                self.strong.add(hash, |()| ());
            }
        }
    }

    fn bit(&mut self, site: &Site) -> u32 {
        if let Some(at) = self.sites.iter().position(|known| known == site) {
            return place(at);
        }
        if self.sites.len() == MOST_SITES {
            return SHARED;
        }
        self.sites.push(site.clone());
        place(self.sites.len() - 1)
    }

    fn id(&self, site: &Site) -> u64 {
        self.hasher.hash(site.as_str().as_bytes())
    }
}

fn place(at: usize) -> u32 {
    2 << at
}

#[cfg(test)]
mod tests;
