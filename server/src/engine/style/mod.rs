//! Styles: reading and changing them.

pub(crate) mod computed;
