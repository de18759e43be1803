//! What of a text or an address was read on other sites than the one it goes to.

use std::collections::HashSet;

use super::{FINGERPRINT_CHARS, OWN_BIT, TaintStore, site_bit_at};
use crate::egress::{
    alphanumeric_text::AlphanumericText,
    codes, decodings,
    rules::{DestinationKind, TaintedPayload},
    sites::Site,
};

/// What is about to be sent.
pub enum OutboundData<'a> {
    /// An address.
    Address(&'a str),
    /// Text.
    Text(&'a str),
}

/// What was found in it.
#[derive(Clone, Debug)]
pub struct TaintMatch {
    /// What is known of the place.
    pub destination: DestinationKind,
    /// What was read somewhere else.
    pub payload: TaintedPayload,
    /// The sites that it was read on.
    pub source_sites: Vec<Site>,
    /// It, as it stands in what is sent once encodings are taken off.
    pub excerpt: String,
}

/// What was found in one view.
struct ViewMatch {
    payload: TaintedPayload,
    /// The places that it is from.
    site_bits: u32,
    /// From the first to the last of it.
    excerpt: String,
    /// Letters and digits of that.
    excerpt_chars: usize,
}

impl TaintStore {
    /// What of `sent` was read on other sites than `to`.
    pub fn match_taint(&self, sent: &[OutboundData<'_>], to: &Site) -> TaintMatch {
        self.match_taint_except(sent, to, &HashSet::new())
    }

    /// The same, without what `reported` holds, see [`Memory::hashes`].
    pub fn match_taint_except(
        &self,
        sent: &[OutboundData<'_>],
        to: &Site,
        reported: &HashSet<u64>,
    ) -> TaintMatch {
        let parts = sent.iter().map(|sent| self.unvouched_parts(sent, to));
        self.match_parts(parts.collect(), to, |hash| !reported.contains(&hash))
    }

    /// What of `texts`, which a server or a page sends on to `to`, the caller has read
    /// on another site and has sent since, without what `reported` holds. All of an
    /// address counts, whoever wrote it. A site that was never opened counts as named:
    /// the server or the page chose it.
    pub fn match_forwarded(
        &self,
        texts: &[&str],
        to: &Site,
        reported: &HashSet<u64>,
    ) -> TaintMatch {
        let parts = texts.iter().map(|part| vec![*part]).collect();
        let counts = |hash| self.sent_fingerprints.get(hash).is_some() && !reported.contains(&hash);
        let carried = self.match_parts(parts, to, counts);
        match carried.destination {
            DestinationKind::Unvisited => {
                TaintMatch { destination: DestinationKind::NamedByPage, ..carried }
            }
            _ => carried,
        }
    }

    /// Notes that the caller sends `texts`, to whichever site.
    pub fn record_sent(&mut self, texts: &[&str]) {
        for hash in self.fingerprint_hashes(texts) {
            self.sent_fingerprints.add(hash, |()| ());
        }
    }

    /// The hashes of what of `texts` was read, in all their encodings.
    pub fn fingerprint_hashes(&self, texts: &[&str]) -> HashSet<u64> {
        let mut hashes = HashSet::new();
        for view in texts.iter().flat_map(|text| decodings(text)) {
            let stream = AlphanumericText::of(&view);
            let prefixes = stream.prefix_hashes(self.hasher);
            let pieces = prefixes.rolling_hashes(FINGERPRINT_CHARS, 1).map(|(_, hash)| hash);
            hashes.extend(pieces.filter(|hash| is_read_from_page(self.fingerprints.get(*hash))));
            let codes = codes::code_candidates(&stream).map(|at| prefixes.range_hash(&at));
            hashes.extend(codes.filter(|hash| is_read_from_page(self.codes.get(*hash))));
        }
        hashes
    }

    fn match_parts(
        &self,
        sent: Vec<Vec<&str>>,
        to: &Site,
        counts: impl Fn(u64) -> bool + Copy,
    ) -> TaintMatch {
        let id = self.site_id(to);
        let spared = OWN_BIT | self.sites.iter().position(|site| site == to).map_or(0, site_bit_at);
        let (mut cargo, mut from_bits) = (TaintedPayload::default(), 0);
        let (mut what, mut most) = (String::new(), (false, false, 0));
        for parts in sent {
            let views = parts.into_iter().flat_map(decodings);
            let found = views.map(|view| self.match_view(&view, spared, id, counts));
            let mut text = 0;
            for one in found {
                text = text.max(one.payload.tainted_chars);
                cargo.has_code |= one.payload.has_code;
                cargo.has_sensitive_code |= one.payload.has_sensitive_code;
                from_bits |= one.site_bits;
                let weight =
                    (one.payload.has_sensitive_code, one.payload.has_code, one.excerpt_chars);
                if weight > most {
                    (what, most) = (one.excerpt, weight);
                }
            }
            cargo.tainted_chars += text;
        }
        cargo.total_chars =
            cargo.tainted_chars + self.sent_totals.get(&id).copied().unwrap_or_default();
        let names = |site: &Site| self.mentioned_sites.get(self.site_id(site)).unwrap_or_default();
        let followed = self.link_origins.get(id).unwrap_or_default();
        let sources =
            self.sites.iter().enumerate().filter(|(at, _)| from_bits & site_bit_at(*at) != 0);
        let from: Vec<Site> = sources.map(|(_, site)| site.clone()).collect();
        let is_chosen = self.chosen_sites.get(id).is_some();
        let sent_back = from.iter().any(|site| {
            names(site) & spared & !OWN_BIT != 0
                && self.chosen_sites.get(self.site_id(site)).is_none()
        });
        let place = match () {
            () if !is_chosen && self.is_mentioned(to) => DestinationKind::NamedByPage,
            () if !is_chosen && followed & from_bits != 0 => DestinationKind::NamedByPage,
            () if self.opened_sites.get(id).is_none() => DestinationKind::Unvisited,
            () if sent_back => DestinationKind::ReturnsToSource,
            () => DestinationKind::ChosenByCaller,
        };
        TaintMatch { destination: place, payload: cargo, source_sites: from, excerpt: what }
    }

    /// What of one view is known from places that are not `spared`, and may not
    /// go to the site `to` all the same.
    fn match_view(
        &self,
        view: &str,
        spared: u32,
        to: u64,
        counts: impl Fn(u64) -> bool,
    ) -> ViewMatch {
        let stream = AlphanumericText::of(view);
        let prefixes = stream.prefix_hashes(self.hasher);
        let (mut text, mut until, mut from) = (0, 0, 0);
        let mut place = stream.bytes.len()..0;
        for (at, hash) in prefixes.rolling_hashes(FINGERPRINT_CHARS, 1) {
            let Some(known) = self.fingerprints.get(hash).filter(|known| known & spared == 0)
            else {
                continue;
            };
            if self.link_fingerprints.get(hash ^ to).is_some() || !counts(hash) {
                continue;
            }
            from |= known;
            text += at + FINGERPRINT_CHARS - until.max(at);
            until = at + FINGERPRINT_CHARS;
            place = place.start.min(at)..until;
        }
        let mut cargo = TaintedPayload { tainted_chars: text, ..TaintedPayload::default() };
        for at in codes::code_candidates(&stream) {
            let hash = prefixes.range_hash(&at);
            let known = self.codes.get(hash).filter(|known| known & spared == 0 && counts(hash));
            let Some(known) = known.filter(|_| self.link_codes.get(hash ^ to).is_none()) else {
                continue;
            };
            from |= known;
            cargo.has_code = true;
            cargo.has_sensitive_code |= self.sensitive_codes.get(hash).is_some();
            place = place.start.min(at.start)..place.end.max(at.end);
        }
        let origin = stream.source_range(&place);
        // The sign of a telephone number.
        let sign = usize::from(view[..origin.start].ends_with('+'));
        let what = view.get(origin.start - sign..origin.end).unwrap_or_default().to_owned();
        ViewMatch { payload: cargo, site_bits: from, excerpt: what, excerpt_chars: place.len() }
    }
}

/// Whether it was read, and not brought by the caller alone.
fn is_read_from_page(known: Option<u32>) -> bool {
    known.is_some_and(|known| known & OWN_BIT == 0)
}
