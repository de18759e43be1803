//! What a stream says, put together until it can be judged: its pieces are cut
//! anywhere, and are sent on at once.
//!
//! One stream has one window of text, and is judged window after window: a flood of
//! pieces starts no flood of scans, and the program behind it waits.

use std::sync::Arc;

use browse_proto::{Page, PageDerived};

use super::{Context, judge::judge_stream};
use crate::{
    content::{Findings, Guarded},
    egress,
};

/// Bytes that are judged at once.
const WINDOW: usize = 64 << 10;

/// Bytes of the window before that the next one begins with: what is cut there is
/// seen whole.
const OVERLAP: usize = 512;

/// Bytes of one stream that the classifiers read, as of any answer.
const MAX_JUDGED: usize = 1 << 20;

/// The text of a stream that was sent on and not yet looked at.
pub(super) struct Gathered {
    cx: Arc<Context>,
    /// What the messages hold as text, looked at for phrases already.
    text: String,
    /// What a program wrote to its standard error, not looked at at all.
    piece: String,
    /// Bytes of `piece` that were looked at with the window before.
    overlap: usize,
    judged: usize,
}

impl Gathered {
    pub fn new(cx: Arc<Context>) -> Self {
        Self { cx, text: String::new(), piece: String::new(), overlap: 0, judged: 0 }
    }

    /// Adds what one message holds.
    pub async fn add(&mut self, guarded: Guarded) {
        if self.cx.command().runs_program() && !guarded.text.is_empty() {
            // The answer of a program is a text of its own.
            self.look().await;
        }
        self.text.push_str(&guarded.text);
        self.piece.push_str(&guarded.piece);
        if self.text.len() >= WINDOW || self.piece.len() >= WINDOW {
            let from = self.piece.floor_char_boundary(self.piece.len().saturating_sub(OVERLAP));
            let tail = self.piece[from..].to_owned();
            self.look().await;
            self.overlap = tail.len();
            self.piece = tail;
        }
    }

    /// Looks at what is there.
    pub async fn look(&mut self) {
        self.look_at_piece();
        self.overlap = 0;
        for text in [std::mem::take(&mut self.piece), std::mem::take(&mut self.text)] {
            let is_off = self.cx.daemon().scanner().is_off();
            if is_off || text.is_empty() {
                continue;
            }
            if self.judged >= MAX_JUDGED {
                self.cx
                    .say("only the first MiB of what was streamed was judged by the classifiers");
                continue;
            }
            self.judged += text.len();
            judge_stream(&self.cx, text).await;
        }
    }

    /// What needs no time, so that it is done for a caller that leaves, too.
    fn look_at_piece(&mut self) {
        if self.piece.len() <= self.overlap {
            self.piece.clear();
            return;
        }
        egress::remember(&self.cx, &mut Words(&mut self.piece));
        let mut findings = Findings::default();
        findings.look(&self.piece);
        self.cx.note_guarded(&Guarded { derived: true, findings, ..Guarded::default() });
    }
}

impl Drop for Gathered {
    fn drop(&mut self) {
        self.look_at_piece();
    }
}

/// Bytes that are text, for the guard of what leaves.
struct Words<'a>(&'a mut String);

impl PageDerived for Words<'_> {
    fn visit_page(&mut self, visit: &mut dyn FnMut(Page<'_>)) {
        visit(Page::Text(self.0));
    }
}
