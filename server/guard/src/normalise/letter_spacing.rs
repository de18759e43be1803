//! Letters that stand apart: `i g n o r e`, `i-g-n-o-r-e`.

/// Letters in a row from which on they are taken for a word.
const MIN_SPACED_LETTERS: usize = 5;
/// The same where such a word was found: its neighbours may be short.
const MIN_ADJACENT_LETTERS: usize = 2;

/// `text` with such rows joined; none when there are none.
pub fn join_spaced_letters(text: &str) -> Option<String> {
    join_rows(text, MIN_SPACED_LETTERS)?;
    join_rows(text, MIN_ADJACENT_LETTERS)
}

fn join_rows(text: &str, fewest: usize) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut kept, mut at) = (0, 0);
    while at < bytes.len() {
        let starts = bytes[at].is_ascii_alphabetic()
            && (at == 0 || !is_word_byte(bytes[at - 1]))
            && bytes.get(at + 1).is_some_and(|byte| is_gap(*byte));
        if !starts {
            at += 1;
            continue;
        }
        let gap = bytes[at + 1];
        let mut end = at + 1;
        let mut letters = 1;
        while bytes.get(end) == Some(&gap)
            && bytes.get(end + 1).is_some_and(u8::is_ascii_alphabetic)
            && !bytes.get(end + 2).is_some_and(|byte| is_word_byte(*byte))
        {
            letters += 1;
            end += 2;
        }
        if letters >= fewest && (letters < MIN_SPACED_LETTERS || !is_alphabet(&text[at..end])) {
            out.push_str(&text[kept..at]);
            out.extend(text[at..end].chars().filter(char::is_ascii_alphabetic));
            kept = end;
        }
        at = end;
    }
    (kept > 0).then(|| out + &text[kept..])
}

fn is_gap(byte: u8) -> bool {
    matches!(byte, b' ' | b'-' | b'.' | b'_' | b'*')
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// Whether it is an index of letters, `A B C D …`, and no word.
fn is_alphabet(row: &str) -> bool {
    let letters: Vec<u8> = row.bytes().filter(u8::is_ascii_alphabetic).collect();
    letters.windows(2).filter(|pair| pair[0] < pair[1]).count() + 1 >= letters.len()
}

#[cfg(test)]
mod tests {
    use super::join_spaced_letters;

    #[test]
    fn rows_are_joined_and_indexes_are_not() {
        assert_eq!(join_spaced_letters("x i g n o r e  a l").as_deref(), Some("xignore  al"));
        assert_eq!(join_spaced_letters("go: i.g.n.o.r.e").as_deref(), Some("go: ignore"));
        for same in ["A B C D E F G", "a - b - c", "I am a b c", "é a b c d", "u.s.a. is", ""] {
            assert_eq!(join_spaced_letters(same), None, "{same}");
        }
    }
}
