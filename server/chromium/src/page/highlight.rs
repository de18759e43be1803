//! A frame around a rectangle of the viewport, for a person who sees the tab.
//!
//! Chromium draws it over the page and out of its reach, but also into pictures. So it is taken
//! away before a picture is taken, and is not drawn while somebody watches or records the tab.
//! It has a session of its own, with which it goes.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::page::Page;
use crate::connection::call::CdpCall;
use crate::connection::params::NoParams;
use crate::connection::session::CdpSession;
use crate::error::Result;

/// A rectangle of the viewport of the main frame, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HighlightArea {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// What became of a highlight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HighlightOutcome {
    /// It is drawn.
    Drawn,
    /// The rectangle is outside of the viewport.
    OutOfSight,
    /// Somebody watches or records the tab, and would have it in the pictures.
    Watched,
}

/// The highlight of a tab.
#[derive(Default)]
pub(crate) struct HighlightState {
    session: Option<CdpSession>,
    /// Counts the highlights, so that one does not end the next.
    turn: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ViewportMetrics {
    css_layout_viewport: LayoutViewport,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LayoutViewport {
    client_width: f64,
    client_height: f64,
}

impl HighlightArea {
    fn is_within(&self, viewport: &LayoutViewport) -> bool {
        let LayoutViewport { client_width, client_height } = viewport;
        self.x < *client_width
            && self.y < *client_height
            && self.x + self.width > 0.0
            && self.y + self.height > 0.0
    }
}

impl Page {
    /// Draws a frame around `area` for as long as `duration`, in place of the one of before.
    ///
    /// # Errors
    /// The page does not answer.
    pub async fn highlight(
        self: &Arc<Self>,
        area: HighlightArea,
        duration: Duration,
    ) -> Result<HighlightOutcome> {
        self.ensure_answering()?;
        if self.is_watched() {
            self.clear_highlight().await;
            return Ok(HighlightOutcome::Watched);
        }
        let mut state = self.highlight.lock().await;
        let session = match &state.session {
            Some(session) => session.clone(),
            None => {
                let session = self.attach_raw().await?;
                for method in ["DOM.enable", "Overlay.enable"] {
                    session.call_method::<IgnoredAny>(method, &NoParams).ignore();
                }
                state.session = Some(session.clone());
                session
            }
        };
        state.turn += 1;
        let turn = state.turn;
        let metrics: CdpCall<ViewportMetrics> =
            session.call_method("Page.getLayoutMetrics", &NoParams);
        // Chromium takes whole pixels alone.
        let whole = |length: f64| length.round() as i32;
        let drawn: CdpCall<IgnoredAny> = session.call_method(
            "Overlay.highlightRect",
            &json!({
                "x": whole(area.x),
                "y": whole(area.y),
                "width": whole(area.width),
                "height": whole(area.height),
                "color": { "r": 179, "g": 0, "b": 143, "a": 0.12 },
                "outlineColor": { "r": 179, "g": 0, "b": 143, "a": 1 },
            }),
        );
        // Before anything is waited for: the caller may go away meanwhile.
        let page = Arc::downgrade(self);
        tokio::spawn(async move {
            tokio::time::sleep(duration).await;
            if let Some(page) = page.upgrade() {
                page.end_highlight(Some(turn)).await;
            }
        });
        let viewport = metrics.await?.css_layout_viewport;
        drawn.await?;
        Ok(match area.is_within(&viewport) {
            true => HighlightOutcome::Drawn,
            false => HighlightOutcome::OutOfSight,
        })
    }

    /// Takes the frame away.
    pub async fn clear_highlight(&self) {
        self.end_highlight(None).await;
    }

    /// The same, for one highlight alone.
    async fn end_highlight(&self, turn: Option<u64>) {
        let mut state = self.highlight.lock().await;
        if turn.is_some_and(|turn| turn != state.turn) {
            return;
        }
        let Some(session) = state.session.take() else { return };
        let params = json!({ "sessionId": session.id() });
        let detached: CdpCall<IgnoredAny> =
            self.shared.connection.call_method(None, "Target.detachFromTarget", &params);
        // The tab may have gone, and the frame with it.
        let _ = detached.await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beside_the_viewport_is_out_of_sight() {
        let viewport = LayoutViewport { client_width: 800.0, client_height: 600.0 };
        let area = |x, y| HighlightArea { x, y, width: 50.0, height: 20.0 };
        assert!(area(10.0, 10.0).is_within(&viewport) && area(-40.0, 590.0).is_within(&viewport));
        for outside in [area(-60.0, 0.0), area(800.0, 0.0), area(0.0, 600.0), area(0.0, -20.0)] {
            assert!(!outside.is_within(&viewport), "{outside:?}");
        }
    }
}
