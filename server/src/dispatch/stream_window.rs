//! What a stream says, put together until it can be judged: its pieces are cut
//! anywhere, and are sent on at once.
//!
//! One stream has one window of text, and is judged window after window: a flood of
//! pieces starts no flood of scans, and the program behind it waits.

use std::sync::Arc;

use browse_proto::{PageDerived, PageValue};

use super::{CallContext, classification::classify_stream_text, egress};
use browse_content::{Findings, GuardReport};

/// Bytes that are judged at once.
const WINDOW_BYTES: usize = 64 << 10;

/// Bytes of the window before that the next one begins with: what is cut there is
/// seen whole.
const OVERLAP_BYTES: usize = 512;

/// Bytes of one stream that the classifiers read, as of any answer.
const MAX_CLASSIFIED_BYTES: usize = 1 << 20;

/// The text of a stream that was sent on and not yet looked at.
pub(super) struct StreamWindow {
    cx: Arc<CallContext>,
    /// What the messages hold as text, looked at for phrases already.
    text: String,
    /// What a program wrote to its standard error, not looked at at all.
    stderr_text: String,
    /// Bytes of `piece` that were looked at with the window before.
    overlap_bytes: usize,
    classified_bytes: usize,
}

impl StreamWindow {
    pub fn new(cx: Arc<CallContext>) -> Self {
        Self {
            cx,
            text: String::new(),
            stderr_text: String::new(),
            overlap_bytes: 0,
            classified_bytes: 0,
        }
    }

    /// Adds what one message holds.
    pub async fn add(&mut self, guarded: GuardReport) {
        if self.cx.command().runs_program() && !guarded.text.is_empty() {
            // The answer of a program is a text of its own.
            self.classify().await;
        }
        self.text.push_str(&guarded.text);
        self.stderr_text.push_str(&guarded.byte_text);
        if self.text.len() >= WINDOW_BYTES || self.stderr_text.len() >= WINDOW_BYTES {
            let from = self
                .stderr_text
                .floor_char_boundary(self.stderr_text.len().saturating_sub(OVERLAP_BYTES));
            let tail = self.stderr_text[from..].to_owned();
            self.classify().await;
            self.overlap_bytes = tail.len();
            self.stderr_text = tail;
        }
    }

    /// Looks at what is there.
    pub async fn classify(&mut self) {
        self.scan_stderr();
        self.overlap_bytes = 0;
        for text in [std::mem::take(&mut self.stderr_text), std::mem::take(&mut self.text)] {
            let is_off = self.cx.daemon().scanner().is_off();
            if is_off || text.is_empty() {
                continue;
            }
            if self.classified_bytes >= MAX_CLASSIFIED_BYTES {
                self.cx.add_notice(
                    "only the first MiB of what was streamed was judged by the classifiers",
                );
                continue;
            }
            self.classified_bytes += text.len();
            classify_stream_text(&self.cx, text).await;
        }
    }

    /// What needs no time, so that it is done for a caller that leaves, too.
    fn scan_stderr(&mut self) {
        if self.stderr_text.len() <= self.overlap_bytes {
            self.stderr_text.clear();
            return;
        }
        egress::record_response(&self.cx, &mut StderrText(&mut self.stderr_text));
        let mut findings = Findings::default();
        findings.scan(&self.stderr_text);
        self.cx.add_guard_report(&GuardReport {
            is_page_derived: true,
            findings,
            ..GuardReport::default()
        });
    }
}

impl Drop for StreamWindow {
    fn drop(&mut self) {
        self.scan_stderr();
    }
}

/// Bytes that are text, for the guard of what leaves.
struct StderrText<'a>(&'a mut String);

impl PageDerived for StderrText<'_> {
    fn visit_page(&mut self, visit: &mut dyn FnMut(PageValue<'_>)) {
        visit(PageValue::Text(self.0));
    }
}
