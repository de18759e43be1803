//! A tab as a film: frames as they are drawn, and where the pointer is.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::sync::watch;

use super::page::Page;
use crate::connection::call::CdpCall;
use crate::connection::params::NoParams;
use crate::connection::session::CdpSession;
use crate::error::Result;

/// Quality of the frames, of 100: they are encoded again.
const JPEG_QUALITY: u8 = 85;

/// One frame.
#[derive(Debug)]
pub struct ScreencastImage {
    /// A JPEG image, in base64.
    pub jpeg: String,
}

/// `Page.screencastFrame`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScreencastFrame {
    data: String,
    session_id: i64,
}

/// Where the pointer was last sent, in CSS pixels of the viewport.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pointer {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// Whether a button is down.
    pub pressed: bool,
    /// Presses so far.
    pub presses: u32,
}

/// A film under way; ends when it is dropped.
pub struct Screencast {
    page: Arc<Page>,
    /// The latest frame; an older one that nobody took is let go.
    pub frames: watch::Receiver<Option<Arc<ScreencastImage>>>,
    /// The pointer; none until it first moves.
    pub pointer: watch::Receiver<Option<Pointer>>,
}

impl Page {
    /// Begins to film. A second film of the same tab takes the frames of the
    /// first.
    pub async fn screencast(self: &Arc<Self>) -> Result<Screencast> {
        self.ensure_answering()?;
        let (sender, frames) = watch::channel(None);
        *self.screencast_frames.lock() = Some(sender);
        let screencast =
            Screencast { page: Arc::clone(self), frames, pointer: self.pointer.subscribe() };
        let viewport = self.viewport();
        let side = |pixels: u32| (f64::from(pixels) * viewport.scale) as u32;
        let params = json!({
            "format": "jpeg",
            "quality": JPEG_QUALITY,
            "maxWidth": side(viewport.width),
            "maxHeight": side(viewport.height),
        });
        let started: CdpCall<IgnoredAny> =
            self.session().call_method("Page.startScreencast", &params);
        started.await?;
        Ok(screencast)
    }

    /// A frame was drawn. The next one comes only when this one is answered.
    pub(crate) fn on_screencast_frame(&self, session: &CdpSession, frame: ScreencastFrame) {
        let params = json!({ "sessionId": frame.session_id });
        session.call_method::<IgnoredAny>("Page.screencastFrameAck", &params).ignore();
        if let Some(film) = self.screencast_frames.lock().as_ref() {
            film.send_replace(Some(Arc::new(ScreencastImage { jpeg: frame.data })));
        }
    }
}

impl Screencast {
    /// Whether no more frames will come.
    pub fn is_over(&self) -> bool {
        self.page.is_closed()
    }
}

impl Drop for Screencast {
    fn drop(&mut self) {
        *self.page.screencast_frames.lock() = None;
        self.page.session().call_method::<IgnoredAny>("Page.stopScreencast", &NoParams).ignore();
    }
}
