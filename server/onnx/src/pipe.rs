//! The two ends of the pipe to the daemon.

use std::{
    fs::File,
    io::{self, Read as _, Write as _},
    os::fd::OwnedFd,
    process,
    sync::mpsc::{Receiver, sync_channel},
    thread,
};

use browse_guard::second::{Ask, LONGEST_ASK, frame, length};

/// Where the answers go.
pub struct Answers {
    out: File,
}

impl Answers {
    /// Takes the standard output. What libraries print goes to the standard
    /// error from here on, and cannot pass for an answer.
    ///
    /// # Errors
    /// There is none.
    pub fn take() -> io::Result<Self> {
        let out: OwnedFd = nix::unistd::dup(io::stdout())?;
        nix::unistd::dup2_stdout(io::stderr())?;
        Ok(Self { out: File::from(out) })
    }

    /// Sends an answer. A daemon that is gone wants none.
    pub fn say(&mut self, answer: &impl serde::Serialize) {
        let body = serde_json::to_vec(answer).unwrap_or_default();
        if self.out.write_all(&frame(&body)).is_err() {
            process::exit(0);
        }
    }
}

/// The questions, one after the other. The end of the input ends the process
/// at once, whatever is at work: nobody waits for it any more.
pub fn questions() -> Receiver<Ask> {
    let (sender, receiver) = sync_channel(1);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(ask) = next(&mut input) {
            if sender.send(ask).is_err() {
                break;
            }
        }
        process::exit(0);
    });
    receiver
}

fn next(input: &mut impl io::Read) -> Option<Ask> {
    let mut head = [0; 4];
    input.read_exact(&mut head).ok()?;
    let length = length(head, LONGEST_ASK)?;
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
        let framed = frame(ask);
        assert_eq!(next(&mut &framed[..]).map(|ask| ask.text).as_deref(), Some("a"));
        assert!(next(&mut &framed[..framed.len() - 1]).is_none());
        assert!(next(&mut &frame(b"{}")[..]).is_none());
        assert!(next(&mut &[0xff; 64][..]).is_none());
        assert!(next(&mut &[][..]).is_none());
    }
}
