//! One reader: what it read, hashed or about to be.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use browse_guard::egress::{
    ChunkHistory, EgressChannel, OutboundData, ReassembledText, Site, TaintStore,
};

/// Bytes that wait to be hashed before an answer waits for it.
const MAX_PENDING_BYTES: usize = 8 << 20;

/// Letters that were typed bit by bit and are looked at as one.
const MAX_TYPED_BYTES: usize = 256;

/// Letters that are typed at once and count as a bit.
const MAX_TYPED_PIECE_CHARS: usize = 64;

/// Letters and digits that were read before they were typed, from which a form
/// is looked at before it is sent.
const MIN_TAINTED_CHARS: usize = 16;

/// Sites whose addresses are put together; the one that was quiet for longest goes.
const MAX_REASSEMBLED_SITES: usize = 32;

/// Sites of one reader whose fields hold what was read.
const MAX_TAINTED_SITES: usize = 64;

/// A reader.
pub struct ClientTaint {
    hashed: Mutex<HashedTaint>,
    pending: Mutex<PendingTaint>,
}

/// What is hashed.
pub struct HashedTaint {
    pub memory: TaintStore,
    /// Sites into whose fields something was typed that had been read.
    tainted_sites: HashSet<Site>,
    /// What was sent in addresses, by the site that received it; the latest last.
    sent_chunks: Vec<(Site, ChunkHistory)>,
}

#[derive(Default)]
struct PendingTaint {
    items: VecDeque<TaintItem>,
    bytes: usize,
    /// The one site that everything so far is of.
    only_site: Option<Site>,
    has_several_sites: bool,
    typed_text: Option<(Site, String)>,
    /// Whether something was typed at all.
    has_typed: bool,
    /// Whether something was sent at all that may have been read.
    has_sent: bool,
}

/// Something that a caller read, opened or typed.
pub enum TaintItem {
    /// Text of a site.
    Read(Site, String),
    /// What may hold what the caller typed.
    Echo(Site, String),
    /// The address of a link.
    Link(Site, String),
    /// A site that was opened.
    Navigation(Site),
    /// What was typed, and it with what was typed before it.
    Typed(Site, String, Option<String>),
}

impl ClientTaint {
    pub fn new(key: u64) -> Self {
        let hashed = HashedTaint {
            memory: TaintStore::new(key),
            tainted_sites: HashSet::new(),
            sent_chunks: Vec::new(),
        };
        Self { hashed: Mutex::new(hashed), pending: Mutex::default() }
    }

    /// Notes that the caller goes to a site.
    pub fn record_navigation(&self, site: &Site) {
        self.push(TaintItem::Navigation(site.clone()));
    }

    /// The same for an act that asks `site` for something.
    pub fn record_request(&self, channel: EgressChannel, site: &Site) {
        if matches!(channel, EgressChannel::Address | EgressChannel::Request) {
            self.record_navigation(site);
        }
    }

    /// Notes what was typed into a page of `site`, where nothing stopped it. What
    /// was `reported` once is not reported again with what is typed after it.
    pub fn record_typed(&self, site: &Site, text: &str, notified: bool) {
        let typed = self.typed_with(site, text).filter(|_| !notified);
        self.lock_pending().typed_text = typed.clone().map(|typed| (site.clone(), typed));
        self.push(TaintItem::Typed(site.clone(), text.to_owned(), typed));
    }

    /// What the addresses that `site` was sent spell with one more, of which the
    /// caller chose `parts`. Nothing for a site that the caller chose itself: codes
    /// may go there.
    pub fn reassemble(&self, site: &Site, parts: &[&str]) -> Vec<ReassembledText> {
        let hashed = self.flush();
        let listener = site.receiving_site();
        let known = hashed.sent_chunks.iter().find(|(known, _)| *known == listener);
        match known {
            Some((_, pieces)) if !hashed.memory.is_chosen(site) => pieces.reassemble(parts),
            _ => Vec::new(),
        }
    }

    /// Records that the caller sends `texts`.
    pub fn record_sent(&self, texts: &[&str]) {
        self.lock_pending().has_sent = true;
        self.flush().memory.record_sent(texts);
    }

    /// Records that `site` was sent an address of which the caller chose `parts`, with
    /// `known` letters and digits that were read on another site; where that was
    /// `reported`, the pieces before it are dropped.
    pub fn add_chunks(&self, site: &Site, parts: &[&str], known: usize, reported: bool) {
        let mut hashed = self.flush();
        let listener = site.receiving_site();
        let at = hashed.sent_chunks.iter().position(|(known, _)| *known == listener);
        let mut entry = match at {
            Some(at) => hashed.sent_chunks.remove(at),
            None => (listener, ChunkHistory::default()),
        };
        if reported {
            return;
        }
        entry.1.add(parts, known);
        if hashed.sent_chunks.len() >= MAX_REASSEMBLED_SITES {
            hashed.sent_chunks.remove(0);
        }
        hashed.sent_chunks.push(entry);
    }

    /// Whether a server may send on to `to` what the caller has read and sent. Does
    /// not wait.
    pub fn may_forward(&self, to: &Site) -> bool {
        let has_sent = {
            let waiting = self.lock_pending();
            waiting.has_sent || waiting.has_typed
        };
        has_sent && !self.has_read_only(to)
    }

    /// Whether everything so far was read on `site`, or nothing at all: then
    /// nothing can be carried there.
    pub fn has_read_only(&self, site: &Site) -> bool {
        let waiting = self.lock_pending();
        !waiting.has_several_sites && waiting.only_site.as_ref().is_none_or(|only| only == site)
    }

