//! Text as its letters and digits alone, and hashes of its parts.

use std::ops::Range;

/// Letters and digits of a text, in lower case, as UTF-8; and where its words
/// are.
#[derive(Debug, Default)]
pub struct AlphanumericText {
    /// The letters and digits.
    pub bytes: Vec<u8>,
    /// Words, as ranges of `bytes`, with what stands before each.
    pub words: Vec<AlphanumericWord>,
}

/// A word that goes on.
struct OpenWord {
    start: usize,
    digits: usize,
    source_range: Range<usize>,
}

/// A run of letters and digits.
#[derive(Clone, Debug)]
pub struct AlphanumericWord {
    /// Its place.
    pub range: Range<usize>,
    /// What separates it from the word before, when it is one character.
    pub separator: Option<char>,
    /// How many of its characters are ASCII digits.
    pub digits: usize,
    /// Its place in the text.
    pub source_range: Range<usize>,
}

impl AlphanumericText {
    /// The stream of `text`.
    pub fn of(text: &str) -> Self {
        let mut stream = Self { bytes: Vec::with_capacity(text.len()), words: Vec::new() };
        let mut open: Option<OpenWord> = None;
        let mut before: Vec<char> = Vec::new();
        for (from, letter) in text.char_indices() {
            if is_ignored(letter) {
                continue;
            }
            let until = from + letter.len_utf8();
            let letter = to_halfwidth(letter);
            if letter.is_alphanumeric() {
                let start = stream.bytes.len();
                let word =
                    open.get_or_insert(OpenWord { start, digits: 0, source_range: from..until });
                word.digits += usize::from(letter.is_ascii_digit());
                word.source_range.end = until;
                if letter.is_ascii() {
                    stream.bytes.push(letter.to_ascii_lowercase() as u8);
                } else {
                    for lower in letter.to_lowercase() {
                        let mut buffer = [0; 4];
                        stream.bytes.extend(lower.encode_utf8(&mut buffer).as_bytes());
                    }
                }
                continue;
            }
            stream.finish_word(&mut open, &mut before);
            if before.len() < 2 {
                before.push(letter);
            }
        }
        stream.finish_word(&mut open, &mut before);
        stream
    }

    fn finish_word(&mut self, open: &mut Option<OpenWord>, before: &mut Vec<char>) {
        let Some(OpenWord { start, digits, source_range: origin }) = open.take() else { return };
        let after = if let [one] = before.as_slice() { Some(*one) } else { None };
        self.words.push(AlphanumericWord {
            range: start..self.bytes.len(),
            separator: after,
            digits,
            source_range: origin,
        });
        before.clear();
    }

    /// The words of the text that the bytes `at` are in, as a range of it.
    pub fn source_range(&self, at: &Range<usize>) -> Range<usize> {
        let first = self.words.partition_point(|word| word.range.end <= at.start);
        let last = self.words.partition_point(|word| word.range.start < at.end);
        match self.words.get(first..last) {
            Some([one]) => one.source_range.clone(),
            Some([first, .., last]) => first.source_range.start..last.source_range.end,
            _ => 0..0,
        }
    }

    /// The hashes of all its beginnings, for those of its parts.
    pub fn prefix_hashes(&self, hasher: RollingHasher) -> PrefixHashes {
        let mut sums = Vec::with_capacity(self.bytes.len() + 1);
        let mut sum = 0_u64;
        sums.push(sum);
        for byte in &self.bytes {
            sum = hasher.push(sum, *byte);
            sums.push(sum);
        }
        PrefixHashes { sums, hasher }
    }
}

/// Characters that nobody sees and that do not end a word.
fn is_ignored(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Fullwidth forms are their ASCII twins.
fn to_halfwidth(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        letter => letter,
    }
}

/// A keyed polynomial: without the key, hashes cannot be looked up in a table.
#[derive(Clone, Copy, Debug)]
pub struct RollingHasher(u64);

impl RollingHasher {
    /// A hasher of this key.
    pub fn new(key: u64) -> Self {
        Self(key | 1)
    }

    fn push(self, sum: u64, byte: u8) -> u64 {
        sum.wrapping_mul(self.0).wrapping_add(u64::from(byte) + 1)
    }

    /// The hash of `bytes`.
    pub fn hash(self, bytes: &[u8]) -> u64 {
        mix(bytes.iter().fold(0, |sum, byte| self.push(sum, *byte)), bytes.len())
    }

    fn power(self, exponent: usize) -> u64 {
        let (mut power, mut base, mut left) = (1_u64, self.0, exponent);
        while left > 0 {
            if left & 1 == 1 {
                power = power.wrapping_mul(base);
            }
            base = base.wrapping_mul(base);
            left >>= 1;
        }
        power
    }
}

/// Hashes of the parts of a stream, each in a few steps.
pub struct PrefixHashes {
    sums: Vec<u64>,
    hasher: RollingHasher,
}

impl PrefixHashes {
    /// The hash of a part, the same as [`Hasher::hash`] of its bytes.
    pub fn range_hash(&self, at: &Range<usize>) -> u64 {
        let length = at.end - at.start;
        let before = self.sums[at.start].wrapping_mul(self.hasher.power(length));
        mix(self.sums[at.end].wrapping_sub(before), length)
    }

    /// The hashes of the parts of `length` that begin at each `step`th place.
    pub fn rolling_hashes(
        &self,
        length: usize,
        step: usize,
    ) -> impl Iterator<Item = (usize, u64)> + '_ {
        let power = self.hasher.power(length);
        let last = (self.sums.len() - 1).checked_sub(length);
        let starts = (0..last.map_or(0, |last| last + 1)).step_by(step);
        starts.map(move |start| {
            let sum = self.sums[start + length].wrapping_sub(self.sums[start].wrapping_mul(power));
            (start, mix(sum, length))
        })
    }
}

/// Spreads the bits. Source: the finalizer of splitmix64.
fn mix(sum: u64, length: usize) -> u64 {
    let mut x = sum ^ (length as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_signs_case_and_width_make_no_difference() {
        let plain = AlphanumericText::of("Account number: 12-34");
        for other in
            ["ACCOUNTNUMBER1234", "a.c.c.o.u.n.t_number/12 34", "ａccount\u{200b} number 1234"]
        {
            assert_eq!(AlphanumericText::of(other).bytes, plain.bytes, "{other}");
        }
        assert_eq!(plain.words.len(), 4);
        assert_eq!((plain.words[3].separator, plain.words[3].digits), (Some('-'), 2));
        assert_eq!(plain.words[2].separator, None, "a colon and a blank");
    }

    #[test]
    fn parts_hash_as_their_bytes_do() {
        let hasher = RollingHasher::new(0x1234_5678_9abc_def0);
        let stream = AlphanumericText::of("the quick brown fox");
        let prefixes = stream.prefix_hashes(hasher);
        assert_eq!(prefixes.range_hash(&(3..8)), hasher.hash(b"quick"));
        let windows: Vec<_> = prefixes.rolling_hashes(5, 3).collect();
        assert_eq!(windows[1], (3, hasher.hash(b"quick")));
        assert_eq!(windows.len(), 4);
        assert_eq!(
            AlphanumericText::of("abc").prefix_hashes(hasher).rolling_hashes(5, 1).count(),
            0
        );
    }
}
