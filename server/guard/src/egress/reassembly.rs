//! Text that is sent in pieces, over several addresses of one site: put together
//! again in the orders in which somebody would take it apart.

use std::collections::VecDeque;

use super::decode;

/// Pieces of one site that are put together.
const MAX_CHUNKS: usize = 96;

/// Longest piece, in bytes: what is longer is looked at by itself.
const MAX_CHUNK_BYTES: usize = 64;

/// Bytes of one text that is put together.
const MAX_REASSEMBLED_BYTES: usize = 384;

/// Places of an address (path segments, parameters) that are distinguished.
const MAX_SLOTS: usize = 16;

/// Into how many rows a text may have been taken apart.
const INTERLEAVED_ROWS: [usize; 2] = [2, 3];

/// The pieces that one site was sent in addresses, oldest first.
#[derive(Debug, Default)]
pub struct ChunkHistory(VecDeque<UrlChunk>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct UrlChunk {
    /// Where in its address it stood.
    slot: String,
    value: String,
    /// Letters and digits of its address that were read on another site, as they stand.
    tainted_chars: usize,
}

/// Pieces put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReassembledText {
    /// The text.
    pub text: String,
    /// Letters and digits of it that are known to have been read on another site by the
    /// pieces alone.
    pub tainted_chars: usize,
}

impl ChunkHistory {
    /// What the pieces so far spell with `parts`, what the caller chose of one more
    /// address: the values of each place of the address in a row, and those of all
    /// places that change; as they are, every second or third of them, and with the
    /// rows of a text that was sent row by row woven together again.
    pub fn reassemble(&self, parts: &[&str]) -> Vec<ReassembledText> {
        let new = url_chunks(parts, 0);
        if new.is_empty() || self.0.is_empty() {
            return Vec::new();
        }
        let all: Vec<&UrlChunk> = self.0.iter().chain(&new).collect();
        let mut slots: Vec<&str> = Vec::new();
        for piece in &all {
            if !slots.contains(&piece.slot.as_str()) {
                slots.push(&piece.slot);
            }
        }
        let of = |slot: &str| all.iter().filter(|one| one.slot == slot).copied().collect();
        let (silent, mut rows): (Vec<Vec<&UrlChunk>>, Vec<_>) =
            slots.into_iter().map(of).partition(|row: &Vec<_>| is_constant_or_counter(row));
        let says = |piece: &&UrlChunk| silent.iter().all(|row| row[0].slot != piece.slot);
        rows.retain(|row| new.iter().any(|piece| piece.slot == row[0].slot));
        rows.truncate(MAX_SLOTS);
        rows.push(all.iter().copied().filter(says).collect());
        rows.retain(|row| row.len() > 1);
        rows.dedup();
        rows.iter().flat_map(|row| reassemblies(row)).collect()
    }

    /// Remembers the pieces of an address, of which `known` letters and digits were
    /// read on another site.
    pub fn add(&mut self, parts: &[&str], known: usize) {
        self.0.extend(url_chunks(parts, known));
        self.0.drain(..self.0.len().saturating_sub(MAX_CHUNKS));
    }
}

/// The pieces of the parts of one address.
fn url_chunks(parts: &[&str], known: usize) -> Vec<UrlChunk> {
    let ends = |c: char| matches!(c, '/' | '?' | '&' | '#' | ';' | '.' | ',' | ':' | '@');
    let mut found = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        for (at, word) in part.split(ends).enumerate() {
            let (slot, value) = match word.split_once('=') {
                Some((name, value)) => (name.to_owned(), value),
                None => (format!("{number}/{at}"), word),
            };
            let value = decode::percent_decode(value).unwrap_or_else(|| value.to_owned());
            if !value.is_empty() && value.len() <= MAX_CHUNK_BYTES && slot.len() <= MAX_CHUNK_BYTES
            {
                found.push(UrlChunk { slot, value, tainted_chars: 0 });
            }
        }
    }
    if let Some(first) = found.first_mut() {
        first.tainted_chars = known;
    }
    found
}

/// Whether the values of one place of the address say nothing: they are all the
/// same, or the number of a page, which grows by the same with each.
fn is_constant_or_counter(row: &[&UrlChunk]) -> bool {
    if row.len() > 1 && row.iter().all(|piece| piece.value == row[0].value) {
        return true;
    }
    let numbers: Option<Vec<i64>> = row.iter().map(|piece| piece.value.parse().ok()).collect();
    let Some(numbers) = numbers.filter(|numbers| numbers.len() > 2) else { return false };
    let step = |pair: &[i64]| pair[1].saturating_sub(pair[0]);
    numbers.windows(2).all(|pair| step(pair) == step(&numbers[..2]))
}

