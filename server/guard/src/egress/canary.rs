//! Canary tokens: made up for one answer, and seen again only when somebody
//! sends what stood in it.

use std::collections::{HashSet, VecDeque};

use super::stream::{Hasher, Stream};

/// Characters of a token.
const LENGTH: usize = 24;

/// Tokens that are known; the oldest give way.
const MOST: usize = 4_096;

/// Letters of a token: none is taken for another.
const LETTERS: &[u8] = b"abcdefghjkmnpqrstvwxyz23456789";

/// The tokens that must not leave. Only their hashes are kept.
#[derive(Debug)]
pub struct Canaries {
    hasher: Hasher,
    known: HashSet<u64>,
    order: VecDeque<u64>,
}

impl Canaries {
    /// None yet; `key` is secret.
    pub fn new(key: u64) -> Self {
        Self { hasher: Hasher::new(key), known: HashSet::new(), order: VecDeque::new() }
    }

    /// Makes a token from random bytes.
    pub fn mint(&mut self, random: [u8; LENGTH]) -> String {
        let letter = |byte: &u8| char::from(LETTERS[usize::from(*byte) % LETTERS.len()]);
        let token: String = random.iter().map(letter).collect();
        let hash = self.hasher.hash(token.as_bytes());
        if self.known.insert(hash) {
            self.order.push_back(hash);
        }
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        token
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Whether a view of what is sent holds a token.
    pub fn are_in(&self, stream: &Stream) -> bool {
        let prefixes = stream.prefixes(self.hasher);
        !self.is_empty() && prefixes.windows(LENGTH, 1).any(|(_, hash)| self.known.contains(&hash))
    }

    /// The same for a text as it stands, in all its views.
    pub fn leak_in(&self, text: &str) -> bool {
        !self.is_empty()
            && text.len() >= LENGTH
            && super::views(text).iter().any(|view| self.are_in(&Stream::of(view)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_seen_in_every_usual_form() {
        let mut canaries = Canaries::new(99);
        assert!(!canaries.leak_in("anything at all that is long enough"));
        let token = canaries.mint(*b"012345678901234567890123");
        let spaced: String = token.chars().flat_map(|c| [c, ' ']).collect();
        let backwards: String = token.chars().rev().collect();
        let hex: String = token.bytes().map(|b| format!("{b:02x}")).collect();
        let split = format!("a={}&b={}", &token[..10], &token[10..]);
        for sent in [format!("x {token} y"), token.to_uppercase(), spaced, backwards, hex, split] {
            assert!(canaries.leak_in(&sent), "{sent}");
        }
        assert!(!canaries.leak_in(&token[1..]));
        assert!(!canaries.leak_in("a text without any of them, long enough to hold one"));
    }
}
