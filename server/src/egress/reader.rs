//! One reader: what it read, hashed or about to be.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use browse_guard::egress::{Channel, Memory, Pieces, Sent, Site, Together};
use browse_proto::{Page, PageDerived};

use super::act::Act;
use crate::{dispatch::Context, policy::Kind};

/// Bytes of one answer that are remembered.
const MOST_OF_ONE: usize = 2 << 20;

/// Bytes that wait to be hashed before an answer waits for it.
const MOST_WAITING: usize = 8 << 20;

/// Letters that were typed bit by bit and are looked at as one.
const MOST_TYPED: usize = 256;

/// Letters that are typed at once and count as a bit.
const BIT: usize = 64;

/// Letters and digits that were read before they were typed, from which a form
/// is looked at before it is sent.
const ARMING: usize = 16;

/// Sites whose addresses are put together; the one that was quiet for longest goes.
const MAX_PIECED_SITES: usize = 32;

/// Sites of one reader whose fields hold what was read.
const MOST_ARMED: usize = 64;

/// A reader.
pub struct Reader {
    hashed: Mutex<Hashed>,
    waiting: Mutex<Waiting>,
}

/// What is hashed.
pub struct Hashed {
    pub memory: Memory,
    /// Sites into whose fields something was typed that had been read.
    armed: HashSet<Site>,
    /// What was sent in addresses, by the site that received it; the latest last.
    pieces: Vec<(Site, Pieces)>,
}

#[derive(Default)]
struct Waiting {
    items: VecDeque<Item>,
    bytes: usize,
    /// The one site that everything so far is of.
    only: Option<Site>,
    several: bool,
    typed: Option<(Site, String)>,
    /// Whether something was typed at all.
    has_typed: bool,
    /// Whether something was sent at all that may have been read.
    has_sent: bool,
}

enum Item {
    Read(Site, String),
    /// What may hold what the caller typed.
    Back(Site, String),
    Link(Site, String),
    Open(Site),
    /// What was typed, and it with what was typed before it.
    Typed(Site, String, Option<String>),
}

/// Commands whose answers tell what a field holds that they put text into.
const TYPES: &[&str] = &["fill", "type", "press", "select"];

/// Commands that answer what files of skills say, which is of no site.
const FILES: &[&str] = &["skill list", "skill show"];

/// Remembers what is page-derived in an answer that a model reads.
pub fn remember(cx: &Context, response: &mut dyn PageDerived) {
    if cx.capability().kind == Kind::Skill || FILES.contains(&cx.command().name) {
        return;
    }
    // There each name is followed by its address.
    let has_links = cx.command().name == "links";
    let (mut text, mut links, mut at) = (String::new(), Vec::new(), 0_usize);
    response.visit_page(&mut |page| {
        let Page::Text(part) = page else { return };
        at += 1;
        if text.len() < MOST_OF_ONE && !part.is_empty() {
            let end = part.floor_char_boundary(MOST_OF_ONE - text.len());
            text.push_str(&part[..end]);
            text.push('\n');
            if has_links && at.is_multiple_of(2) && end == part.len() {
                links.push(part.clone());
            }
        }
    });
    if text.is_empty() {
        return;
    }
    let egress = cx.daemon().egress();
    let reader = egress.reader(cx.client());
    let site = cx.site();
    for link in links {
        reader.push(Item::Link(site.clone(), link));
    }
    let item = match TYPES.contains(&cx.command().name) {
        true => Item::Back(site, text),
        false => Item::Read(site, text),
    };
    if reader.push(item) {
        drop(reader.settle());
    } else {
        egress.hurry(&reader);
    }
}

/// Remembers a value of a page that no answer marks as such: an address.
pub fn remember_word(cx: &Context, word: &str) {
    if cx.capability().kind == Kind::Skill || word.is_empty() {
        return;
    }
    let reader = cx.daemon().egress().reader(cx.client());
    reader.push(Item::Read(cx.site(), word.to_owned()));
}

impl Reader {
    pub fn new(key: u64) -> Self {
        let hashed = Hashed { memory: Memory::new(key), armed: HashSet::new(), pieces: Vec::new() };
        Self { hashed: Mutex::new(hashed), waiting: Mutex::default() }
    }

