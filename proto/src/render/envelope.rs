//! The envelope around untrusted content (SECURITY.md, layer L3).

/// The nonce and the source of an envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untrusted {
    /// Random per call, so that a page cannot write the end line.
    pub nonce: String,
    /// Host that the content came from.
    pub source: String,
}

impl Untrusted {
    /// Reads the metadata entry `browse-untrusted`.
    pub fn parse(entry: &str) -> Option<Self> {
        let (nonce, source) = entry.split_once(' ')?;
        Some(Self { nonce: nonce.to_owned(), source: source.to_owned() })
    }

    /// The value of the metadata entry `browse-untrusted`.
    pub fn entry(&self) -> String {
        format!("{} {}", self.nonce, self.source)
    }

    /// `text` between a begin and an end line; lines of the content that look
    /// like either are defused.
    pub fn wrap(&self, text: &str) -> String {
        let Self { nonce, source } = self;
        let text = defuse(text.strip_suffix('\n').unwrap_or(text));
        format!("--- untrusted {nonce} from {source} ---\n{text}\n--- end {nonce} ---")
    }
}

/// `text` with every line that imitates an envelope line quoted by `> `. What
/// a model may take for a line break or a dash counts as one.
pub fn defuse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive(is_break) {
        if imitates(line) {
            out.push_str("> ");
        }
        out.push_str(line);
    }
    out
}

fn imitates(line: &str) -> bool {
    let line = line.trim_start();
    let words = line.trim_start_matches(|c: char| is_dash(c) || c == ' ');
    if words.len() == line.len() || line.chars().take(2).any(|c| !is_dash(c)) {
        return false;
    }
    let word: String = words.chars().take_while(|c| c.is_alphanumeric()).collect();
    word.eq_ignore_ascii_case("untrusted") || word.eq_ignore_ascii_case("end")
}

fn is_break(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Hyphens and dashes of every length.
fn is_dash(letter: char) -> bool {
    matches!(
        letter,
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}
