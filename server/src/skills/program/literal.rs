//! String literals: any text, in a form that its language reads back as the
//! same text and nothing else.
//!
//! What is neither a letter, a digit, a blank nor ASCII is escaped: line ends
//! of all kinds, marks that turn the direction of writing, and what cannot be
//! seen, so that what a reviewer sees is what the program has.

use std::fmt::Write as _;

/// A string of TypeScript.
pub fn typescript(text: &str) -> String {
    write_literal(text, '\'', |out, letter| match letter {
        '\n' => out.push_str("\\n"),
        letter => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(letter));
        }
    })
}

/// A string of Python.
pub fn python(text: &str) -> String {
    write_literal(text, '"', |out, letter| match u32::from(letter) {
        0x0a => out.push_str("\\n"),
        code @ ..=0xffff => {
            let _ = write!(out, "\\u{code:04x}");
        }
        code => {
            let _ = write!(out, "\\U{code:08x}");
        }
    })
}

/// A string of Rust.
pub fn rust(text: &str) -> String {
    write_literal(text, '"', |out, letter| match letter {
        '\n' => out.push_str("\\n"),
        letter => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(letter));
        }
    })
}

fn write_literal(text: &str, quote: char, escape: impl Fn(&mut String, char)) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\\\"),
            _ if letter == quote => out.extend(['\\', quote]),
            ' ' => out.push(' '),
            _ if letter.is_ascii_graphic() => out.push(letter),
            _ if !letter.is_ascii() && is_printable(letter) => out.push(letter),
            _ => escape(&mut out, letter),
        }
    }
    out.push(quote);
    out
}

/// Letters and digits of all scripts, and the signs that prices and titles are
/// written with. Fillers count as letters, and show nothing.
fn is_printable(letter: char) -> bool {
    let filler = matches!(letter, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}');
    (letter.is_alphanumeric() && !filler) || "€£¥–—…‘’“”«»·×°→".contains(letter)
}