    /// Notes that the caller goes to a site.
    pub fn open(&self, site: &Site) {
        self.push(Item::Open(site.clone()));
    }

    /// The same for an act that asks `site` for something.
    pub fn open_if_address(&self, act: &Act, site: &Site) {
        if matches!(act.channel, Channel::Address | Channel::Request) {
            self.open(site);
        }
    }

    /// Notes what was typed into a page of `site`, where nothing stopped it. What
    /// was `told` of once is not told of again with what is typed after it.
    pub fn typed(&self, site: &Site, text: &str, told: bool) {
        let typed = self.typing(site, text).filter(|_| !told);
        self.waiting().typed = typed.clone().map(|typed| (site.clone(), typed));
        self.push(Item::Typed(site.clone(), text.to_owned(), typed));
    }

    /// What the addresses that `site` was sent spell with one more, of which the
    /// caller chose `parts`. Nothing for a site that the caller chose itself: codes
    /// may go there.
    pub fn in_pieces(&self, site: &Site, parts: &[&str]) -> Vec<Together> {
        let hashed = self.settle();
        let listener = site.listener();
        let known = hashed.pieces.iter().find(|(known, _)| *known == listener);
        match known {
            Some((_, pieces)) if !hashed.memory.is_chosen(site) => pieces.with(parts),
            _ => Vec::new(),
        }
    }

    /// Records that the caller sends `texts`.
    pub fn sent(&self, texts: &[&str]) {
        self.waiting().has_sent = true;
        self.settle().memory.send(texts);
    }

    /// Records that `site` was sent an address of which the caller chose `parts`, with
    /// `known` letters and digits that were read on another site; where that was
    /// `reported`, the pieces before it are dropped.
    pub fn add_pieces(&self, site: &Site, parts: &[&str], known: usize, reported: bool) {
        let mut hashed = self.settle();
        let listener = site.listener();
        let at = hashed.pieces.iter().position(|(known, _)| *known == listener);
        let mut entry = match at {
            Some(at) => hashed.pieces.remove(at),
            None => (listener, Pieces::default()),
        };
        if reported {
            return;
        }
        entry.1.add(parts, known);
        if hashed.pieces.len() >= MAX_PIECED_SITES {
            hashed.pieces.remove(0);
        }
        hashed.pieces.push(entry);
    }

    /// Whether a server may send on to `to` what the caller has read and sent. Does
    /// not wait.
    pub fn may_forward(&self, to: &Site) -> bool {
        let has_sent = {
            let waiting = self.waiting();
            waiting.has_sent || waiting.has_typed
        };
        has_sent && !self.knows_only(to)
    }

    /// Whether everything so far was read on `site`, or nothing at all: then
    /// nothing can be carried there.
    pub fn knows_only(&self, site: &Site) -> bool {
        let waiting = self.waiting();
        !waiting.several && waiting.only.as_ref().is_none_or(|only| only == site)
    }

    /// What was typed bit by bit into pages of `site`, with `text` after it.
    pub fn typing(&self, site: &Site, text: &str) -> Option<String> {
        if text.chars().count() > BIT {
            return None;
        }
        let waiting = self.waiting();
        let before = waiting.typed.as_ref().filter(|(known, _)| known == site);
        let typed = before.map_or("", |(_, typed)| typed.as_str());
        let typed = format!("{typed}{text}");
        let from = typed.ceil_char_boundary(typed.len().saturating_sub(MOST_TYPED));
        Some(typed[from..].to_owned())
    }

    /// Whether fields of `site` may hold what was read somewhere.
    pub fn is_armed(&self, site: &Site) -> bool {
        let has_typed = self.waiting().has_typed;
        has_typed && self.settle().armed.contains(site)
    }