    /// What was typed bit by bit into pages of `site`, with `text` after it.
    pub fn typed_with(&self, site: &Site, text: &str) -> Option<String> {
        if text.chars().count() > MAX_TYPED_PIECE_CHARS {
            return None;
        }
        let waiting = self.lock_pending();
        let before = waiting.typed_text.as_ref().filter(|(known, _)| known == site);
        let typed = before.map_or("", |(_, typed)| typed.as_str());
        let typed = format!("{typed}{text}");
        let from = typed.ceil_char_boundary(typed.len().saturating_sub(MAX_TYPED_BYTES));
        Some(typed[from..].to_owned())
    }

    /// Whether fields of `site` may hold what was read somewhere.
    pub fn has_tainted_fields(&self, site: &Site) -> bool {
        let has_typed = self.lock_pending().has_typed;
        has_typed && self.flush().tainted_sites.contains(site)
    }

    /// Hashes what waits, in order, and answers everything.
    pub fn flush(&self) -> MutexGuard<'_, HashedTaint> {
        let mut hashed = self.hashed.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let next = {
                let mut waiting = self.lock_pending();
                let next = waiting.items.pop_front();
                waiting.bytes -= next.as_ref().map_or(0, TaintItem::bytes);
                next
            };
            match next {
                Some(TaintItem::Read(site, text)) => hashed.memory.record_read(&site, &text),
                Some(TaintItem::Echo(site, text)) => hashed.memory.record_echo(&site, &text),
                Some(TaintItem::Link(site, href)) => hashed.memory.record_link(&site, &href),
                Some(TaintItem::Navigation(site)) => hashed.memory.record_navigation(&site),
                Some(TaintItem::Typed(site, text, whole)) => {
                    hashed.memory.record_sent(&[whole.as_deref().unwrap_or(&text)]);
                    hashed.add_typed(site, &text);
                }
                None => return hashed,
            }
        }
    }

    /// Whether there is more than should wait.
    pub fn push(&self, item: TaintItem) -> bool {
        let mut waiting = self.lock_pending();
        match &item {
            TaintItem::Read(site, _) | TaintItem::Echo(site, _) if waiting.only_site.is_none() => {
                waiting.only_site = Some(site.clone());
            }
            TaintItem::Read(site, _) | TaintItem::Echo(site, _) => {
                waiting.has_several_sites |= waiting.only_site.as_ref() != Some(site)
            }
            TaintItem::Typed(..) => waiting.has_typed = true,
            TaintItem::Navigation(_) | TaintItem::Link(..) => {}
        }
        waiting.bytes += item.bytes();
        waiting.items.push_back(item);
        waiting.bytes > MAX_PENDING_BYTES
    }

    fn lock_pending(&self) -> MutexGuard<'_, PendingTaint> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HashedTaint {
    fn add_typed(&mut self, site: Site, text: &str) {
        let cargo = self.memory.match_taint(&[OutboundData::Text(text)], &Site::empty()).payload;
        if cargo.tainted_chars >= MIN_TAINTED_CHARS || cargo.has_code || cargo.has_sensitive_code {
            if self.tainted_sites.len() < MAX_TAINTED_SITES {
                self.tainted_sites.insert(site);
            }
        } else if cargo.tainted_chars == 0 {
            self.memory.record_own_text(text);
        }
    }
}

impl TaintItem {
    fn bytes(&self) -> usize {
        match self {
            Self::Read(_, text) | Self::Echo(_, text) | Self::Link(_, text) => text.len(),
            Self::Typed(_, text, whole) => text.len() + whole.as_ref().map_or(0, String::len),
            Self::Navigation(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(host: &str) -> Site {
        Site::of_host(host, 443)
    }

    #[test]
    fn one_site_carries_nothing_anywhere() {
        let reader = ClientTaint::new(1);
        assert!(reader.has_read_only(&site("a.test")));
        reader.push(TaintItem::Read(site("a.test"), "text".to_owned()));
        assert!(reader.has_read_only(&site("a.test")) && !reader.has_read_only(&site("b.test")));
        reader.push(TaintItem::Read(site("b.test"), "text".to_owned()));
        assert!(!reader.has_read_only(&site("a.test")));
    }

    #[test]
    fn what_is_typed_bit_by_bit_is_one_text() {
        let reader = ClientTaint::new(1);
        for letter in "the secre".chars() {
            reader.record_typed(&site("a.test"), &letter.to_string(), false);
        }
        for _ in 0..2 {
            // To look is not to type.
            assert_eq!(reader.typed_with(&site("a.test"), "t").as_deref(), Some("the secret"));
        }
        assert_eq!(reader.typed_with(&site("b.test"), "x").as_deref(), Some("x"));
        reader.record_typed(&site("a.test"), "t", true);
        assert_eq!(reader.typed_with(&site("a.test"), "x").as_deref(), Some("x"));
        let long = "é".repeat(1_000);
        assert_eq!(reader.typed_with(&site("b.test"), &long), None);
        for _ in 0..400 {
            reader.record_typed(&site("b.test"), "é", false);
        }
        let typed = reader.typed_with(&site("b.test"), "é").expect("it is short");
        assert!(typed.len() <= MAX_TYPED_BYTES, "{}", typed.len());
    }

    #[test]
    fn fields_are_armed_by_what_was_read_and_not_by_what_the_caller_brought() {
        let reader = ClientTaint::new(1);
        reader.record_typed(&site("a.test"), "an order of the user, number 88123400", false);
        assert!(!reader.has_tainted_fields(&site("a.test")));
        let page = "an order of the user, number 88123400; account 4417882911";
        reader.push(TaintItem::Read(site("a.test"), page.to_owned()));
        reader.record_typed(&site("a.test"), "88123400", false);
        assert!(!reader.has_tainted_fields(&site("a.test")));
        reader.record_typed(&site("a.test"), "4417882911", false);
        assert!(reader.has_tainted_fields(&site("a.test")));
    }
}
