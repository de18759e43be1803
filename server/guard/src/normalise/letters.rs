//! Letters: compatibility forms, marks, look-alikes and tag characters.

use icu_normalizer::DecomposingNormalizerBorrowed;

/// `text` in plain letters.
pub fn fold_letters(text: &str) -> String {
    let visible = decode_tag_characters(text);
    // Decomposed, so that marks can be left out: `é` and `é` are both `e`.
    let normalizer = DecomposingNormalizerBorrowed::new_nfkd();
    let decomposed = normalizer.normalize(&visible);
    let letters = decomposed.chars().filter(|letter| !is_combining_mark(*letter)).map(fold_symbol);
    replace_homoglyphs(&letters.collect::<String>())
}

/// Reads tag characters as the ASCII that they shadow, and leaves out what has
/// no width.
fn decode_tag_characters(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut tagged = false;
    for letter in text.chars() {
        let tag = matches!(letter, '\u{e0020}'..='\u{e007e}');
        if tag != tagged && !out.is_empty() && !out.ends_with(char::is_whitespace) {
            out.push(' ');
        }
        tagged = tag;
        match letter {
            '\u{e0020}'..='\u{e007e}' => out.extend(char::from_u32(letter as u32 - 0xe0000)),
            '\n' | '\t' => out.push(letter),
            '\u{2028}' | '\u{2029}' | '\u{85}' => out.push('\n'),
            letter if crate::clean::is_invisible(letter) => {}
            '\u{fe00}'..='\u{fe0f}' => {}
            letter => out.push(letter),
        }
    }
    out
}

/// Marks that stand over, under or through Latin letters.
fn is_combining_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}')
}

/// Letters that stand for one of ours in any surroundings.
fn fold_symbol(letter: char) -> char {
    match letter {
        '\u{1f1e6}'..='\u{1f1ff}' => shift_letter(letter, '\u{1f1e6}', 'a'),
        '\u{1f150}'..='\u{1f169}' => shift_letter(letter, '\u{1f150}', 'a'),
        '\u{1f170}'..='\u{1f189}' => shift_letter(letter, '\u{1f170}', 'a'),
        '‘' | '’' | 'ʼ' | '`' | '´' => '\'',
        '“' | '”' | '„' => '"',
        '–' | '—' | '‐' | '‑' | '−' => '-',
        other => other,
    }
}

fn shift_letter(letter: char, from: char, to: char) -> char {
    char::from_u32(letter as u32 - from as u32 + to as u32).unwrap_or(letter)
}

/// Puts Latin letters for their look-alikes, in words that are Latin otherwise;
/// words of look-alikes alone only where the text is mostly Latin.
fn replace_homoglyphs(text: &str) -> String {
    let (mut latin, mut other) = (0usize, 0usize);
    for letter in text.chars().filter(|letter| letter.is_alphabetic()) {
        if letter.is_ascii() || homoglyph(letter).is_some() { latin += 1 } else { other += 1 }
    }
    let mostly_latin = latin > other * 4;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let is_latin = word.bytes().any(|byte| byte.is_ascii_alphabetic());
        let readable = |letter: char| letter.is_ascii() || homoglyph(letter).is_some();
        if !word.is_ascii() && (is_latin || mostly_latin) && word.chars().all(readable) {
            out.extend(word.chars().map(|letter| homoglyph(letter).unwrap_or(letter)));
        } else {
            out.push_str(word);
        }
        let next = after.find(char::is_alphanumeric).unwrap_or(after.len());
        out.push_str(&after[..next]);
        rest = &after[next..];
    }
    out
}

/// The Latin letter that `letter` looks like.
fn homoglyph(letter: char) -> Option<char> {
    const FROM: &str = "аеорсухіјѕһԁԛԝӏкмтнвгпԍϲАЕОРСУХІЈЅКМТНВӀԌԚԜ\
                        αονρτυικχγεηωςσΑΒΕΖΗΙΚΜΝΟΡΤΥΧ\
                        ոսօհɡıɑɩʀɪʏɴʙɢʜʟᴀᴄᴅᴇꜰᴊᴋᴍᴏᴘꜱᴛᴜᴠᴡᴢꓲꓳꓮꓰøłđ";
    const TO: &str = "aeopcyxijshdqwlkmthbrngcAEOPCYXIJSKMTHBIGQW\
                      aovptuikxyenwcoABEZHIKMNOPTYX\
                      nuohgiaiRIYNBGHLACDEFJKMOPSTUVWZIOAEold";
    let place = FROM.chars().position(|from| from == letter)?;
    let found = TO.chars().nth(place)?;
    // Small capitals stand for small letters.
    let small =
        matches!(letter, '\u{250}'..='\u{2af}' | '\u{1d00}'..='\u{1d7f}' | '\u{a730}'..='\u{a731}');
    Some(if small { found.to_ascii_lowercase() } else { found })
}

#[cfg(test)]
mod tests {
    use super::homoglyph;

    #[test]
    fn twins_are_paired() {
        for (from, to) in [('а', 'a'), ('ԝ', 'w'), ('Χ', 'X'), ('ᴢ', 'z'), ('đ', 'd'), ('ꓲ', 'I')]
        {
            assert_eq!(homoglyph(from), Some(to), "{from}");
        }
        assert_eq!(homoglyph('ж'), None);
    }
}
