//! How a long text is handed to a tokenizer: in pieces that overlap, so that
//! memory has a bound, with the one first that another layer suspects.

use std::ops::Range;

/// Bytes of a piece.
const PIECE_BYTES: usize = 32 << 10;

/// Bytes that a piece shares with the one before it: an attack that is cut in
/// two stands whole in one of them.
const OVERLAP_BYTES: usize = 2 << 10;

/// Letters that a cut goes back to find a blank.
const MAX_CUT_SEARCH_BYTES: usize = 256;

/// A part of a text, and how many bytes of it no piece before it had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlappingPiece {
    /// Bytes in the text.
    pub range: Range<usize>,
    /// Bytes that no other piece counts.
    pub new_bytes: usize,
}

/// Cuts `text`. The pieces that touch `first`, if any, come before the others.
pub fn split_text(text: &str, first: Option<(usize, usize)>) -> Vec<OverlappingPiece> {
    let mut pieces = Vec::new();
    let (mut start, mut covered) = (0, 0);
    while covered < text.len() {
        let end = cut_position(text, (start + PIECE_BYTES).min(text.len()), covered);
        pieces.push(OverlappingPiece { range: start..end, new_bytes: end - covered });
        covered = end;
        start = text.floor_char_boundary(end.saturating_sub(OVERLAP_BYTES)).max(start);
    }
    if let Some((from, to)) = first {
        // Stable: within the two groups the order stays.
        pieces.sort_by_key(|piece| !(piece.range.start < to && from < piece.range.end));
    }
    pieces
}

/// A place for a cut: after a blank near `at` and after `least`, else at a
/// letter.
fn cut_position(text: &str, at: usize, least: usize) -> usize {
    if at == text.len() {
        return at;
    }
    let at = text.floor_char_boundary(at);
    let from = text.floor_char_boundary(at.saturating_sub(MAX_CUT_SEARCH_BYTES)).max(least);
    let blank = text.get(from..at).and_then(|near| near.rfind(char::is_whitespace));
    let cut = blank.map_or(at, |blank| text.ceil_char_boundary(from + blank + 1));
    if cut > least { cut } else { text.ceil_char_boundary(at.max(least + 1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_whole(text: &str, first: Option<(usize, usize)>) -> Vec<OverlappingPiece> {
        let pieces = split_text(text, first);
        let mut sorted = pieces.clone();
        sorted.sort_by_key(|piece| piece.range.start);
        let mut covered = 0;
        for piece in &sorted {
            assert!(text.get(piece.range.clone()).is_some(), "{piece:?} cuts a letter");
            assert!(piece.range.start <= covered && piece.range.end > covered, "{piece:?}");
            assert!(piece.range.len() <= PIECE_BYTES + 8, "{piece:?}");
            assert_eq!(piece.new_bytes, piece.range.end - covered);
            covered = piece.range.end;
        }
        assert_eq!(covered, text.len());
        pieces
    }

    #[test]
    fn everything_is_in_a_piece() {
        for text in [
            String::new(),
            "a".to_owned(),
            "word ".repeat(20_000),
            "a".repeat(PIECE_BYTES * 3 + 7),
            "é".repeat(PIECE_BYTES * 2),
            " \u{1f600}".repeat(PIECE_BYTES),
            "x".repeat(PIECE_BYTES),
        ] {
            is_whole(&text, None);
        }
        assert!(is_whole("", None).is_empty());
        assert_eq!(is_whole("one two", None).len(), 1);
    }

    #[test]
    fn what_is_suspected_comes_first() {
        let text = "word ".repeat(40_000);
        let at = text.len() - 10;
        let pieces = is_whole(&text, Some((at, at + 5)));
        assert!(pieces[0].range.contains(&at));
        assert_eq!(pieces[1].range.start, 0);
        is_whole(&text, Some((usize::MAX - 1, usize::MAX)));
    }

    #[test]
    fn a_cut_is_between_words() {
        let text = "abcdefg ".repeat(10_000);
        for piece in is_whole(&text, None) {
            assert!(text[..piece.range.end].ends_with(' '), "{piece:?}");
        }
    }
}
