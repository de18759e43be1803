//! The scripts of the engine.

/// Runs before the scripts of every document, in the engine's world: the
/// listeners of the guard, which must be the first to hear of an event. It goes
/// into `BrowserOptions::first_script`; without it a page that listens on its
/// window may hear of a click that the guard stops.
pub static PRELOAD_SCRIPT: browse_chromium::InjectedScript = browse_chromium::InjectedScript {
    world_name: "browse",
    script: include_str!(concat!(env!("OUT_DIR"), "/first.js")),
};

/// The script that is injected into every document that is read. `build.rs` joins
/// it from `js/`.
pub static ENGINE_SCRIPT: browse_chromium::InjectedScript = browse_chromium::InjectedScript {
    world_name: "browse",
    script: include_str!(concat!(env!("OUT_DIR"), "/engine.js")),
};

/// An expression whose value is the body of a document in which nothing shows, but
/// for a closed shadow tree; false for any other. It needs nothing of [`SCRIPT`].
pub(super) static BLANK_CHECK_SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/blank.js"));

/// An expression whose value is the markup of the document as a string, which
/// needs nothing of [`SCRIPT`].
pub static MARKUP_SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/markup.js"));

/// An expression whose value is the document as tokens, as JSON; it needs nothing of
/// [`ENGINE_SCRIPT`].
pub(crate) static TOKENS_SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/tokens.js"));
