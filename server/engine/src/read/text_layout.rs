//! Lays out the text that the script read: what a browser puts between boxes
//! becomes line ends, single blanks and ` | ` between cells.
//!
//! It is done here and not in the page because a large text takes the page's
//! own thread several times as long.

use memchr::memchr2;
use memchr::memmem::Finder;

/// Stands between the cells of a row in what the script answers.
const CELL_SEPARATOR: char = '\t';

/// Stands at the edge of a field or button: words on both sides are two.
const CONTROL_EDGE: char = '\u{1}';

/// `raw` in lines without needless blanks, at most one of them empty in a row.
/// In drawings and code (`art`) blanks and lines of dashes mean something and stay.
pub(super) fn layout_text(raw: &str, art: bool) -> String {
    let mut laid = LineBuffer { text: String::with_capacity(raw.len()), empty_lines: 0 };
    let runs = Finder::new("  ");
    let mut buffer = String::new();
    // Most texts have nothing in any line that needs a closer look.
    let simple = raw.is_ascii()
        && memchr2(CELL_SEPARATOR as u8, CONTROL_EDGE as u8, raw.as_bytes()).is_none();
    for line in raw.split('\n') {
        let line = if simple { line } else { strip_icons(line, &mut buffer) };
        let line = line.trim_matches(CELL_SEPARATOR).trim_end_matches(is_blank);
        if art {
            laid.push_line(line, |text, line| text.push_str(line));
        } else if !is_separator(line) {
            laid.push_line(line.trim_start_matches(' '), |text, line| {
                push_collapsed(text, line, &runs)
            });
        }
    }
    let whole = laid.text.trim_matches(is_trimmable);
    if !simple && whole.contains(CELL_SEPARATOR) {
        whole.replace(CELL_SEPARATOR, " | ")
    } else {
        whole.to_owned()
    }
}

struct LineBuffer {
    text: String,
    empty_lines: usize,
}

impl LineBuffer {
    fn push_line(&mut self, line: &str, push: impl Fn(&mut String, &str)) {
        if line.is_empty() {
            self.empty_lines += 1;
            return;
        }
        if !self.text.is_empty() {
            self.text.push_str(if self.empty_lines > 0 { "\n\n" } else { "\n" });
        }
        self.empty_lines = 0;
        push(&mut self.text, line);
    }
}

/// Without what nobody can read: icon fonts live in the private use areas. The
/// blanks around a cell's end go too, and words at an edge are parted.
fn strip_icons<'a>(line: &'a str, buffer: &'a mut String) -> &'a str {
    if !line.contains([CELL_SEPARATOR, CONTROL_EDGE])
        && (line.is_ascii() || !line.contains(is_private_use))
    {
        return line;
    }
    buffer.clear();
    let mut at_edge = false;
    for letter in line.chars().filter(|letter| !is_private_use(*letter)) {
        match letter {
            CONTROL_EDGE => {
                at_edge = true;
                continue;
            }
            CELL_SEPARATOR => buffer.truncate(buffer.trim_end_matches([' ', CELL_SEPARATOR]).len()),
            ' ' if buffer.ends_with(CELL_SEPARATOR) => continue,
            _ if at_edge && letter.is_alphanumeric() && buffer.ends_with(char::is_alphanumeric) => {
                buffer.push(' ');
            }
            _ => {}
        }
        at_edge = false;
        buffer.push(letter);
    }
    buffer
}

fn is_private_use(letter: char) -> bool {
    matches!(letter, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}')
}

/// Appends `line` with `runs` of blanks as one.
fn push_collapsed(text: &mut String, line: &str, runs: &Finder<'_>) {
    let mut rest = line;
    while let Some(at) = runs.find(rest.as_bytes()) {
        text.push_str(&rest[..=at]);
        rest = rest[at..].trim_start_matches(' ');
    }
    text.push_str(rest);
}

/// A line that only sets other things apart, or is what is left of a list item.
fn is_separator(line: &str) -> bool {
    // Most lines begin with a letter.
    if line.as_bytes().first().is_none_or(u8::is_ascii_alphanumeric) {
        return false;
    }
    let mut marks = 0;
    for letter in line.chars() {
        match letter {
            '-' | '–' | '—' | '•' | '·' | '|' => marks += 1,
            ' ' | CELL_SEPARATOR | '\u{a0}' => {}
            _ => return false,
        }
    }
    marks == 1 || marks == 2
}

fn is_blank(letter: char) -> bool {
    letter == ' ' || letter == '\u{a0}'
}

fn is_trimmable(letter: char) -> bool {
    letter.is_whitespace() || letter == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::layout_text;

    #[test]
    fn blanks_and_empty_lines_are_few() {
        assert_eq!(layout_text("\n\n  a  b \n\n\n\n c\u{a0}\nd", false), "a b\n\nc\nd");
        assert_eq!(layout_text("a\n \n \nb", false), "a\n\nb");
    }

    #[test]
    fn cells_stand_apart() {
        assert_eq!(layout_text("\t one \t\t two\t\n\tthree", false), "one | two\nthree");
        assert_eq!(layout_text("a\u{a0}\t\nb", false), "a\nb");
    }

    #[test]
    fn words_at_an_edge_are_two() {
        let text = "Mail\u{1}1\u{1}\u{1}Buy\u{1}\n\u{1}€\u{1}5\u{1}, \u{1}ok";
        assert_eq!(layout_text(text, false), "Mail 1 Buy\n€5, ok");
    }

    #[test]
    fn lines_that_only_set_apart_go() {
        assert_eq!(layout_text("a\n | \nb\n•\n- -\nc\n---\n-5", false), "a\nb\nc\n---\n-5");
    }

    #[test]
    fn drawings_stay() {
        assert_eq!(layout_text("+--+\n|  |\n -\n+--+ ", true), "+--+\n|  |\n -\n+--+");
    }

    #[test]
    fn icons_go_and_letters_stay() {
        assert_eq!(layout_text("\u{e001} Menü \u{f0101}\n\u{e002}\n世界", false), "Menü\n\n世界");
    }
}
