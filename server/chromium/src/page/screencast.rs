//! A tab as a film: frames as they are drawn, and where the pointer is. All who watch a tab
//! share one screencast.
//! Protocol: <https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-startScreencast>.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::sync::watch;

use super::page::Page;
use crate::connection::call::CdpCall;
use crate::connection::params::NoParams;
use crate::connection::session::CdpSession;
use crate::error::Result;

/// Frames after which Chromium draws no more until one is acknowledged.
const MAX_FRAMES_IN_FLIGHT: usize = 2;

/// Time after an acknowledgement in which a page that still changes draws a frame.
const NEXT_FRAME_DELAY: Duration = Duration::from_millis(250);

/// One frame.
#[derive(Debug)]
pub struct ScreencastImage {
    /// A JPEG image, in base64.
    pub jpeg: String,
    /// Width of what it shows of the page, in CSS pixels.
    pub view_width: u32,
    /// Height of that.
    pub view_height: u32,
}

/// What somebody who watches wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScreencastFormat {
    /// Largest width, in pixels; that of the viewport when it is none.
    pub max_width: Option<u32>,
    /// Quality of the JPEG images, of 100.
    pub quality: u8,
}

/// `Page.screencastFrame`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScreencastFrame {
    data: String,
    metadata: ScreencastFrameMetadata,
    session_id: i64,
}

/// `Page.ScreencastFrameMetadata`: what a window shows has another size than a tab that nobody
/// sees was given.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ScreencastFrameMetadata {
    device_width: f64,
    device_height: f64,
}

/// `Page.screencastVisibilityChanged`.
#[derive(Debug, Deserialize)]
pub(crate) struct ScreencastVisibility {
    visible: bool,
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

/// The screencast of a tab, and who watches it.
#[derive(Default)]
pub(crate) struct ScreencastState {
    watchers: Vec<(u64, ScreencastFormat)>,
    last_watcher: u64,
    /// The format in which Chromium draws; none while nobody watches.
    applied: Option<ScreencastFormat>,
    frames: watch::Sender<Option<Arc<ScreencastImage>>>,
    frame_count: u64,
    /// Frames that nobody has taken yet.
    unacknowledged: Vec<i64>,
    /// Whether Chromium draws no frames, because another tab is in front.
    is_covered: bool,
}

/// A film under way; ends when it is dropped.
pub struct Screencast {
    page: Arc<Page>,
    id: u64,
    frames: watch::Receiver<Option<Arc<ScreencastImage>>>,
    /// The pointer; none until it first moves.
    pub pointer: watch::Receiver<Option<Pointer>>,
}

impl Page {
    /// Begins to watch the tab. Everybody gets the same frames, in the largest format that
    /// somebody wants.
    ///
    /// # Errors
    /// The page does not answer.
    pub async fn screencast(self: &Arc<Self>, format: ScreencastFormat) -> Result<Screencast> {
        self.ensure_answering()?;
        let (id, mut frames) = {
            let mut state = self.screencast.lock();
            state.last_watcher += 1;
            let id = state.last_watcher;
            state.watchers.push((id, format));
            (id, state.frames.subscribe())
        };
        // The latest frame is news to this watcher.
        frames.mark_changed();
        let page = Arc::clone(self);
        let screencast = Screencast { page, id, frames, pointer: self.pointer.subscribe() };
        // It is not for watchers.
        self.clear_highlight().await;
        if let Some(started) = self.update_screencast() {
            started.await?;
        }
        Ok(screencast)
    }

    /// Whether somebody watches the tab.
    pub(crate) fn is_watched(&self) -> bool {
        !self.screencast.lock().watchers.is_empty()
    }

    /// Starts, changes or stops the screencast, as its watchers want it.
    fn update_screencast(&self) -> Option<CdpCall<IgnoredAny>> {
        let mut state = self.screencast.lock();
        let wanted = state.watchers.iter().map(|(_, format)| *format).reduce(|a, b| {
            let max_width = a.max_width.zip(b.max_width).map(|(a, b)| a.max(b));
            ScreencastFormat { max_width, quality: a.quality.max(b.quality) }
        });
        if wanted == state.applied {
            return None;
        }
        let was_active = state.applied.is_some();
        state.applied = wanted;
        state.unacknowledged.clear();
        if wanted.is_none() {
            state.frames.send_replace(None);
        }
        // Chromium changes no screencast that is active. Both are written while the lock is
        // held, so that they arrive in the order in which they were decided.
        if was_active {
            self.stop_screencast();
        }
        wanted.map(|format| self.start_screencast(format))
    }

