//! Did you mean …?

/// Longest word that is compared, in bytes.
const MAX_WORD_BYTES: usize = 200;

/// The candidate nearest to `word`, when one is near enough to be a slip.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // No name is that long, and the comparison takes the product of the lengths.
    if word.len() > MAX_WORD_BYTES {
        return None;
    }
    let lower = word.to_lowercase();
    let scored = candidates.into_iter().map(|candidate| {
        let near = strsim::jaro_winkler(&lower, candidate);
        let edits = strsim::damerau_levenshtein(&lower, candidate);
        (near, edits, candidate)
    });
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let (near, edits, candidate) = best;
    (near >= 0.8 || edits <= 2 && edits < candidate.len().div_ceil(2)).then_some(candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_recognized_and_strangers_are_not() {
        let words = ["goto", "snapshot", "closetab", "is"];
        assert_eq!(nearest("gotoo", words), Some("goto"));
        assert_eq!(nearest("snpashot", words), Some("snapshot"));
        assert_eq!(nearest("Closetab", words), Some("closetab"));
        assert_eq!(nearest("banana", words), None);
    }
}
