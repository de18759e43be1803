//! Text as its letters and digits alone, and hashes of its parts.

use std::ops::Range;

/// Letters and digits of a text, in lower case, as UTF-8; and where its words
/// are.
#[derive(Debug, Default)]
pub struct Stream {
    /// The letters and digits.
    pub bytes: Vec<u8>,
    /// Words, as ranges of `bytes`, with what stands before each.
    pub words: Vec<Word>,
}

/// A word that goes on.
struct Open {
    start: usize,
    digits: usize,
    origin: Range<usize>,
}

/// A run of letters and digits.
#[derive(Clone, Debug)]
pub struct Word {
    /// Its place.
    pub at: Range<usize>,
    /// What separates it from the word before, when it is one character.
    pub after: Option<char>,
    /// How many of its characters are ASCII digits.
    pub digits: usize,
    /// Its place in the text.
    pub origin: Range<usize>,
}

impl Stream {
    /// The stream of `text`.
    pub fn of(text: &str) -> Self {
        let mut stream = Self { bytes: Vec::with_capacity(text.len()), words: Vec::new() };
        let mut open: Option<Open> = None;
        let mut before: Vec<char> = Vec::new();
        for (from, letter) in text.char_indices() {
            if is_ignored(letter) {
                continue;
            }
            let until = from + letter.len_utf8();
            let letter = narrow(letter);
            if letter.is_alphanumeric() {
                let start = stream.bytes.len();
                let word = open.get_or_insert(Open { start, digits: 0, origin: from..until });
                word.digits += usize::from(letter.is_ascii_digit());
                word.origin.end = until;
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
            stream.close(&mut open, &mut before);
            if before.len() < 2 {
                before.push(letter);
            }
        }
        stream.close(&mut open, &mut before);
        stream
    }

    fn close(&mut self, open: &mut Option<Open>, before: &mut Vec<char>) {
        let Some(Open { start, digits, origin }) = open.take() else { return };
        let after = if let [one] = before.as_slice() { Some(*one) } else { None };
        self.words.push(Word { at: start..self.bytes.len(), after, digits, origin });
        before.clear();
    }

    /// The words of the text that the bytes `at` are in, as a range of it.
    pub fn origin(&self, at: &Range<usize>) -> Range<usize> {
        let first = self.words.partition_point(|word| word.at.end <= at.start);
        let last = self.words.partition_point(|word| word.at.start < at.end);
        match self.words.get(first..last) {
            Some([one]) => one.origin.clone(),
            Some([first, .., last]) => first.origin.start..last.origin.end,
            _ => 0..0,
        }
    }

    /// The hashes of all its beginnings, for those of its parts.
    pub fn prefixes(&self, hasher: Hasher) -> Prefixes {
        let mut sums = Vec::with_capacity(self.bytes.len() + 1);
        let mut sum = 0_u64;
        sums.push(sum);
        for byte in &self.bytes {
            sum = hasher.add(sum, *byte);
            sums.push(sum);
        }
        Prefixes { sums, hasher }
    }
}

/// Characters that nobody sees and that do not end a word.
fn is_ignored(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Fullwidth forms are their ASCII twins.
fn narrow(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        letter => letter,
    }
}

/// A keyed polynomial: without the key, hashes cannot be looked up in a table.
#[derive(Clone, Copy, Debug)]
pub struct Hasher(u64);

impl Hasher {
    /// A hasher of this key.
    pub fn new(key: u64) -> Self {
        Self(key | 1)
    }

    fn add(self, sum: u64, byte: u8) -> u64 {
        sum.wrapping_mul(self.0).wrapping_add(u64::from(byte) + 1)
    }

    /// The hash of `bytes`.
    pub fn hash(self, bytes: &[u8]) -> u64 {
        mix(bytes.iter().fold(0, |sum, byte| self.add(sum, *byte)), bytes.len())
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
pub struct Prefixes {
    sums: Vec<u64>,
    hasher: Hasher,
}

impl Prefixes {
    /// The hash of a part, the same as [`Hasher::hash`] of its bytes.
    pub fn part(&self, at: &Range<usize>) -> u64 {
        let length = at.end - at.start;
        let before = self.sums[at.start].wrapping_mul(self.hasher.power(length));
        mix(self.sums[at.end].wrapping_sub(before), length)
    }

    /// The hashes of the parts of `length` that begin at each `step`th place.
    pub fn windows(&self, length: usize, step: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
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
        let plain = Stream::of("Account number: 12-34");
        for other in
            ["ACCOUNTNUMBER1234", "a.c.c.o.u.n.t_number/12 34", "ａccount\u{200b} number 1234"]
        {
            assert_eq!(Stream::of(other).bytes, plain.bytes, "{other}");
        }
        assert_eq!(plain.words.len(), 4);
        assert_eq!((plain.words[3].after, plain.words[3].digits), (Some('-'), 2));
        assert_eq!(plain.words[2].after, None, "a colon and a blank");
    }

    #[test]
    fn parts_hash_as_their_bytes_do() {
        let hasher = Hasher::new(0x1234_5678_9abc_def0);
        let stream = Stream::of("the quick brown fox");
        let prefixes = stream.prefixes(hasher);
        assert_eq!(prefixes.part(&(3..8)), hasher.hash(b"quick"));
        let windows: Vec<_> = prefixes.windows(5, 3).collect();
        assert_eq!(windows[1], (3, hasher.hash(b"quick")));
        assert_eq!(windows.len(), 4);
        assert_eq!(Stream::of("abc").prefixes(hasher).windows(5, 1).count(), 0);
    }
}
