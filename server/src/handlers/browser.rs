//! The handlers of BrowserService: one file per group of commands, one free
//! function per RPC.

mod attached;
pub mod batch;
mod bounds;
pub mod capture;
pub mod cookies;
pub mod diagnostics;
pub mod emulation;
mod frame;
pub mod input;
pub mod inspection;
pub mod navigation;
pub mod network;
pub mod reading;
mod resume;
mod serialize;
pub mod state;
pub mod styling;
pub mod tabs;
pub mod talk;
mod wait;
pub mod watch;
pub mod webmcp;
pub mod window;
