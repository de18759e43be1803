//! A section of ours in a markdown file of others, between two lines that mark it.

use browse_proto::guide::mark;

const BEGIN: &str =
    "<!-- browse: begin, written by `browse guide install`, removed by `browse guide remove`: ";
const BEGIN_END: &str = " -->";
const END: &str = "<!-- browse: end -->";

/// Our section in a text.
struct FoundSection {
    start: usize,
    /// Behind the line end of its last line.
    end: usize,
    /// Whether its text is as we wrote it.
    is_ours: bool,
}

/// What became of a section.
#[derive(Debug, PartialEq, Eq)]
pub enum SectionEdit {
    /// The whole text.
    Text(String),
    /// Somebody edited the section.
    Edited,
    /// There is nothing to change.
    Unchanged,
}

/// Puts `body` into `text`: in the place of the section that is there, else at the end.
pub fn put(text: &str, body: &str, force: bool) -> Result<SectionEdit, String> {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let hash = mark::hash(body);
    let section = format!("{BEGIN}{hash}{BEGIN_END}\n{body}{END}\n").replace('\n', line_end);
    let whole = match find(text)? {
        Some(found) if !found.is_ours && !force => return Ok(SectionEdit::Edited),
        Some(found) => format!("{}{section}{}", &text[..found.start], &text[found.end..]),
        None if text.trim().is_empty() => section,
        None => {
            let joint = if text.ends_with('\n') { line_end.to_owned() } else { line_end.repeat(2) };
            format!("{text}{joint}{section}")
        }
    };
    Ok(if whole == text { SectionEdit::Unchanged } else { SectionEdit::Text(whole) })
}

/// Takes the section out of `text`, with the blank line before it.
pub fn take(text: &str, force: bool) -> Result<SectionEdit, String> {
    let Some(found) = find(text)? else { return Ok(SectionEdit::Unchanged) };
    if !found.is_ours && !force {
        return Ok(SectionEdit::Edited);
    }
    let before = &text[..found.start];
    let shorter = before.strip_suffix("\r\n").or(before.strip_suffix('\n')).unwrap_or(before);
    let kept = if shorter.is_empty() || shorter.ends_with('\n') { shorter } else { before };
    Ok(SectionEdit::Text(format!("{kept}{}", &text[found.end..])))
}

fn find(text: &str) -> Result<Option<FoundSection>, String> {
    let (mut at, mut begun, mut found) = (0, None, None);
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\r', '\n']);
        let hash = bare.strip_prefix(BEGIN).map(|rest| rest.strip_suffix(BEGIN_END).unwrap_or(""));
        let next = at + line.len();
        match (hash, begun) {
            (Some(_), Some(_)) => {
                return Err("a section of browse begins within another".to_owned());
            }
            (Some(_), None) if found.is_some() => {
                return Err("there are two sections of browse".to_owned());
            }
            (Some(hash), None) => begun = Some((at, next, hash)),
            (None, Some((start, body, hash))) if bare == END => {
                let is_ours = mark::hash(&text[body..at].replace("\r\n", "\n")) == hash;
                found = Some(FoundSection { start, end: next, is_ours });
                begun = None;
            }
            _ => {}
        }
        at = next;
    }
    match begun {
        Some(_) => Err(format!("its section of browse has no last line `{END}`")),
        None => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::{SectionEdit, put, take};

    fn text(edit: Result<SectionEdit, String>) -> String {
        match edit {
            Ok(SectionEdit::Text(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_section_comes_and_goes() {
        for before in ["", "# A\n", "# A\r\n\r\nB\r\n", "# A\n\nText\n\n", "ä\n"] {
            let with = text(put(before, "## Browser\n\nText.\n", false));
            assert!(with.starts_with(before), "{with}");
            assert_eq!(put(&with, "## Browser\n\nText.\n", false), Ok(SectionEdit::Unchanged));
            let newer = text(put(&with, "## Newer\n", false));
            assert!(newer.contains("Newer") && !newer.contains("Text.\n<!--"), "{newer}");
            assert_eq!(text(take(&with, false)), before);
            assert_eq!(text(take(&newer, false)), before);
        }
        assert_eq!(take("# A\n", false), Ok(SectionEdit::Unchanged));
    }

    #[test]
    fn what_was_edited_or_cut_off_is_not_touched() {
        let with = text(put("# A\n", "## Browser\n", false));
        let edited = with.replace("Browser", "My browser");
        assert_eq!(put(&edited, "## New\n", false), Ok(SectionEdit::Edited));
        assert_eq!(take(&edited, false), Ok(SectionEdit::Edited));
        assert_eq!(text(take(&edited, true)), "# A\n");
        let cut = with.replace("<!-- browse: end -->", "");
        assert!(put(&cut, "## New\n", true).is_err() && take(&cut, true).is_err());
        assert!(take(&format!("{with}{with}"), true).is_err());
    }
}
