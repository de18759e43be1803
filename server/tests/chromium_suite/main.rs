//! The `chromium` room against a real browser on loopback pages.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod basics;
mod capture;
mod death;
mod figures;
mod files;
mod frames;
mod guard;
mod page_tools;
mod panel;
mod plain;
mod storage;
mod trouble;
mod windows;
