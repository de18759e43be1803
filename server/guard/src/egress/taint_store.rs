//! What one reader has read, where, and what it was asked to go to. Hashes with
//! a key of the process, never text.

mod generational_map;
mod taint_match;

use std::collections::{HashMap, HashSet};

use self::generational_map::GenerationalMap;
pub use self::taint_match::{OutboundData, TaintMatch};
use super::{
    alphanumeric_text::{AlphanumericText, RollingHasher},
    codes, decode,
    sites::{Site, mentioned_sites},
    urls,
};

/// Letters and digits of a piece of text that is remembered.
const FINGERPRINT_CHARS: usize = 12;

/// Of each so many pieces in a row the one with the least hash is remembered,
/// which is the same one wherever the text stands: whatever run of 16 is sent
/// holds one. Source: Schleimer and others, "Winnowing", 2003.
const WINNOWING_WINDOW: usize = 5;

/// Pieces in a generation. Two are kept, which is some 4.5 MiB, and a megabyte
/// of text.
const MAX_FINGERPRINTS: usize = 1 << 17;

/// Codes, named sites, addresses and the rest, in a generation of each.
const MAX_ENTRIES: usize = 1 << 14;

/// Pieces of what addresses of other sites say, in a generation: some 300 of
/// them.
const MAX_LINK_FINGERPRINTS: usize = 1 << 14;

/// Sites that are distinguished; further ones share a place.
const MAX_SITES: usize = 30;

/// The place of what the caller itself brought.
const OWN_BIT: u32 = 1;

/// The place that further sites share: text of theirs is of another site,
/// whichever it goes to.
const OVERFLOW_BIT: u32 = 1 << 31;

/// What was read.
pub struct TaintStore {
    hasher: RollingHasher,
    sites: Vec<Site>,
    fingerprints: GenerationalMap<u32>,
    codes: GenerationalMap<u32>,
    sensitive_codes: GenerationalMap<()>,
    /// Sites that pages named, by whom.
    mentioned_sites: GenerationalMap<u32>,
    /// Sites that the caller went to before any page named them.
    chosen_sites: GenerationalMap<()>,
    opened_sites: GenerationalMap<()>,
    /// Sites that the caller came to without having gone there: by a link, and
    /// what it read before.
    link_origins: GenerationalMap<u32>,
    last_site: u32,
    vouched_urls: GenerationalMap<()>,
    /// Pieces of addresses, for the sites that they lead to.
    link_fingerprints: GenerationalMap<()>,
    /// The codes in them.
    link_codes: GenerationalMap<()>,
    /// Pieces and codes that were read somewhere, and that the caller has sent
    /// somewhere since.
    sent_fingerprints: GenerationalMap<()>,
    /// Texts that are remembered already.
    recorded_texts: GenerationalMap<()>,
    sent_totals: HashMap<u64, usize>,
}

impl TaintStore {
    /// Nothing yet; `key` is secret.
    pub fn new(key: u64) -> Self {
        Self {
            hasher: RollingHasher::new(key),
            sites: Vec::new(),
            fingerprints: GenerationalMap::new(MAX_FINGERPRINTS),
            codes: GenerationalMap::new(MAX_ENTRIES),
            sensitive_codes: GenerationalMap::new(MAX_ENTRIES),
            mentioned_sites: GenerationalMap::new(MAX_ENTRIES),
            chosen_sites: GenerationalMap::new(MAX_ENTRIES),
            opened_sites: GenerationalMap::new(MAX_ENTRIES),
            link_origins: GenerationalMap::new(MAX_ENTRIES),
            last_site: 0,
            vouched_urls: GenerationalMap::new(MAX_ENTRIES),
            link_fingerprints: GenerationalMap::new(MAX_LINK_FINGERPRINTS),
            link_codes: GenerationalMap::new(MAX_ENTRIES),
            sent_fingerprints: GenerationalMap::new(MAX_ENTRIES),
            recorded_texts: GenerationalMap::new(MAX_ENTRIES),
            sent_totals: HashMap::new(),
        }
    }

    /// Whether the caller went to `site` before any page named it.
    pub fn is_chosen(&self, site: &Site) -> bool {
        self.chosen_sites.get(self.site_id(site)).is_some()
    }

    /// Remembers `text` of `site`.
    pub fn record_read(&mut self, site: &Site, text: &str) {
        let (id, bit) = self.enter_site(site);
        let whole = self.hasher.hash(text.as_bytes()) ^ id;
        if self.recorded_texts.get(whole).is_some() {
            return;
        }
        self.recorded_texts.add(whole, |_| ());
        self.add_text(text, bit);
        // Words that an address took along stand nowhere else.
        let encoded = text.split_whitespace().filter(|word| word.contains('%'));
        for decoded in encoded.filter_map(decode::percent_decode) {
            self.add_text(&decoded, bit);
        }
        for named in mentioned_sites(text).collect::<HashSet<_>>() {
            let id = self.site_id(&named);
            // Whoever was there before needed no page to say so.
            if named != *site && self.chosen_sites.get(id).is_none() {
                self.mentioned_sites.add(id, |known| known | bit);
            }
        }
        for (whole, bare) in urls::find_urls(text) {
            if let Some(vouched) = urls::vouched_text_url(bare) {
                self.allow_url(site, whole, vouched);
            }
        }
    }

    /// Remembers `text` of `site` that may hold what the caller typed there. What is
    /// known from somewhere else stays of somewhere else, or it could be sent once more for
    /// having been sent once; and the text vouches for no site and no address.
    pub fn record_echo(&mut self, site: &Site, text: &str) {
        let (_, bit) = self.enter_site(site);
        self.add_text_with(text, |known| if known == 0 { bit } else { known });
    }

