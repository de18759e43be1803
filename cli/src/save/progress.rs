//! How far it is, on a terminal; nothing is shown where standard error is
//! none.

use std::{
    io::{IsTerminal as _, stderr},
    time::{Duration, Instant},
};

use crate::print;

/// Between two drawings.
const DRAW_INTERVAL: Duration = Duration::from_millis(100);

/// Letters of the bar.
const BAR_WIDTH: u64 = 24;

/// A line that is drawn over and over.
#[derive(Debug)]
pub struct ProgressLine {
    is_shown: bool,
    started_at: Instant,
    drawn_at: Option<Instant>,
    bytes: u64,
    total_bytes: Option<u64>,
    files: u64,
    total_files: Option<u64>,
}

impl ProgressLine {
    /// Begins now.
    pub fn start() -> Self {
        Self {
            is_shown: stderr().is_terminal(),
            started_at: Instant::now(),
            drawn_at: None,
            bytes: 0,
            total_bytes: None,
            files: 0,
            total_files: None,
        }
    }

    /// So many bytes are to come, when that is known.
    pub fn expect_bytes(&mut self, bytes: Option<u64>) {
        self.total_bytes = bytes;
    }

    /// So many files are to come.
    pub fn expect_files(&mut self, files: u64) {
        self.total_files = Some(files);
    }

    /// So many bytes came.
    pub fn add_bytes(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        self.draw();
    }

    /// A file came.
    pub fn add_file(&mut self) {
        self.files += 1;
        self.draw();
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.drawn_at.take().is_some() {
            print::stderr("\r\x1b[K");
        }
    }

    fn draw(&mut self) {
        let due = self.drawn_at.is_none_or(|drawn| drawn.elapsed() >= DRAW_INTERVAL);
        if self.is_shown && due {
            self.drawn_at = Some(Instant::now());
            print::stderr(&format!("\r\x1b[K{}", self.line(self.started_at.elapsed())));
        }
    }

    fn line(&self, since: Duration) -> String {
        let part = match (self.total_files, self.total_bytes) {
            (Some(all), _) => Some((self.files, all)),
            (None, Some(all)) => Some((self.bytes, all)),
            (None, None) => None,
        };
        let part = part.filter(|(_, all)| *all > 0);
        let bar = part.map_or_else(String::new, |(done, all)| {
            let done = done.min(all);
            let full = (done * BAR_WIDTH / all) as usize;
            let (full, rest) = ("#".repeat(full), "-".repeat(BAR_WIDTH as usize - full));
            format!("[{full}{rest}] {:3} %  ", done * 100 / all)
        });
        let count = match (self.total_files, self.total_bytes) {
            (Some(all), _) => {
                format!("{} of {all} files, {}", self.files, format_bytes(self.bytes))
            }
            (None, Some(all)) => format!("{} of {}", format_bytes(self.bytes), format_bytes(all)),
            (None, None) => format_bytes(self.bytes),
        };
        let speed = self.bytes as f64 / since.as_secs_f64().max(0.1);
        format!("{bar}{count}  {}/s", format_bytes(speed as u64))
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}

fn format_bytes(bytes: u64) -> String {
    let bytes = bytes as f64;
    match bytes {
        b if b < 1e3 => format!("{b} B"),
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.2} GB", b / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is() {
        let mut progress = ProgressLine { is_shown: false, ..ProgressLine::start() };
        progress.add_bytes(1_500_000);
        assert_eq!(progress.line(Duration::from_secs(1)), "1.5 MB  1.5 MB/s");
        progress.expect_bytes(Some(3_000_000));
        let line = progress.line(Duration::from_secs(1));
        assert_eq!(line, "[############------------]  50 %  1.5 MB of 3.0 MB  1.5 MB/s");
        progress.expect_files(4);
        progress.add_file();
        let line = progress.line(Duration::from_secs(1));
        assert_eq!(line, "[######------------------]  25 %  1 of 4 files, 1.5 MB  1.5 MB/s");
    }
}
