//! A text: from its pieces over windows to one score.

use std::time::Instant;

use browse_guard::{
    normalise,
    second::{Said, pieces},
};
use tokenizers::Encoding;

use crate::model::Model;

/// Scores `text` window by window, `first` before the rest, until the time is
/// over. The score is that of the worst window: an attack stands in one, and
/// an average would drown it.
pub fn look(model: &mut Model, text: &str, first: Option<(usize, usize)>, until: Instant) -> Said {
    // What the other layer named is a place in this, too.
    let plain = normalise(text);
    let mut said = Said::default();
    for piece in pieces(&plain, first) {
        if Instant::now() >= until {
            said.unread += piece.fresh;
            continue;
        }
        match piece_score(model, &plain[piece.range.clone()], until, &mut said.windows) {
            Ok(Looked { score, whole }) => {
                said.score = said.score.into_iter().chain(score).reduce(f32::max);
                if !whole {
                    said.unread += piece.fresh;
                }
            }
            Err(problem) => {
                said.problem = Some(problem);
                said.score = None;
                return said;
            }
        }
    }
    if said.score.is_none() && said.unread > 0 {
        said.problem = Some("there was no time for any of it".to_owned());
    }
    said
}

struct Looked {
    score: Option<f32>,
    /// Whether all windows were looked at.
    whole: bool,
}

fn piece_score(
    model: &mut Model,
    text: &str,
    until: Instant,
    windows: &mut u32,
) -> Result<Looked, String> {
    let all = model.windows(text)?;
    let mut score = None;
    for group in groups(&all, model.batch()) {
        if Instant::now() >= until {
            return Ok(Looked { score, whole: false });
        }
        let scores = model.scores(group)?;
        *windows += u32::try_from(scores.len()).unwrap_or(u32::MAX);
        score = score.into_iter().chain(scores).reduce(f32::max);
    }
    Ok(Looked { score, whole: true })
}

/// Windows of one length, so that none needs to be filled up: what fills one
/// changes the scores of quantised models.
fn groups(windows: &[Encoding], most: usize) -> impl Iterator<Item = &[Encoding]> {
    windows.chunk_by(|one, other| one.len() == other.len()).flat_map(move |same| same.chunks(most))
}
