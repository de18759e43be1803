//! Styling: how elements look, why, and changing it.

mod computed;

pub use computed::css;
