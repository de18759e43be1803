//! What the daemon and the program say to each other: frames of JSON over its
//! standard input and output, one answer for one question.

use serde::{Deserialize, Serialize};

/// Bytes of a question at most: a text of 1 MiB, each letter of it escaped.
pub const MAX_REQUEST_BYTES: usize = 8 << 20;

/// Bytes of an answer at most.
pub const MAX_RESPONSE_BYTES: usize = 64 << 10;

/// A text to look at.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScoreRequest {
    /// The text.
    pub text: String,
    /// First and last byte of what another layer suspects most.
    pub first: Option<(usize, usize)>,
    /// Time for it, in milliseconds. What is not looked at by then is left out.
    pub patience_ms: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreResponse {
    /// The score of the worst window, 0 to 1; none when it could not be had.
    pub score: Option<f32>,
    /// Windows that were looked at.
    pub windows: u32,
    /// Bytes that were not.
    pub unread: usize,
    /// Why there is no score.
    pub problem: Option<String>,
}

/// The first thing that the program says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartupMessage {
    /// The model is loaded.
    Ready(LoadedModel),
    /// It is not, and the program ends.
    Failed {
        /// The file that cannot be used.
        file: String,
        /// Why.
        why: String,
    },
}

/// A loaded model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedModel {
    /// Its kind, such as `deberta-v2`.
    pub kind: String,
    /// SHA-256 of the file of the model, in hex.
    pub sha256: String,
    /// Bytes of that file.
    pub bytes: u64,
    /// Tokens of a window.
    pub window: usize,
    /// Milliseconds that loading took.
    pub load_ms: u64,
    /// Version of the runtime.
    pub runtime: String,
    /// What holds the program; empty where nothing does.
    pub held: String,
}

/// `body` as it goes over the pipe: its length in four bytes, lowest first,
/// then itself.
pub fn encode_frame(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    [&length.to_le_bytes(), body].concat()
}

/// The length that a frame begins with; none when it is above `most`.
pub fn frame_length(head: [u8; 4], most: usize) -> Option<usize> {
    let length = usize::try_from(u32::from_le_bytes(head)).ok()?;
    (length <= most).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_says_how_long_it_is() {
        let framed = encode_frame(b"abc");
        let (head, body) = framed.split_first_chunk::<4>().expect("it has a head");
        assert_eq!((frame_length(*head, 3), body), (Some(3), &b"abc"[..]));
        assert_eq!(frame_length(*head, 2), None);
        assert_eq!(frame_length([0xff; 4], MAX_REQUEST_BYTES), None);
    }
}