    fn stop_screencast(&self) {
        self.session().call_method::<IgnoredAny>("Page.stopScreencast", &NoParams).ignore();
    }

    /// It begins with a frame of what is there.
    fn start_screencast(&self, format: ScreencastFormat) -> CdpCall<IgnoredAny> {
        let width = format.max_width.unwrap_or_else(|| {
            let viewport = self.viewport();
            (f64::from(viewport.width) * viewport.scale) as u32
        });
        let params = json!({
            "format": "jpeg",
            "quality": format.quality,
            "maxWidth": width,
            "maxHeight": width.saturating_mul(4),
        });
        self.session().call_method("Page.startScreencast", &params)
    }

    /// A frame was drawn. It is acknowledged when somebody takes it: Chromium draws no more
    /// than is watched.
    pub(crate) fn on_screencast_frame(&self, frame: ScreencastFrame) {
        let mut state = self.screencast.lock();
        state.unacknowledged.push(frame.session_id);
        state.frame_count += 1;
        let ScreencastFrameMetadata { device_width, device_height } = frame.metadata;
        state.frames.send_replace(Some(Arc::new(ScreencastImage {
            jpeg: frame.data,
            view_width: device_width as u32,
            view_height: device_height as u32,
        })));
    }

    /// `Page.screencastVisibilityChanged`.
    pub(crate) fn on_screencast_visibility(&self, visible: ScreencastVisibility) {
        self.screencast.lock().is_covered = !visible.visible;
    }

    fn acknowledge_frames(&self) {
        let (frames, count) = {
            let mut state = self.screencast.lock();
            (std::mem::take(&mut state.unacknowledged), state.frame_count)
        };
        for frame in &frames {
            let params = json!({ "sessionId": frame });
            let session: &CdpSession = self.session();
            session.call_method::<IgnoredAny>("Page.screencastFrameAck", &params).ignore();
        }
        if frames.len() >= MAX_FRAMES_IN_FLIGHT {
            tokio::spawn(draw_last_change(self.weak(), count));
        }
    }
}

/// Asks for a frame where none came after `count`: a change while too many were in flight is
/// not drawn by itself.
async fn draw_last_change(page: Weak<Page>, count: u64) {
    tokio::time::sleep(NEXT_FRAME_DELAY).await;
    let Some(page) = page.upgrade() else { return };
    let state = page.screencast.lock();
    if let Some(format) = state.applied.filter(|_| state.frame_count == count) {
        page.stop_screencast();
        page.start_screencast(format).ignore();
    }
}

impl Screencast {
    /// The newest frame, unless this watcher had it.
    pub fn take(&mut self) -> Option<Arc<ScreencastImage>> {
        let is_new = self.frames.has_changed().unwrap_or(false);
        let frame = is_new.then(|| self.frames.borrow_and_update().clone()).flatten()?;
        self.page.acknowledge_frames();
        Some(frame)
    }

    /// Waits until there is a frame to take.
    pub async fn changed(&mut self) {
        let mut frames = self.frames.clone();
        if frames.wait_for(Option::is_some).await.is_err() {
            std::future::pending::<()>().await;
        }
        if !self.frames.has_changed().unwrap_or(false) {
            let _ = frames.changed().await;
        }
    }

    /// Changes the largest width, in pixels, and the quality.
    pub fn set_format(&self, format: ScreencastFormat) {
        {
            let mut state = self.page.screencast.lock();
            let own = state.watchers.iter_mut().find(|(id, _)| *id == self.id);
            if let Some((_, wanted)) = own {
                *wanted = format;
            }
        }
        if let Some(changed) = self.page.update_screencast() {
            changed.ignore();
        }
    }

    /// Whether Chromium draws the tab: one behind another tab has no new frames.
    pub fn is_visible(&self) -> bool {
        !self.page.screencast.lock().is_covered
    }

    /// The tab.
    pub fn page(&self) -> &Arc<Page> {
        &self.page
    }

    /// Whether no more frames will come.
    pub fn is_over(&self) -> bool {
        self.page.is_closed()
    }
}

impl Drop for Screencast {
    fn drop(&mut self) {
        self.page.screencast.lock().watchers.retain(|(id, _)| *id != self.id);
        if let Some(changed) = self.page.update_screencast() {
            changed.ignore();
        }
    }
}
