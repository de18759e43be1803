//! A recording: from its start to the film that it becomes.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use browse_proto::Reason;
use tokio::{
    task::JoinHandle,
    time::{Instant, MissedTickBehavior, interval},
};

use super::{
    captions::Captions,
    encoder::{FrameEncoder, Overlay},
    frame_spool::FrameSpool,
    webm::{self, WebmPiece},
};
use browse_base::{Error, Result};
use browse_chromium::{Browser, Page, Screencast, ScreencastFormat};

/// Frames as large as the page; they are encoded again.
const FRAME_FORMAT: ScreencastFormat = ScreencastFormat { max_width: None, quality: 85 };

/// Longest recording.
const MAX_RECORDING_DURATION: Duration = Duration::from_secs(30 * 60);

/// A tab that is being filmed; given up when it is dropped.
pub struct VideoRecording {
    size: (u32, u32),
    started_at: Instant,
    action_delay: Duration,
    shared: Arc<Mutex<RecordingState>>,
    task: JoinHandle<()>,
}

/// How to film.
pub struct RecordingOptions {
    /// Frames a second, at most 30.
    pub fps: u32,
    /// What is written below the page.
    pub captions: Option<Captions>,
    /// Time that is waited after each action of the session.
    pub action_delay: Duration,
}

/// Time that the ring of a press is shown.
const PRESS_RING_DURATION: Duration = Duration::from_millis(600);

struct RecordingState {
    /// Taken when the recording becomes a film.
    spool: Option<FrameSpool>,
    /// Why it ended by itself, and when.
    ended: Option<(&'static str, Duration)>,
}

/// A film that is ready.
pub struct RecordedVideo {
    spool: FrameSpool,
    size: (u32, u32),
    duration: Duration,
    /// What its owner should know.
    pub notice: String,
}

impl VideoRecording {
    /// Begins to film `page`.
    ///
    /// # Errors
    /// The page does not answer, or no frame can be made.
    pub async fn start(
        browser: &Arc<Browser>,
        page: &Arc<Page>,
        style: RecordingOptions,
    ) -> Result<Self> {
        let viewport = page.viewport();
        // VP8 takes even sides best.
        let side = |pixels: u32| ((f64::from(pixels) * viewport.scale) as u32).clamp(2, 4096) & !1;
        let size = (side(viewport.width), side(viewport.height));
        let helper = browser.hidden_page(page.context_id()).await?;
        let encoder = FrameEncoder::new(helper, size);
        let reel = FrameSpool::new().map_err(|error| disk_error(&error))?;
        let screencast = page.screencast(FRAME_FORMAT).await?;
        let shared = Arc::new(Mutex::new(RecordingState { spool: Some(reel), ended: None }));
        let begun = Instant::now();
        let filming = RecordingTask {
            page: Arc::clone(page),
            screencast,
            encoder,
            started_at: begun,
            captions: style.captions,
            caption: String::new(),
            seen_presses: 0,
            pressed_at: None,
            shared: Arc::clone(&shared),
        };
        let task = tokio::spawn(filming.run(style.fps.clamp(1, 30)));
        Ok(Self { size, started_at: begun, action_delay: style.action_delay, shared, task })
    }

    /// Time to wait after each action of the session.
    pub fn action_delay(&self) -> Duration {
        self.action_delay
    }

    /// Width and height of the film.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Frames that it has so far.
    pub fn frame_count(&self) -> usize {
        lock_state(&self.shared).spool.as_ref().map_or(0, |reel| reel.frames().len())
    }

    /// Ends it.
    ///
    /// # Errors
    /// There is no frame at all.
    pub fn stop(self) -> Result<RecordedVideo> {
        self.task.abort();
        let mut shared = lock_state(&self.shared);
        let (why, duration) = match shared.ended {
            Some((why, duration)) => (why, duration),
            None => ("", self.started_at.elapsed()),
        };
        let reel = shared.spool.take().filter(|reel| !reel.frames().is_empty());
        let mut reel = reel.ok_or_else(|| {
            Error::new(Reason::RecordingMissing, "the recording has no frame: nothing was drawn")
        })?;
        reel.extend_last_frame(milliseconds(duration));
        let seconds = duration.as_secs();
        let note = match why {
            "" => String::new(),
            why => format!("the recording ended after {seconds} s: {why}"),
        };
        Ok(RecordedVideo { spool: reel, size: self.size, duration, notice: note })
    }
}

impl Drop for VideoRecording {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl RecordedVideo {
    /// The file, piece by piece.
    pub fn pieces(&self) -> Vec<WebmPiece> {
        webm::pieces(self.spool.frames(), self.size, milliseconds(self.duration))
    }

