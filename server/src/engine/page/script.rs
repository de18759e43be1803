//! The script that is injected into every document that is read.

use crate::chromium;

/// The engine's isolated world. `build.rs` joins the script from `js/`.
pub static SCRIPT: chromium::Engine = chromium::Engine {
    world: "browse",
    script: include_str!(concat!(env!("OUT_DIR"), "/engine.js")),
};
