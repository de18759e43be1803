//! Styles: what they come to and why, changing them, and hiding clutter.

pub(crate) mod cascade;
pub(crate) mod change;
pub(crate) mod cleanup;
pub(crate) mod computed;
pub(crate) mod inspect;
