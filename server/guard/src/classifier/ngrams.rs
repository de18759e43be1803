//! Hashed n-grams of a window: of its words, and of their classes.

use super::{
    lexicon::{Classes, extend_hash, hash},
    words::{WordKind, WordToken, mark},
};

/// Bits of a place in the table of weights.
pub const TABLE_BITS: u32 = 22;

/// Calls `found` with the place of every n-gram of `window`; an n-gram that
/// occurs twice is told twice.
pub fn for_each_ngram(window: &[WordToken], mut found: impl FnMut(u32)) {
    let place = |hash: u64| ((hash ^ (hash >> 29) ^ (hash >> 47)) & ((1 << TABLE_BITS) - 1)) as u32;
    let start = hash(b"<s>");
    for (at, word) in window.iter().enumerate() {
        let begins = word.marks_before & mark::SENTENCE_START != 0;
        let before = (!begins).then(|| at.checked_sub(1).map(|at| &window[at])).flatten();
        let further = match before {
            Some(word) if word.marks_before & mark::SENTENCE_START == 0 && at > 1 => {
                Some(&window[at - 2])
            }
            _ => None,
        };
        found(place(extend_hash(word.hash, b"1")));
        let first = before.map_or(start, |word| word.hash);
        found(place(extend_hash(combine_hashes(first, word.hash), b"2")));
        if let Some(further) = further {
            found(place(extend_hash(
                combine_hashes(combine_hashes(further.hash, first), word.hash),
                b"3",
            )));
        }
        // The same with classes, which reach further.
        let class = class_hash(word);
        let mut row = class;
        for back in 1..=3 {
            let Some(at) = at.checked_sub(back) else { break };
            let begun = window[at + 1].marks_before & mark::SENTENCE_START != 0;
            row = combine_hashes(if begun { start } else { self::class_hash(&window[at]) }, row);
            found(place(extend_hash(row, b"c")));
            if begun {
                break;
            }
        }
    }
    // Pairs of telling words within a distance, whatever stands between.
    for (at, word) in window.iter().enumerate().filter(|(_, word)| word.classes != 0) {
        for other in window[at + 1..].iter().take(5).skip(1).filter(|word| word.classes != 0) {
            found(place(extend_hash(combine_hashes(word.hash, other.hash), b"s")));
            found(place(extend_hash(combine_hashes(class_hash(word), class_hash(other)), b"t")));
        }
    }
}

fn combine_hashes(first: u64, second: u64) -> u64 {
    extend_hash(first, &second.to_le_bytes())
}

/// Stands for the classes of a word, or for what it is.
fn class_hash(word: &WordToken) -> u64 {
    let classes: Classes = word.classes;
    match word.kind {
        WordKind::Url | WordKind::Email | WordKind::Number => word.hash,
        WordKind::Word if classes != 0 => extend_hash(hash(b"<c>"), &classes.to_le_bytes()),
        // Short words hold a sentence together; the others are its topic.
        WordKind::Word if word.length <= 4 && !word.is_capitalized => word.hash,
        WordKind::Word if word.is_all_caps => hash(b"<cc>"),
        WordKind::Word if word.is_capitalized => hash(b"<c1>"),
        WordKind::Word => hash(b"<w>"),
    }
}
