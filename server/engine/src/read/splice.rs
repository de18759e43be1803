//! Puts the text of frames where their elements stand.
//!
//! The script leaves a mark for each frame: its owner's number between two code
//! points that it removes from everything a page says.

use crate::page::engine::Engine;
use crate::page::fan_out::{FrameAnswer, FrameAnswers};
use browse_chromium::{FrameId, World};

const MARK_OPEN: char = '\u{fdd0}';
const MARK_CLOSE: char = '\u{fdd1}';

/// An answer that is text.
pub(crate) trait SplicedText: FrameAnswer {
    /// The text, with marks.
    fn marked_text(&self) -> &str;
}

impl Engine {
    /// The text of a gathered document and of all frames within.
    pub(crate) fn splice_frames<T: SplicedText>(&self, gathered: &FrameAnswers<T>) -> String {
        self.splice_frame(gathered, &gathered.root)
    }

    fn splice_frame<T: SplicedText>(&self, gathered: &FrameAnswers<T>, frame: &FrameId) -> String {
        let Some((world, answer)) = gathered.answers.get(frame) else { return String::new() };
        splice(answer.marked_text(), |number| {
            let frame = self.frame_by_owner(world, number)?;
            Some(self.splice_frame(gathered, &frame))
        })
    }

    /// The frame in the element with this owner's number.
    pub(crate) fn frame_by_owner(&self, world: &World, number: u32) -> Option<FrameId> {
        let document = Engine::document_of(world);
        self.state().frame_owners.lock().frame(&document, number).cloned()
    }
}

/// `text` with each mark replaced; the line of one that stands for nothing goes.
fn splice(text: &str, inside: impl Fn(u32) -> Option<String>) -> String {
    if !text.contains(MARK_OPEN) {
        return text.to_owned();
    }
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match parse_mark(line) {
            Some((before, number, after)) => {
                let inner = inside(number).unwrap_or_default();
                let whole = format!("{before}{}{after}", inner.trim());
                if !whole.trim().is_empty() {
                    lines.push(whole);
                }
            }
            None if line.is_empty() && lines.last().is_none_or(String::is_empty) => {}
            None => lines.push(line.to_owned()),
        }
    }
    lines.join("\n").trim_end().to_owned()
}

fn parse_mark(line: &str) -> Option<(&str, u32, &str)> {
    let (before, rest) = line.split_once(MARK_OPEN)?;
    let (number, after) = rest.split_once(MARK_CLOSE)?;
    Some((before, number.parse().ok()?, after))
}

#[cfg(test)]
mod tests {
    use super::splice;

    #[test]
    fn marks_give_way_to_texts() {
        let text = "a\n\u{fdd0}1\u{fdd1}\n\n\u{fdd0}2\u{fdd1}\n\nb";
        let inside = |number| (number == 1).then(|| "x\n\ny\n".to_owned());
        assert_eq!(splice(text, inside), "a\nx\n\ny\n\nb");
    }

    #[test]
    fn text_without_marks_stays() {
        assert_eq!(splice("a\n\n\nb", |_| None), "a\n\n\nb");
    }
}
