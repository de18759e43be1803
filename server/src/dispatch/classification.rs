//! Has what a caller is about to read judged, without making it wait for long.
//!
//! A short text is judged before it is answered, within the time that a scan
//! may take. What takes longer, as a long text does and the layers that the
//! user added, is reported with the next answer of its session.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use super::CallContext;
use crate::daemon::Daemon;
use browse_content::{Assessment, ContentSurface, INLINE_SCAN_TIMEOUT, Verdict};

/// Bytes of a text that an answer waits for the verdict of.
const MAX_INLINE_BYTES: usize = 4096;

/// Bytes below which a text says nothing.
const MIN_TEXT_BYTES: usize = 48;

/// Longest that a stream waits for the verdict over what it reported: its reader has
/// that already, and waits for nothing else.
const STREAM_VERDICT_TIMEOUT: Duration = Duration::from_secs(1);

/// Has `text`, which the answer to `cx` holds, judged.
pub(super) async fn classify_text(cx: &CallContext, text: String) {
    let wait = if text.len() <= MAX_INLINE_BYTES { INLINE_SCAN_TIMEOUT } else { Duration::ZERO };
    classify_within(cx, text, wait).await;
}

/// The same for what a stream reported. It ends with its call.
pub(super) async fn classify_stream_text(cx: &CallContext, text: String) {
    let left = cx.deadline().saturating_duration_since(Instant::now());
    classify_within(cx, text, STREAM_VERDICT_TIMEOUT.min(left).max(INLINE_SCAN_TIMEOUT)).await;
}

/// Judges `text` within `wait`. What takes longer is reported later.
async fn classify_within(cx: &CallContext, text: String, wait: Duration) {
    if text.len() < MIN_TEXT_BYTES || !text.contains(char::is_whitespace) {
        return;
    }
    let daemon = Arc::clone(cx.daemon());
    let mut reported = Assessment {
        is_degraded: daemon.scanner().onnx_classifier().has_failed(),
        ..Assessment::default()
    };
    let surface = cx.surface();
    if !wait.is_zero() {
        let assessed = daemon.scanner().scan_within(&text, surface, wait).await;
        let assessed = daemon.transcript().with_cached_score(assessed, surface);
        reported =
            Assessment { is_degraded: reported.is_degraded || assessed.is_degraded, ..assessed };
    }
    cx.add_assessment(&reported);
    if !wait.is_zero() && !reported.is_pending && !daemon.transcript().should_ask(&reported, &text)
    {
        return;
    }
    let session = cx.session_name();
    let source = cx.sources().display();
    tokio::spawn(async move {
        let assessed = finish_classification(&daemon, text, surface, reported.verdict()).await;
        for warning in new_warnings(&assessed, &reported) {
            daemon.watch().add_late_warning(
                &session,
                format!("what was read before, from {source}: {warning}"),
            );
        }
    });
}

/// Waits for every layer, the language model last.
async fn finish_classification(
    daemon: &Daemon,
    text: String,
    surface: ContentSurface,
    reported: Verdict,
) -> Assessment {
    let text_length = text.len();
    let assessed = daemon.scanner().finish(&text, surface).await;
    let assessed = daemon.transcript().check(assessed, &text, surface).await;
    let (pending, verdict) = (assessed.is_pending, assessed.verdict());
    tracing::debug!(
        text_length,
        pending,
        ?reported,
        ?verdict,
        "a text was judged in the background"
    );
    assessed
}

/// Findings that the reader did not get yet.
fn new_warnings(assessed: &Assessment, reported: &Assessment) -> Vec<String> {
    let is_worse = assessed.verdict() > reported.verdict();
    let warning = assessed.warning().filter(|_| is_worse);
    let gap = assessed.degraded_notice().filter(|_| !reported.is_degraded);
    warning.into_iter().chain(gap).collect()
}

#[cfg(test)]
mod tests {
    use browse_guard::{Scores, decide_verdict};

    use super::*;

    #[test]
    fn only_what_is_new_is_told() {
        let of = |content: f32, second: Option<f32>, lacking| {
            let scores = Scores { builtin: Some(content), onnx: second, ..Scores::default() };
            let judgement = decide_verdict(&scores, ContentSurface::Page);
            Assessment { scores, judgement, is_degraded: lacking, ..Assessment::default() }
        };
        let warned = of(0.8, None, false);
        assert!(new_warnings(&warned, &warned).is_empty());
        assert_eq!(new_warnings(&warned, &Assessment::default()).len(), 1);
        let blocked = of(0.8, Some(0.9), false);
        assert!(new_warnings(&blocked, &warned)[0].starts_with("two classifiers"));
        assert!(new_warnings(&of(0.8, Some(0.1), false), &warned).is_empty());
        assert_eq!(new_warnings(&of(0.1, None, true), &of(0.1, None, false)).len(), 1);
        assert!(new_warnings(&of(0.1, None, true), &of(0.1, None, true)).is_empty());
    }
}
