//! Hashed n-grams of a window: of its words, and of their classes.

use super::{
    lexicon::{Classes, extend, hash},
    words::{Kind, Word, mark},
};

/// Bits of a place in the table of weights.
pub const BITS: u32 = 22;

/// Calls `found` with the place of every n-gram of `window`; an n-gram that
/// occurs twice is told twice.
pub fn grams(window: &[Word], mut found: impl FnMut(u32)) {
    let place = |hash: u64| ((hash ^ (hash >> 29) ^ (hash >> 47)) & ((1 << BITS) - 1)) as u32;
    let start = hash(b"<s>");
    for (at, word) in window.iter().enumerate() {
        let begins = word.before & mark::START != 0;
        let before = (!begins).then(|| at.checked_sub(1).map(|at| &window[at])).flatten();
        let further = match before {
            Some(word) if word.before & mark::START == 0 && at > 1 => Some(&window[at - 2]),
            _ => None,
        };
        found(place(extend(word.hash, b"1")));
        let first = before.map_or(start, |word| word.hash);
        found(place(extend(join(first, word.hash), b"2")));
        if let Some(further) = further {
            found(place(extend(join(join(further.hash, first), word.hash), b"3")));
        }
        // The same with classes, which reach further.
        let class = class(word);
        let mut row = class;
        for back in 1..=3 {
            let Some(at) = at.checked_sub(back) else { break };
            let begun = window[at + 1].before & mark::START != 0;
            row = join(if begun { start } else { self::class(&window[at]) }, row);
            found(place(extend(row, b"c")));
            if begun {
                break;
            }
        }
    }
    // Pairs of telling words within a distance, whatever stands between.
    for (at, word) in window.iter().enumerate().filter(|(_, word)| word.classes != 0) {
        for other in window[at + 1..].iter().take(5).skip(1).filter(|word| word.classes != 0) {
            found(place(extend(join(word.hash, other.hash), b"s")));
            found(place(extend(join(class(word), class(other)), b"t")));
        }
    }
}

fn join(first: u64, second: u64) -> u64 {
    extend(first, &second.to_le_bytes())
}

/// Stands for the classes of a word, or for what it is.
fn class(word: &Word) -> u64 {
    let classes: Classes = word.classes;
    match word.kind {
        Kind::Url | Kind::Email | Kind::Number => word.hash,
        Kind::Word if classes != 0 => extend(hash(b"<c>"), &classes.to_le_bytes()),
        // Short words hold a sentence together; the others are its topic.
        Kind::Word if word.length <= 4 && !word.capital => word.hash,
        Kind::Word if word.capitals => hash(b"<cc>"),
        Kind::Word if word.capital => hash(b"<c1>"),
        Kind::Word => hash(b"<w>"),
    }
}
