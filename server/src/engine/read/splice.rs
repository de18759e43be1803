//! Puts the text of frames where their elements stand.
//!
//! The script leaves a mark for each frame: its owner's number between two code
//! points that it removes from everything a page says.

use crate::chromium::{FrameId, World};
use crate::engine::page::engine::Engine;
use crate::engine::page::gather::{Gathered, Survey};

const OPEN: char = '\u{fdd0}';
const CLOSE: char = '\u{fdd1}';

/// An answer that is text.
pub(crate) trait Written: Survey {
    /// The text, with marks.
    fn text(&self) -> &str;
}

impl Engine {
    /// The text of a gathered document and of all frames within.
    pub(crate) fn written<T: Written>(&self, gathered: &Gathered<T>) -> String {
        self.written_in(gathered, &gathered.root)
    }

    fn written_in<T: Written>(&self, gathered: &Gathered<T>, frame: &FrameId) -> String {
        let Some((world, answer)) = gathered.answers.get(frame) else { return String::new() };
        splice(answer.text(), |number| {
            let frame = self.frame_owned(world, number)?;
            Some(self.written_in(gathered, &frame))
        })
    }

    /// The frame in the element with this owner's number.
    pub(crate) fn frame_owned(&self, world: &World, number: u32) -> Option<FrameId> {
        let document = Engine::document_of(world);
        self.state().owners.lock().frame(&document, number).cloned()
    }
}

/// `text` with each mark replaced; the line of one that stands for nothing goes.
fn splice(text: &str, inside: impl Fn(u32) -> Option<String>) -> String {
    if !text.contains(OPEN) {
        return text.to_owned();
    }
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match number_in(line) {
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

fn number_in(line: &str) -> Option<(&str, u32, &str)> {
    let (before, rest) = line.split_once(OPEN)?;
    let (number, after) = rest.split_once(CLOSE)?;
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
