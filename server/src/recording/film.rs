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
    encoder::{Encoder, Overlay},
    reel::Reel,
    webm::{self, Piece},
};
use crate::{
    chromium::{Browser, Page, Screencast},
    error::{Error, Result},
};

/// Longest recording.
const LONGEST: Duration = Duration::from_secs(30 * 60);

/// A tab that is being filmed; given up when it is dropped.
pub struct Recording {
    size: (u32, u32),
    begun: Instant,
    pace: Duration,
    shared: Arc<Mutex<Shared>>,
    task: JoinHandle<()>,
}

/// How to film.
pub struct Style {
    /// Frames a second, at most 30.
    pub fps: u32,
    /// What is written below the page.
    pub captions: Option<Captions>,
    /// Time that is waited after each action of the session.
    pub pace: Duration,
}

/// Time that the ring of a press is shown.
const RING: Duration = Duration::from_millis(600);

struct Shared {
    /// Taken when the recording becomes a film.
    reel: Option<Reel>,
    /// Why it ended by itself, and when.
    ended: Option<(&'static str, Duration)>,
}

/// A film that is ready.
pub struct Film {
    reel: Reel,
    size: (u32, u32),
    duration: Duration,
    /// What its owner should know.
    pub note: String,
}

impl Recording {
    /// Begins to film `page`.
    ///
    /// # Errors
    /// The page does not answer, or no frame can be made.
    pub async fn start(browser: &Arc<Browser>, page: &Arc<Page>, style: Style) -> Result<Self> {
        let viewport = page.viewport();
        // VP8 takes even sides best.
        let side = |pixels: u32| ((f64::from(pixels) * viewport.scale) as u32).clamp(2, 4096) & !1;
        let size = (side(viewport.width), side(viewport.height));
        let helper = browser.hidden_page(page.context_id()).await?;
        let encoder = Encoder::new(helper, size);
        let reel = Reel::new().map_err(|error| disk(&error))?;
        let screencast = page.screencast().await?;
        let shared = Arc::new(Mutex::new(Shared { reel: Some(reel), ended: None }));
        let begun = Instant::now();
        let filming = Filming {
            page: Arc::clone(page),
            screencast,
            encoder,
            begun,
            captions: style.captions,
            caption: String::new(),
            presses: 0,
            pressed_at: None,
            shared: Arc::clone(&shared),
        };
        let task = tokio::spawn(filming.run(style.fps.clamp(1, 30)));
        Ok(Self { size, begun, pace: style.pace, shared, task })
    }

    /// Time to wait after each action of the session.
    pub fn pace(&self) -> Duration {
        self.pace
    }

    /// Width and height of the film.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Frames that it has so far.
    pub fn frames(&self) -> usize {
        lock(&self.shared).reel.as_ref().map_or(0, |reel| reel.frames().len())
    }

    /// Ends it.
    ///
    /// # Errors
    /// There is no frame at all.
    pub fn stop(self) -> Result<Film> {
        self.task.abort();
        let mut shared = lock(&self.shared);
        let (why, duration) = match shared.ended {
            Some((why, duration)) => (why, duration),
            None => ("", self.begun.elapsed()),
        };
        let reel = shared.reel.take().filter(|reel| !reel.frames().is_empty());
        let mut reel = reel.ok_or_else(|| {
            Error::new(Reason::RecordingMissing, "the recording has no frame: nothing was drawn")
        })?;
        reel.hold(milliseconds(duration));
        let seconds = duration.as_secs();
        let note = match why {
            "" => String::new(),
            why => format!("the recording ended after {seconds} s: {why}"),
        };
        Ok(Film { reel, size: self.size, duration, note })
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Film {
    /// The file, piece by piece.
    pub fn pieces(&self) -> Vec<Piece> {
        webm::pieces(self.reel.frames(), self.size, milliseconds(self.duration))
    }

    /// The bytes of a piece.
    ///
    /// # Errors
    /// The disk cannot be read.
    pub fn read(&mut self, piece: Piece) -> Result<Vec<u8>> {
        match piece {
            Piece::Bytes(bytes) => Ok(bytes),
            Piece::Frame(frame) => self.reel.read(frame).map_err(|error| disk(&error)),
        }
    }
}

/// The work of the recording.
struct Filming {
    page: Arc<Page>,
    screencast: Screencast,
    encoder: Encoder,
    begun: Instant,
    captions: Option<Captions>,
    caption: String,
    presses: u32,
    /// When the last press came whose ring is not gone.
    pressed_at: Option<Instant>,
    shared: Arc<Mutex<Shared>>,
}

impl Filming {
    async fn run(mut self, fps: u32) {
        let mut tick = interval(Duration::from_secs(1) / fps);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let why = loop {
            tick.tick().await;
            if let Err(why) = self.frame().await {
                break why;
            }
        };
        let why = if self.page.lost_browser() { "the browser ended" } else { why };
        lock(&self.shared).ended = Some((why, self.begun.elapsed()));
    }

    /// Adds a frame when something changed.
    async fn frame(&mut self) -> Result<(), &'static str> {
        let drawn = self.screencast.frames.has_changed().unwrap_or(false);
        let moved = self.screencast.pointer.has_changed().unwrap_or(false);
        if self.screencast.is_over() {
            return Err("the tab was closed");
        }
        if self.begun.elapsed() > LONGEST {
            return Err("30 minutes are the most");
        }
        let caption = self.captions.as_mut().map(Captions::now).unwrap_or_default();
        let captioned = caption != self.caption;
        if !drawn && !moved && !captioned && self.pressed_at.is_none() {
            return Ok(());
        }
        self.caption = caption;
        let time = milliseconds(self.begun.elapsed());
        let frame = drawn.then(|| self.screencast.frames.borrow_and_update().clone()).flatten();
        let pointer = *self.screencast.pointer.borrow_and_update();
        if let Some(pointer) = pointer.filter(|pointer| pointer.presses != self.presses) {
            self.presses = pointer.presses;
            self.pressed_at = Some(Instant::now());
        }
        let age = self.pressed_at.map_or(1.0, |at| at.elapsed().div_duration_f64(RING)).min(1.0);
        if age >= 1.0 {
            self.pressed_at = None;
        }
        let overlay = Overlay { pointer, age, caption: self.caption.clone() };
        let jpeg = frame.as_ref().map(|frame| frame.jpeg.as_str());
        let encoded = self.encoder.encode(jpeg, self.page.viewport(), &overlay).await;
        let encoded = match encoded {
            Ok(encoded) => encoded,
            // The pointer moved before the first frame came.
            Err(_) if jpeg.is_none() => return Ok(()),
            Err(_) => return Err("the frames could not be encoded"),
        };
        let mut shared = lock(&self.shared);
        let Some(reel) = shared.reel.as_mut() else { return Err("it was stopped") };
        reel.add(time, &encoded).map_err(|_| "the disk is full")?;
        if reel.is_full() { Err("512 MiB are the most") } else { Ok(()) }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn lock(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn disk(error: &io::Error) -> Error {
    Error::new(Reason::FileUnwritable, format!("the temp directory cannot be used: {error}"))
        .with("path", std::env::temp_dir().display())
}