    /// Hashes what waits, in order, and answers everything.
    pub fn settle(&self) -> MutexGuard<'_, Hashed> {
        let mut hashed = self.hashed.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let next = {
                let mut waiting = self.waiting();
                let next = waiting.items.pop_front();
                waiting.bytes -= next.as_ref().map_or(0, Item::bytes);
                next
            };
            match next {
                Some(Item::Read(site, text)) => hashed.memory.read(&site, &text),
                Some(Item::Back(site, text)) => hashed.memory.read_back(&site, &text),
                Some(Item::Link(site, href)) => hashed.memory.link(&site, &href),
                Some(Item::Open(site)) => hashed.memory.open(&site),
                Some(Item::Typed(site, text, whole)) => {
                    hashed.memory.send(&[whole.as_deref().unwrap_or(&text)]);
                    hashed.typed(site, &text);
                }
                None => return hashed,
            }
        }
    }

    /// Whether there is more than should wait.
    fn push(&self, item: Item) -> bool {
        let mut waiting = self.waiting();
        match &item {
            Item::Read(site, _) | Item::Back(site, _) if waiting.only.is_none() => {
                waiting.only = Some(site.clone());
            }
            Item::Read(site, _) | Item::Back(site, _) => {
                waiting.several |= waiting.only.as_ref() != Some(site)
            }
            Item::Typed(..) => waiting.has_typed = true,
            Item::Open(_) | Item::Link(..) => {}
        }
        waiting.bytes += item.bytes();
        waiting.items.push_back(item);
        waiting.bytes > MOST_WAITING
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hashed {
    fn typed(&mut self, site: Site, text: &str) {
        let cargo = self.memory.carried(&[Sent::Text(text)], &Site::nowhere()).cargo;
        if cargo.text >= ARMING || cargo.code || cargo.strong {
            if self.armed.len() < MOST_ARMED {
                self.armed.insert(site);
            }
        } else if cargo.text == 0 {
            self.memory.own(text);
        }
    }
}

impl Item {
    fn bytes(&self) -> usize {
        match self {
            Self::Read(_, text) | Self::Back(_, text) | Self::Link(_, text) => text.len(),
            Self::Typed(_, text, whole) => text.len() + whole.as_ref().map_or(0, String::len),
            Self::Open(_) => 0,
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
        let reader = Reader::new(1);
        assert!(reader.knows_only(&site("a.test")));
        reader.push(Item::Read(site("a.test"), "text".to_owned()));
        assert!(reader.knows_only(&site("a.test")) && !reader.knows_only(&site("b.test")));
        reader.push(Item::Read(site("b.test"), "text".to_owned()));
        assert!(!reader.knows_only(&site("a.test")));
    }

    #[test]
    fn what_is_typed_bit_by_bit_is_one_text() {
        let reader = Reader::new(1);
        for letter in "the secre".chars() {
            reader.typed(&site("a.test"), &letter.to_string(), false);
        }
        for _ in 0..2 {
            // To look is not to type.
            assert_eq!(reader.typing(&site("a.test"), "t").as_deref(), Some("the secret"));
        }
        assert_eq!(reader.typing(&site("b.test"), "x").as_deref(), Some("x"));
        reader.typed(&site("a.test"), "t", true);
        assert_eq!(reader.typing(&site("a.test"), "x").as_deref(), Some("x"));
        let long = "é".repeat(1_000);
        assert_eq!(reader.typing(&site("b.test"), &long), None);
        for _ in 0..400 {
            reader.typed(&site("b.test"), "é", false);
        }
        let typed = reader.typing(&site("b.test"), "é").expect("it is short");
        assert!(typed.len() <= MOST_TYPED, "{}", typed.len());
    }

    #[test]
    fn fields_are_armed_by_what_was_read_and_not_by_what_the_caller_brought() {
        let reader = Reader::new(1);
        reader.typed(&site("a.test"), "an order of the user, number 88123400", false);
        assert!(!reader.is_armed(&site("a.test")));
        let page = "an order of the user, number 88123400; account 4417882911";
        reader.push(Item::Read(site("a.test"), page.to_owned()));
        reader.typed(&site("a.test"), "88123400", false);
        assert!(!reader.is_armed(&site("a.test")));
        reader.typed(&site("a.test"), "4417882911", false);
        assert!(reader.is_armed(&site("a.test")));
    }
}
