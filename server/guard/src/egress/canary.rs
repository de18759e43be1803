//! Canary tokens: made up for one answer, and seen again only when somebody
//! sends what stood in it.

use std::collections::{HashSet, VecDeque};

use super::alphanumeric_text::{AlphanumericText, RollingHasher};

/// Characters of a token.
const TOKEN_CHARS: usize = 24;

/// Tokens that are known; the oldest give way.
const MAX_TOKENS: usize = 4_096;

/// Letters of a token: none is taken for another.
const TOKEN_ALPHABET: &[u8] = b"abcdefghjkmnpqrstvwxyz23456789";

/// The tokens that must not leave. Only their hashes are kept.
#[derive(Debug)]
pub struct Canaries {
    hasher: RollingHasher,
    known: HashSet<u64>,
    order: VecDeque<u64>,
}

impl Canaries {
    /// None yet; `key` is secret.
    pub fn new(key: u64) -> Self {
        Self { hasher: RollingHasher::new(key), known: HashSet::new(), order: VecDeque::new() }
    }

    /// Makes a token from random bytes.
    pub fn mint(&mut self, random: [u8; TOKEN_CHARS]) -> String {
        let letter =
            |byte: &u8| char::from(TOKEN_ALPHABET[usize::from(*byte) % TOKEN_ALPHABET.len()]);
        let token: String = random.iter().map(letter).collect();
        let hash = self.hasher.hash(token.as_bytes());
        if self.known.insert(hash) {
            self.order.push_back(hash);
        }
        if self.order.len() > MAX_TOKENS
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
    pub fn are_in_stream(&self, stream: &AlphanumericText) -> bool {
        let prefixes = stream.prefix_hashes(self.hasher);
        !self.is_empty()
            && prefixes.rolling_hashes(TOKEN_CHARS, 1).any(|(_, hash)| self.known.contains(&hash))
    }

    /// The same for a text as it stands, in all its views.
    pub fn are_in_text(&self, text: &str) -> bool {
        !self.is_empty()
            && text.len() >= TOKEN_CHARS
            && super::decodings(text)
                .iter()
                .any(|view| self.are_in_stream(&AlphanumericText::of(view)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_seen_in_every_usual_form() {
        let mut canaries = Canaries::new(99);
        assert!(!canaries.are_in_text("anything at all that is long enough"));
        let token = canaries.mint(*b"012345678901234567890123");
        let spaced: String = token.chars().flat_map(|c| [c, ' ']).collect();
        let backwards: String = token.chars().rev().collect();
        let hex: String = token.bytes().map(|b| format!("{b:02x}")).collect();
        let split = format!("a={}&b={}", &token[..10], &token[10..]);
        for sent in [format!("x {token} y"), token.to_uppercase(), spaced, backwards, hex, split] {
            assert!(canaries.are_in_text(&sent), "{sent}");
        }
        assert!(!canaries.are_in_text(&token[1..]));
        assert!(!canaries.are_in_text("a text without any of them, long enough to hold one"));
    }
}
