//! The handlers of BrowserService: one file per group of commands, one free
//! function per RPC.

pub mod address;
pub mod batch;
pub mod capture;
mod faults;
mod files;
pub mod input;
pub mod inspection;
pub mod navigation;
pub mod reading;
mod serialize;
pub mod tabs;
mod wait;
pub mod window;