    /// The bytes of a piece.
    ///
    /// # Errors
    /// The disk cannot be read.
    pub fn read(&mut self, piece: WebmPiece) -> Result<Vec<u8>> {
        match piece {
            WebmPiece::Bytes(bytes) => Ok(bytes),
            WebmPiece::Frame(frame) => self.spool.read(frame).map_err(|error| disk_error(&error)),
        }
    }
}

/// The work of the recording.
struct RecordingTask {
    page: Arc<Page>,
    screencast: Screencast,
    encoder: FrameEncoder,
    started_at: Instant,
    captions: Option<Captions>,
    caption: String,
    seen_presses: u32,
    /// When the last press came whose ring is not gone.
    pressed_at: Option<Instant>,
    shared: Arc<Mutex<RecordingState>>,
}

impl RecordingTask {
    async fn run(mut self, fps: u32) {
        let mut tick = interval(Duration::from_secs(1) / fps);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let why = loop {
            tick.tick().await;
            if let Err(why) = self.capture_frame().await {
                break why;
            }
        };
        let why = if self.page.is_browser_gone() { "the browser ended" } else { why };
        lock_state(&self.shared).ended = Some((why, self.started_at.elapsed()));
    }

    /// Adds a frame when something changed.
    async fn capture_frame(&mut self) -> Result<(), &'static str> {
        let moved = self.screencast.pointer.has_changed().unwrap_or(false);
        if self.screencast.is_over() {
            return Err("the tab was closed");
        }
        if self.started_at.elapsed() > MAX_RECORDING_DURATION {
            return Err("30 minutes are the most");
        }
        // Nothing is filmed while a person has the tab.
        if self.page.is_private() {
            return Ok(());
        }
        let frame = self.screencast.take();
        let drawn = frame.is_some();
        let caption = self.captions.as_mut().map(Captions::current_text).unwrap_or_default();
        let captioned = caption != self.caption;
        if !drawn && !moved && !captioned && self.pressed_at.is_none() {
            return Ok(());
        }
        self.caption = caption;
        let time = milliseconds(self.started_at.elapsed());
        let pointer = *self.screencast.pointer.borrow_and_update();
        if let Some(pointer) = pointer.filter(|pointer| pointer.presses != self.seen_presses) {
            self.seen_presses = pointer.presses;
            self.pressed_at = Some(Instant::now());
        }
        let age = self
            .pressed_at
            .map_or(1.0, |at| at.elapsed().div_duration_f64(PRESS_RING_DURATION))
            .min(1.0);
        if age >= 1.0 {
            self.pressed_at = None;
        }
        let overlay = Overlay { pointer, ring_progress: age, caption: self.caption.clone() };
        let jpeg = frame.as_ref().map(|frame| frame.jpeg.as_str());
        let encoded = self.encoder.encode(jpeg, self.page.viewport(), &overlay).await;
        let encoded = match encoded {
            Ok(encoded) => encoded,
            // The pointer moved before the first frame came.
            Err(_) if jpeg.is_none() => return Ok(()),
            Err(_) => return Err("the frames could not be encoded"),
        };
        let mut shared = lock_state(&self.shared);
        let Some(reel) = shared.spool.as_mut() else { return Err("it was stopped") };
        reel.add(time, &encoded).map_err(|_| "the disk is full")?;
        if reel.is_full() { Err("512 MiB are the most") } else { Ok(()) }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn lock_state(shared: &Mutex<RecordingState>) -> std::sync::MutexGuard<'_, RecordingState> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn disk_error(error: &io::Error) -> Error {
    Error::new(Reason::FileUnwritable, format!("the temp directory cannot be used: {error}"))
        .with("path", std::env::temp_dir().display())
}
