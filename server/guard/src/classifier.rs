//! The classifier that is built in: does a text hold an instruction to an
//! agent that its reader never gave?
//!
//! The text is normalised and cut into windows of [`WINDOW`] words. Each window
//! is described by the shape of its language ([`signals`]) and by n-grams.

mod grams;
mod lexicon;
mod signals;
mod words;

use std::ops::Range;

use crate::normalise::normalise;

/// Words of a window.
const WINDOW: usize = 48;
/// Words from one window to the next.
const STRIDE: usize = 24;

/// One window as the model sees it.
#[derive(Clone, Debug)]
pub struct Features {
    /// Bytes in the normalised text.
    pub range: Range<usize>,
    /// The shape.
    pub signals: Vec<f32>,
    /// Places of the n-grams, sorted, with their counts.
    pub grams: Vec<(u32, u16)>,
}

/// Names of the signals, in order.
pub fn signal_names() -> Vec<String> {
    (0..signals::COUNT).map(signals::name).collect()
}

/// The features of every window of `text`, and the text as it was normalised:
/// what the model is trained on.
pub fn features(text: &str) -> (String, Vec<Features>) {
    let text = normalise(text).into_owned();
    let found = words::words(&text).words;
    let document = signals::Document::new(&found);
    let windows = windows(found.len()).map(|range| {
        let window = &found[range];
        let mut shape = [0.0; signals::COUNT];
        signals::signals(window, &document, &mut shape);
        let mut places = Vec::new();
        grams::grams(window, |place| places.push(place));
        places.sort_unstable();
        let mut grams: Vec<(u32, u16)> = Vec::new();
        for place in places {
            match grams.last_mut() {
                Some(last) if last.0 == place => last.1 = last.1.saturating_add(1),
                _ => grams.push((place, 1)),
            }
        }
        let range = match (window.first(), window.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        };
        Features { range, signals: shape.to_vec(), grams }
    });
    let windows = windows.collect();
    (text, windows)
}

/// The windows over `count` words: each of [`WINDOW`], but for a text that is
/// shorter; the last ends with the text.
fn windows(count: usize) -> impl Iterator<Item = Range<usize>> {
    let most = count.saturating_sub(WINDOW).div_ceil(STRIDE) + usize::from(count > 0);
    (0..most).map(move |number| {
        let start = (number * STRIDE).min(count.saturating_sub(WINDOW));
        start..count.min(start + WINDOW)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_cover_every_word() {
        let of = |count| windows(count).collect::<Vec<_>>();
        assert!(of(0).is_empty());
        assert_eq!(of(1), [0..1]);
        assert_eq!(of(48), [0..48]);
        assert_eq!(of(49), [0..48, 1..49]);
        assert_eq!(of(96), [0..48, 24..72, 48..96]);
    }
}
