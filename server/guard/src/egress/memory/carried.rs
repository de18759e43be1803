//! What of a text or an address was read on other sites than the one it goes to.

use std::collections::HashSet;

use super::{Memory, OWN, PIECE, place};
use crate::egress::{
    codes,
    rules::{Cargo, Place},
    sites::Site,
    stream::Stream,
    views,
};

/// What is about to be sent.
pub enum Sent<'a> {
    /// An address.
    Address(&'a str),
    /// Text.
    Text(&'a str),
}

/// What was found in it.
#[derive(Clone, Debug)]
pub struct Carried {
    /// What is known of the place.
    pub place: Place,
    /// What was read elsewhere.
    pub cargo: Cargo,
    /// The sites that it was read on.
    pub from: Vec<Site>,
    /// It, as it stands in what is sent once encodings are taken off.
    pub what: String,
}

/// What was found in one view.
struct Found {
    cargo: Cargo,
    /// The places that it is from.
    from: u32,
    /// From the first to the last of it.
    what: String,
    /// Letters and digits of that.
    extent: usize,
}

impl Memory {
    /// What of `sent` was read on other sites than `to`.
    pub fn carried(&self, sent: &[Sent<'_>], to: &Site) -> Carried {
        self.carried_except(sent, to, &HashSet::new())
    }

    /// The same, without what `reported` holds, see [`Memory::hashes`].
    pub fn carried_except(&self, sent: &[Sent<'_>], to: &Site, reported: &HashSet<u64>) -> Carried {
        let parts = sent.iter().map(|sent| self.parts(sent, to));
        self.carried_in(parts.collect(), to, |hash| !reported.contains(&hash))
    }

    /// What of `texts`, which a server or a page sends on to `to`, the caller has read
    /// on another site and has sent since, without what `reported` holds. All of an
    /// address counts, whoever wrote it. A site that was never opened counts as named:
    /// the server or the page chose it.
    pub fn forwarded(&self, texts: &[&str], to: &Site, reported: &HashSet<u64>) -> Carried {
        let parts = texts.iter().map(|part| vec![*part]).collect();
        let counts = |hash| self.sent_on.get(hash).is_some() && !reported.contains(&hash);
        let carried = self.carried_in(parts, to, counts);
        match carried.place {
            Place::New => Carried { place: Place::Named, ..carried },
            _ => carried,
        }
    }

    /// Notes that the caller sends `texts`, to whichever site.
    pub fn send(&mut self, texts: &[&str]) {
        for hash in self.hashes(texts) {
            self.sent_on.add(hash, |()| ());
        }
    }

    /// The hashes of what of `texts` was read, in all their encodings.
    pub fn hashes(&self, texts: &[&str]) -> HashSet<u64> {
        let mut hashes = HashSet::new();
        for view in texts.iter().flat_map(|text| views(text)) {
            let stream = Stream::of(&view);
            let prefixes = stream.prefixes(self.hasher);
            let pieces = prefixes.windows(PIECE, 1).map(|(_, hash)| hash);
            hashes.extend(pieces.filter(|hash| is_foreign(self.pieces.get(*hash))));
            let codes = codes::candidates(&stream).map(|at| prefixes.part(&at));
            hashes.extend(codes.filter(|hash| is_foreign(self.codes.get(*hash))));
        }
        hashes
    }

    fn carried_in(
        &self,
        sent: Vec<Vec<&str>>,
        to: &Site,
        counts: impl Fn(u64) -> bool + Copy,
    ) -> Carried {
        let id = self.id(to);
        let spared = OWN | self.sites.iter().position(|site| site == to).map_or(0, place);
        let (mut cargo, mut from_bits) = (Cargo::default(), 0);
        let (mut what, mut most) = (String::new(), (false, false, 0));
        for parts in sent {
            let views = parts.into_iter().flat_map(views);
            let found = views.map(|view| self.look(&view, spared, id, counts));
            let mut text = 0;
            for one in found {
                text = text.max(one.cargo.text);
                cargo.code |= one.cargo.code;
                cargo.strong |= one.cargo.strong;
                from_bits |= one.from;
                let weight = (one.cargo.strong, one.cargo.code, one.extent);
                if weight > most {
                    (what, most) = (one.what, weight);
                }
            }
            cargo.text += text;
        }
        cargo.total = cargo.text + self.totals.get(&id).copied().unwrap_or_default();
        let names = |site: &Site| self.named.get(self.id(site)).unwrap_or_default();
        let followed = self.followed.get(id).unwrap_or_default();
        let sources = self.sites.iter().enumerate().filter(|(at, _)| from_bits & place(*at) != 0);
        let from: Vec<Site> = sources.map(|(_, site)| site.clone()).collect();
        let is_chosen = self.chosen.get(id).is_some();
        let sent_back = from.iter().any(|site| {
            names(site) & spared & !OWN != 0 && self.chosen.get(self.id(site)).is_none()
        });
        let place = match () {
            () if !is_chosen && self.is_named(to) => Place::Named,
            () if !is_chosen && followed & from_bits != 0 => Place::Named,
            () if self.opened.get(id).is_none() => Place::New,
            () if sent_back => Place::Back,
            () => Place::Chosen,
        };
        Carried { place, cargo, from, what }
    }

    /// What of one view is known from places that are not `spared`, and may not
    /// go to the site `to` all the same.
    fn look(&self, view: &str, spared: u32, to: u64, counts: impl Fn(u64) -> bool) -> Found {
        let stream = Stream::of(view);
        let prefixes = stream.prefixes(self.hasher);
        let (mut text, mut until, mut from) = (0, 0, 0);
        let mut place = stream.bytes.len()..0;
        for (at, hash) in prefixes.windows(PIECE, 1) {
            let Some(known) = self.pieces.get(hash).filter(|known| known & spared == 0) else {
                continue;
            };
            if self.given.get(hash ^ to).is_some() || !counts(hash) {
                continue;
            }
            from |= known;
            text += at + PIECE - until.max(at);
            until = at + PIECE;
            place = place.start.min(at)..until;
        }
        let mut cargo = Cargo { text, ..Cargo::default() };
        for at in codes::candidates(&stream) {
            let hash = prefixes.part(&at);
            let known = self.codes.get(hash).filter(|known| known & spared == 0 && counts(hash));
            let Some(known) = known.filter(|_| self.given_codes.get(hash ^ to).is_none()) else {
                continue;
            };
            from |= known;
            cargo.code = true;
            cargo.strong |= self.strong.get(hash).is_some();
            place = place.start.min(at.start)..place.end.max(at.end);
        }
        let origin = stream.origin(&place);
        // The sign of a telephone number.
        let sign = usize::from(view[..origin.start].ends_with('+'));
        let what = view.get(origin.start - sign..origin.end).unwrap_or_default().to_owned();
        Found { cargo, from, what, extent: place.len() }
    }
}

/// Whether it was read, and not brought by the caller alone.
fn is_foreign(known: Option<u32>) -> bool {
    known.is_some_and(|known| known & OWN == 0)
}
