//! What tests share: a small web site on loopback, and a browser to visit it.
#![allow(dead_code)]
#![allow(clippy::unwrap_used)]

pub mod browser;
pub mod processes;
pub mod sink;
pub mod site;
