//! A source that is being blanked out.

use oxc_span::Span;

/// The bytes of a source, and what has been found wrong with it.
pub struct SourceBuffer {
    source: Vec<u8>,
    out: Vec<u8>,
}

impl SourceBuffer {
    pub fn new(source: &str) -> Self {
        Self { source: source.as_bytes().to_vec(), out: source.as_bytes().to_vec() }
    }

    pub fn finish(self) -> Vec<u8> {
        self.out
    }

    /// Overwrites with blanks; line breaks stay.
    pub fn blank(&mut self, start: u32, end: u32) {
        for byte in &mut self.out[start as usize..end as usize] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }

    pub fn blank_span(&mut self, span: Span) {
        self.blank(span.start, span.end);
    }

    /// Blanks a whole statement. The semicolon keeps the lines around it from
    /// being read as one statement.
    pub fn blank_statement(&mut self, span: Span) {
        self.blank_span(span);
        self.set_byte(span.start, b';');
    }

    pub fn set_byte(&mut self, at: u32, byte: u8) {
        self.out[at as usize] = byte;
    }

    /// The 1-based line of an offset.
    pub fn line(&self, at: u32) -> usize {
        1 + self.source[..at as usize].iter().filter(|byte| **byte == b'\n').count()
    }

    pub fn has_line_break(&self, start: u32, end: u32) -> bool {
        self.source[start as usize..end as usize].contains(&b'\n')
    }

    /// The offsets and bytes of a range that lie outside of comments and blanks.
    pub fn code(&self, start: u32, end: u32) -> impl Iterator<Item = (u32, u8)> {
        let (bytes, end) = (self.source.as_slice(), end as usize);
        let mut at = start as usize;
        std::iter::from_fn(move || {
            while at < end {
                let rest = &bytes[at..];
                let skipped =
                    comment_len(rest).unwrap_or(usize::from(rest[0].is_ascii_whitespace()));
                if skipped == 0 {
                    at += 1;
                    return Some((at as u32 - 1, rest[0]));
                }
                at += skipped;
            }
            None
        })
    }

    /// The first byte of a range that is code.
    pub fn first_code(&self, start: u32, end: u32) -> Option<(u32, u8)> {
        self.code(start, end).next()
    }

    /// Blanks the words of a range that are among `words`.
    pub fn blank_words(&mut self, start: u32, end: u32, words: &[&str]) {
        let mut word: Option<(u32, u32)> = None;
        let mut found = Vec::new();
        let letters = self.code(start, end).filter(|(_, byte)| byte.is_ascii_alphabetic());
        for (at, _) in letters {
            match &mut word {
                Some((_, last)) if *last + 1 == at => *last = at,
                _ => {
                    found.extend(word);
                    word = Some((at, at));
                }
            }
        }
        found.extend(word);
        for (first, last) in found {
            let text = &self.source[first as usize..=last as usize];
            if words.iter().any(|word| word.as_bytes() == text) {
                self.blank(first, last + 1);
            }
        }
    }

    /// Blanks a range and the comma behind it, if there is one before `end`.
    pub fn blank_item(&mut self, span: Span, end: u32) {
        self.blank_span(span);
        if let Some((at, b',')) = self.first_code(span.end, end) {
            self.blank(at, at + 1);
        }
    }

    /// The end of the source.
    pub fn end(&self) -> u32 {
        self.source.len() as u32
    }
}

/// The length of the comment that `bytes` begin with.
fn comment_len(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(b"//") {
        return Some(bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len()));
    }
    let body = bytes.strip_prefix(b"/*")?;
    let length = body.windows(2).position(|pair| pair == b"*/");
    Some(length.map_or(bytes.len(), |length| length + 4))
}
