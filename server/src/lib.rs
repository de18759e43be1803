//! The browse daemon as a library, so that tests can drive each room by itself.

pub mod chromium;
pub mod guardian;
