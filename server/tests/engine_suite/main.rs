//! The page engine against a real browser on loopback pages.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod fixture;
mod shared_browser;

mod actions;
mod arrived;
mod choosing;
mod clicks;
mod drafts;
mod drawn;
mod fields;
mod frames;
mod hidden;
mod honest;
mod locator;
mod looks;
mod names;
mod odd;
mod random;
mod reading;
mod receipts;
mod refs;
mod sheets;
mod snapshots;
mod steady;
mod targets;
mod ways;
