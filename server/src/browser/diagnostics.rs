//! Diagnostics: the protocol of the browser itself.

mod cdp;
mod methods;

pub use cdp::cdp;
