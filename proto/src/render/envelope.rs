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
        let text = defuse(text);
        format!("--- untrusted {nonce} from {source} ---\n{text}\n--- end {nonce} ---")
    }
}

/// `text` with every line that imitates an envelope line quoted by `> `.
pub fn defuse(text: &str) -> String {
    let imitates = |line: &str| {
        let line = line.trim_start();
        line.starts_with("--- untrusted ") || line.starts_with("--- end ")
    };
    if !text.lines().any(imitates) {
        return text.to_owned();
    }
    let lines = text.split('\n').map(|line| match imitates(line) {
        true => format!("> {line}"),
        false => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}
