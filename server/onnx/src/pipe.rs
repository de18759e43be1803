//! The two ends of the pipe to the daemon.

use std::{
    fs::File,
    io::{self, Read as _, Write as _},
    os::fd::OwnedFd,
    process,
    sync::mpsc::{Receiver, sync_channel},
    thread,
};

use browse_guard::onnx_classifier::{MAX_REQUEST_BYTES, ScoreRequest, encode_frame, frame_length};

/// Where the answers go.
pub struct ResponseWriter {
    out: File,
}

impl ResponseWriter {
    /// Takes the standard output. What libraries print goes to the standard
    /// error from here on, and cannot pass for an answer.
    ///
    /// # Errors
    /// There is none.
    pub fn take_stdout() -> io::Result<Self> {
        let out: OwnedFd = nix::unistd::dup(io::stdout())?;
        nix::unistd::dup2_stdout(io::stderr())?;
        Ok(Self { out: File::from(out) })
    }

    /// Sends an answer. A daemon that is gone wants none.
    pub fn write_response(&mut self, answer: &impl serde::Serialize) {
        let body = serde_json::to_vec(answer).unwrap_or_default();
        if self.out.write_all(&encode_frame(&body)).is_err() {
            process::exit(0);
        }
    }
}

/// The questions, one after the other. The end of the input ends the process
/// at once, whatever is at work: nobody waits for it any more.
pub fn requests() -> Receiver<ScoreRequest> {
    let (sender, receiver) = sync_channel(1);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(ask) = read_request(&mut input) {
            if sender.send(ask).is_err() {
                break;
            }
        }
        process::exit(0);
    });
    receiver
}

fn read_request(input: &mut impl io::Read) -> Option<ScoreRequest> {
    let mut head = [0; 4];
    input.read_exact(&mut head).ok()?;
    let length = frame_length(head, MAX_REQUEST_BYTES)?;
    let mut body = Vec::new();
    let read = input.take(length as u64).read_to_end(&mut body).ok()?;
    (read == length).then(|| serde_json::from_slice(&body).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_or_no_question_ends_it() {
        let ask = br#"{"text": "a", "first": [0, 1], "patience_ms": 5}"#;
        let framed = encode_frame(ask);
        assert_eq!(read_request(&mut &framed[..]).map(|ask| ask.text).as_deref(), Some("a"));
        assert!(read_request(&mut &framed[..framed.len() - 1]).is_none());
        assert!(read_request(&mut &encode_frame(b"{}")[..]).is_none());
        assert!(read_request(&mut &[0xff; 64][..]).is_none());
        assert!(read_request(&mut &[][..]).is_none());
    }
}
