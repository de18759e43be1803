//! Has what a caller is about to read judged, without making it wait for long.
//!
//! A short text is judged before it is answered, within the time that a scan
//! may take. What takes longer, as a long text does and the layers that the
//! user added, is told with the next answer of its session.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use super::Context;
use crate::{
    content::{Assessment, INLINE, Surface, Verdict},
    daemon::Daemon,
};

/// Bytes of a text that an answer waits for the verdict of.
const SHORT: usize = 4096;

/// Bytes below which a text says nothing.
const LEAST: usize = 48;

/// Longest that a stream waits for the verdict over what it said: its reader has
/// that already, and waits for nothing else.
const OF_STREAM: Duration = Duration::from_secs(1);

/// Has `text`, which the answer to `cx` holds, judged.
pub(super) async fn judge(cx: &Context, text: String) {
    let wait = if text.len() <= SHORT { INLINE } else { Duration::ZERO };
    judge_within(cx, text, wait).await;
}

/// The same for what a stream said. It ends with its call.
pub(super) async fn judge_stream(cx: &Context, text: String) {
    let left = cx.deadline().saturating_duration_since(Instant::now());
    judge_within(cx, text, OF_STREAM.min(left).max(INLINE)).await;
}

/// Judges `text` within `wait`. What takes longer is told later.
async fn judge_within(cx: &Context, text: String, wait: Duration) {
    if text.len() < LEAST || !text.contains(char::is_whitespace) {
        return;
    }
    let daemon = Arc::clone(cx.daemon());
    let mut told =
        Assessment { lacking: daemon.scanner().second().has_failed(), ..Assessment::default() };
    let surface = cx.surface();
    if !wait.is_zero() {
        let assessed = daemon.scanner().within(&text, surface, wait).await;
        let assessed = daemon.transcript().add_known(assessed, surface);
        told = Assessment { lacking: told.lacking || assessed.lacking, ..assessed };
    }
    cx.note_assessed(&told);
    if !wait.is_zero() && !told.pending && !daemon.transcript().wants(&told, &text) {
        return;
    }
    let session = cx.session_name();
    let source = cx.sources().words();
    tokio::spawn(async move {
        let assessed = settle(&daemon, text, surface, told.verdict()).await;
        for warning in news(&assessed, &told) {
            daemon
                .watch()
                .tell_late(&session, format!("what was read before, from {source}: {warning}"));
        }
    });
}

/// Waits for every layer, the language model last.
async fn settle(daemon: &Daemon, text: String, surface: Surface, told: Verdict) -> Assessment {
    let text_length = text.len();
    let assessed = daemon.scanner().finish(&text, surface).await;
    let assessed = daemon.transcript().check(assessed, &text, surface).await;
    let (pending, verdict) = (assessed.pending, assessed.verdict());
    tracing::debug!(text_length, pending, ?told, ?verdict, "a text was judged in the background");
    assessed
}

/// What the reader was not told yet.
fn news(assessed: &Assessment, told: &Assessment) -> Vec<String> {
    let is_worse = assessed.verdict() > told.verdict();
    let warning = assessed.warning().filter(|_| is_worse);
    let gap = assessed.gap().filter(|_| !told.lacking);
    warning.into_iter().chain(gap).collect()
}

#[cfg(test)]
mod tests {
    use browse_guard::{Scores, judge};

    use super::*;

    #[test]
    fn only_what_is_new_is_told() {
        let of = |content: f32, second: Option<f32>, lacking| {
            let scores = Scores { content: Some(content), second, ..Scores::default() };
            let judgement = judge(&scores, Surface::Page);
            Assessment { scores, judgement, lacking, ..Assessment::default() }
        };
        let warned = of(0.8, None, false);
        assert!(news(&warned, &warned).is_empty());
        assert_eq!(news(&warned, &Assessment::default()).len(), 1);
        let blocked = of(0.8, Some(0.9), false);
        assert!(news(&blocked, &warned)[0].starts_with("two classifiers"));
        assert!(news(&of(0.8, Some(0.1), false), &warned).is_empty());
        assert_eq!(news(&of(0.1, None, true), &of(0.1, None, false)).len(), 1);
        assert!(news(&of(0.1, None, true), &of(0.1, None, true)).is_empty());
    }
}
