//! Frames on disk: a file without a name, which goes with whoever holds it.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
};

use super::webm::VideoFrame;

/// Bytes that a reel holds.
const MAX_SPOOL_BYTES: u64 = 512 << 20;

/// Frames, in the order in which they are shown.
pub struct FrameSpool {
    file: File,
    frames: Vec<VideoFrame>,
    bytes: u64,
}

impl FrameSpool {
    /// An empty reel.
    ///
    /// # Errors
    /// The temp directory cannot be written.
    pub fn new() -> io::Result<Self> {
        Ok(Self { file: tempfile::tempfile()?, frames: Vec::new(), bytes: 0 })
    }

    /// Adds a frame that is shown from `time` milliseconds on.
    ///
    /// # Errors
    /// The disk is full.
    pub fn add(&mut self, time: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        self.frames.push(VideoFrame { time, offset: self.bytes, length });
        self.bytes += u64::from(length);
        Ok(())
    }

    /// Shows the last frame once more, at the end of a film in which nothing
    /// moved any more.
    pub fn extend_last_frame(&mut self, time: u64) {
        if let Some(last) = self.frames.last().copied().filter(|last| last.time < time) {
            self.frames.push(VideoFrame { time, ..last });
        }
    }

    /// Whether no more fits.
    pub fn is_full(&self) -> bool {
        self.bytes >= MAX_SPOOL_BYTES
    }

    /// The frames.
    pub fn frames(&self) -> &[VideoFrame] {
        &self.frames
    }

    /// The bytes of a frame.
    ///
    /// # Errors
    /// The disk cannot be read.
    pub fn read(&mut self, frame: VideoFrame) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; frame.length as usize];
        self.file.seek(SeekFrom::Start(frame.offset))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}