fn reassemblies(row: &[&UrlChunk]) -> Vec<ReassembledText> {
    let mut found = vec![concatenate(row.iter().copied())];
    let of_numbers = row.iter().all(|piece| piece.value.bytes().all(|b| b.is_ascii_digit()));
    if of_numbers {
        let values: Vec<_> = row.iter().map(|piece| piece.value.as_str()).collect();
        found.push(ReassembledText { text: keep_end(values.join(".")), tainted_chars: 0 });
    }
    for rows in INTERLEAVED_ROWS.into_iter().filter(|rows| row.len() >= 2 * rows) {
        // Two texts in turns, or one among chaff.
        let every = |from: usize| row.iter().skip(from).step_by(rows).copied();
        found.extend((0..rows).map(|from| concatenate(every(from))));
        // One text, row by row: every second letter, then the others.
        let length = row.len().div_ceil(rows);
        let woven = (0..length).flat_map(|at| (0..rows).map(move |row| row * length + at));
        found.push(concatenate(woven.filter_map(|at| row.get(at).copied())));
    }
    found
}

fn concatenate<'a>(row: impl Iterator<Item = &'a UrlChunk>) -> ReassembledText {
    let (mut text, mut known) = (String::new(), 0);
    for piece in row {
        text.push_str(&piece.value);
        known += piece.tainted_chars;
    }
    ReassembledText { text: keep_end(text), tainted_chars: known }
}

/// The end of a text that is too long.
fn keep_end(text: String) -> String {
    let from = text.ceil_char_boundary(text.len().saturating_sub(MAX_REASSEMBLED_BYTES));
    text[from..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What addresses spell, of which each is what the caller chose of one.
    fn spelt(addresses: &[String]) -> Vec<String> {
        let mut pieces = ChunkHistory::default();
        let (last, first) = addresses.split_last().expect("an address");
        for address in first {
            pieces.add(&["", address], 0);
        }
        pieces.reassemble(&["", last]).into_iter().map(|one| one.text).collect()
    }

    fn each(code: &str, write: impl Fn(usize, char) -> String) -> Vec<String> {
        code.chars().enumerate().map(|(at, letter)| write(at, letter)).collect()
    }

    #[test]
    fn pieces_are_put_together() {
        let code = "VLT-7731-9402";
        let chaff = "abcdefghijklm";
        let mut other = chaff.chars();
        let rows = || code.chars().step_by(2).chain(code.chars().skip(1).step_by(2));
        for (way, addresses) in [
            ("a parameter", each(code, |_, letter| format!("/c?d={letter}"))),
            ("a path", each(code, |_, letter| format!("/c/{letter}"))),
            ("parameters of other names", each(code, |at, letter| format!("/c?p{at}={letter}"))),
            ("with a number", each(code, |at, letter| format!("/c?n={at}&d={letter}"))),
            ("parts", ["VLT-", "7731", "-9402"].map(|part| format!("/c?d={part}")).to_vec()),
            (
                "in turns with others",
                code.chars()
                    .flat_map(|letter| [letter, other.next().expect("a letter")])
                    .map(|letter| format!("/c?d={letter}"))
                    .collect(),
            ),
            ("row by row", rows().map(|letter| format!("/c?d={letter}")).collect()),
        ] {
            let all = spelt(&addresses);
            assert!(all.iter().any(|text| text.contains(code)), "{way}: {all:?}");
        }
        let codes = each(code, |_, letter| format!("/c?d={}", u32::from(letter)));
        let codes = spelt(&codes);
        let views: Vec<_> = codes.iter().flat_map(|text| super::super::decodings(text)).collect();
        assert!(views.iter().any(|view| view.contains(code)), "{codes:?}");
    }

    #[test]
    fn pages_that_are_counted_spell_nothing() {
        let pages: Vec<_> = (1..=30).map(|page| format!("/list?page={page}")).collect();
        assert_eq!(spelt(&pages), [] as [&str; 0]);
        let steps: Vec<_> = (0..9).map(|page| format!("/list?from={}", page * 25)).collect();
        assert_eq!(spelt(&steps), [] as [&str; 0]);
        assert_eq!(spelt(&["/a".to_owned()]), [] as [&str; 0]);
    }

    #[test]
    fn old_pieces_are_forgotten() {
        let mut pieces = ChunkHistory::default();
        for number in 0..1_000 {
            pieces.add(&["", &format!("/{}?q={}", "x".repeat(number % 80), "é".repeat(30))], 3);
        }
        assert!(pieces.0.len() <= MAX_CHUNKS);
        assert!(
            pieces
                .reassemble(&["", "/a?q=b"])
                .iter()
                .all(|one| one.text.len() <= MAX_REASSEMBLED_BYTES)
        );
    }
}
