//! Has what a caller is about to read judged, without making it wait for long.
//!
//! A short text is judged before it is answered, within the time that a scan
//! may take. A long one is answered at once; what comes of it is told with the
//! next answer of its session.

use std::{sync::Arc, time::Duration};

use super::Context;
use crate::content::{Assessment, Surface, scan};

/// Bytes of a text that an answer waits for the verdict of.
const SHORT: usize = 4096;

/// Bytes below which a text says nothing.
const LEAST: usize = 48;

/// How often, and how many times, a scan in the background is asked for.
const PAUSE: Duration = Duration::from_millis(100);
const PAUSES: usize = 100;

/// Has `text`, which the answer to `cx` holds, judged.
pub(super) async fn judge(cx: &Context, text: String) {
    if text.len() < LEAST || !text.contains(char::is_whitespace) {
        return;
    }
    let daemon = Arc::clone(cx.daemon());
    let session = cx.tab_if_any().map_or_else(String::new, |tab| tab.session().to_owned());
    if text.len() <= SHORT {
        let assessed = scan(daemon.scanner(), &text, Surface::Page).await;
        if !assessed.pending {
            return cx.note_assessed(&assessed);
        }
    }
    let source = cx.sources().words();
    tokio::spawn(async move {
        let mut assessed = scan(daemon.scanner(), &text, Surface::Page).await;
        let text_length = text.len();
        drop(text);
        for _ in 0..PAUSES {
            if !assessed.pending {
                break;
            }
            tokio::time::sleep(PAUSE).await;
            let settled = daemon.scanner().settled(assessed.digest, Surface::Page);
            assessed = settled.unwrap_or(assessed);
        }
        tracing::debug!(text_length, pending = assessed.pending, "a long text was judged");
        if let Some(warning) = late(&assessed, &source) {
            daemon.watch().tell_late(&session, warning);
        }
    });
}

/// What the next answer says of a text that was answered before it was judged.
fn late(assessed: &Assessment, source: &str) -> Option<String> {
    assessed.warning().map(|warning| format!("what was read before, from {source}: {warning}"))
}
