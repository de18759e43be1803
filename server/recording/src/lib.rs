//! Video of a tab.
//!
//! Chromium films the tab; a hidden tab draws the pointer into each frame and
//! encodes it as lossy WebP, whose payload is a VP8 key frame. Those frames in
//! a WebM container are a film that browsers and players show: no program
//! besides the browser is needed, and every frame can be sought.

mod captions;
mod encoder;
mod frame_spool;
mod video;
mod webm;

pub use captions::Captions;
pub use video::{RecordedVideo, RecordingOptions, VideoRecording};
