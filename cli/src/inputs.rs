//! Where values come from when argv does not hold them.

mod environment;
mod file;
mod files;
mod input;
mod readable_path;
mod screen;
mod steps;

use std::time::Duration;

pub use environment::environment;
pub use file::{file, piped};
pub use files::files;
pub use input::read_stdin;
pub use screen::screen;
pub use steps::{parse_steps as read_steps, steps};

/// Whether standard input can still be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// Nobody has read it; it has this long to end.
    Available(Duration),
    /// The steps came from it.
    Taken,
}
