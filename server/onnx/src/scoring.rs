//! A text: from its pieces over windows to one score.

use std::time::Instant;

use browse_guard::{
    normalise,
    onnx_classifier::{ScoreResponse, split_text},
};
use tokenizers::Encoding;

use crate::model::OnnxModel;

/// Scores `text` window by window, `first` before the rest, until the time is
/// over. The score is that of the worst window: an attack stands in one, and
/// an average would drown it.
pub fn score_text(
    model: &mut OnnxModel,
    text: &str,
    first: Option<(usize, usize)>,
    until: Instant,
) -> ScoreResponse {
    // What the other layer named is a place in this, too.
    let plain = normalise(text);
    let mut output = ScoreResponse::default();
    for piece in split_text(&plain, first) {
        if Instant::now() >= until {
            output.unread += piece.new_bytes;
            continue;
        }
        match score_piece(model, &plain[piece.range.clone()], until, &mut output.windows) {
            Ok(PieceScore { score, is_complete: whole }) => {
                output.score = output.score.into_iter().chain(score).reduce(f32::max);
                if !whole {
                    output.unread += piece.new_bytes;
                }
            }
            Err(problem) => {
                output.problem = Some(problem);
                output.score = None;
                return output;
            }
        }
    }
    if output.score.is_none() && output.unread > 0 {
        output.problem = Some("there was no time for any of it".to_owned());
    }
    output
}

struct PieceScore {
    score: Option<f32>,
    /// Whether all windows were looked at.
    is_complete: bool,
}

fn score_piece(
    model: &mut OnnxModel,
    text: &str,
    until: Instant,
    windows: &mut u32,
) -> Result<PieceScore, String> {
    let all = model.windows(text)?;
    let mut score = None;
    for group in batches(&all, model.batch_windows()) {
        if Instant::now() >= until {
            return Ok(PieceScore { score, is_complete: false });
        }
        let scores = model.scores(group)?;
        *windows += u32::try_from(scores.len()).unwrap_or(u32::MAX);
        score = score.into_iter().chain(scores).reduce(f32::max);
    }
    Ok(PieceScore { score, is_complete: true })
}

/// Windows of one length, so that none needs to be filled up: what fills one
/// changes the scores of quantised models.
fn batches(windows: &[Encoding], most: usize) -> impl Iterator<Item = &[Encoding]> {
    windows.chunk_by(|one, other| one.len() == other.len()).flat_map(move |same| same.chunks(most))
}