    /// Notes that something of `site` is read. Answers its hash and its place.
    fn enter_site(&mut self, site: &Site) -> (u64, u32) {
        let (id, bit) = (self.site_id(site), self.site_bit(site));
        let before = std::mem::replace(&mut self.last_site, bit);
        if self.opened_sites.get(id).is_none() {
            match before {
                0 => self.record_navigation(site),
                before => {
                    self.opened_sites.add(id, |()| ());
                    self.link_origins.add(id, |known| known | before);
                }
            }
        }
        (id, bit)
    }

    /// Remembers the address of a link of `site`: unlike one that stands in a text,
    /// it is known to end where its writer ended it, once nothing of others is in it.
    pub fn record_link(&mut self, site: &Site, href: &str) {
        let Some((_, bare)) = href.split_once("://") else { return };
        if let Some(vouched) = urls::vouched_link_url(bare) {
            self.allow_url(site, href, vouched);
        }
    }

    /// Notes that the caller goes to `site`.
    pub fn record_navigation(&mut self, site: &Site) {
        let id = self.site_id(site);
        if self.mentioned_sites.get(id).is_none() {
            self.chosen_sites.add(id, |()| ());
        }
        self.opened_sites.add(id, |()| ());
    }

    /// Remembers what the caller brought itself: what it sends without having
    /// read it may come back from a page, and go on.
    pub fn record_own_text(&mut self, text: &str) {
        self.add_text(text, OWN_BIT);
    }

    /// Lets what is `vouched` for of the address `whole` be asked for, and be typed
    /// where it leads.
    fn allow_url(&mut self, site: &Site, whole: &str, vouched: &str) {
        for address in urls::prefix_hashes(vouched, self.hasher) {
            self.vouched_urls.add(address, |()| ());
        }
        if let Some(to) = urls::site_of_url(whole).filter(|to| to != site) {
            self.record_link_text(
                &to,
                decode::percent_decode(vouched).as_deref().unwrap_or(vouched),
            );
        }
    }

    /// Remembers `text` of an address that leads to `to`: who follows it tells `to`
    /// as much, so it may be typed there as well. What stands between the tags of a
    /// link does not count: a label may be of another hand than the address.
    fn record_link_text(&mut self, to: &Site, text: &str) {
        let id = self.site_id(to);
        let stream = AlphanumericText::of(text);
        let prefixes = stream.prefix_hashes(self.hasher);
        for (_, hash) in prefixes.rolling_hashes(FINGERPRINT_CHARS, 1) {
            self.link_fingerprints.add(hash ^ id, |()| ());
        }
        for code in codes::find_codes(&stream) {
            self.link_codes.add(prefixes.range_hash(&code.range) ^ id, |()| ());
        }
    }

    /// The parts of `sent` that the caller may have chosen.
    pub fn unvouched_parts<'a>(&self, sent: &OutboundData<'a>, to: &Site) -> Vec<&'a str> {
        match sent {
            OutboundData::Text(text) => vec![*text],
            OutboundData::Address(url) => {
                let known = |hash| self.vouched_urls.get(hash).is_some();
                urls::unvouched_parts(url, to, known, self.hasher)
            }
        }
    }

    /// Adds what was sent to the total of `to`.
    pub fn add_to_total(&mut self, to: &Site, text: usize) {
        if self.sent_totals.len() >= MAX_ENTRIES {
            self.sent_totals.clear();
        }
        *self.sent_totals.entry(self.site_id(to)).or_default() += text;
    }

    /// Whether a page named `to`, or the site that receives its requests.
    fn is_mentioned(&self, to: &Site) -> bool {
        let listener = to.receiving_site();
        self.mentioned_sites.get(self.site_id(to)).is_some()
            || listener != *to && self.mentioned_sites.get(self.site_id(&listener)).is_some()
    }

    fn add_text(&mut self, text: &str, bit: u32) {
        self.add_text_with(text, |known| known | bit);
    }

    fn add_text_with(&mut self, text: &str, places: impl Fn(u32) -> u32) {
        let stream = AlphanumericText::of(text);
        let prefixes = stream.prefix_hashes(self.hasher);
        let all: Vec<u64> =
            prefixes.rolling_hashes(FINGERPRINT_CHARS, 1).map(|(_, hash)| hash).collect();
        let mut last = None;
        // What is shorter than a window has one piece all the same.
        for window in all.windows(WINNOWING_WINDOW.min(all.len()).max(1)) {
            let least = window.iter().min().copied();
            if let Some(hash) = least.filter(|_| least != last) {
                self.fingerprints.add(hash, &places);
            }
            last = least;
        }
        for code in codes::find_codes(&stream) {
            let hash = prefixes.range_hash(&code.range);
            self.codes.add(hash, &places);
            if code.is_sensitive {
                self.sensitive_codes.add(hash, |()| ());
            }
        }
    }

    fn site_bit(&mut self, site: &Site) -> u32 {
        if let Some(at) = self.sites.iter().position(|known| known == site) {
            return site_bit_at(at);
        }
        if self.sites.len() == MAX_SITES {
            return OVERFLOW_BIT;
        }
        self.sites.push(site.clone());
        site_bit_at(self.sites.len() - 1)
    }

    fn site_id(&self, site: &Site) -> u64 {
        self.hasher.hash(site.as_str().as_bytes())
    }
}

fn site_bit_at(at: usize) -> u32 {
    2 << at
}

#[cfg(test)]
mod tests;
