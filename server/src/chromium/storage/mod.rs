//! What a browser context keeps: cookies, and the storage of origins.

pub(crate) mod blank;
pub(crate) mod cookie;
pub(crate) mod jar;
pub(crate) mod origin;
pub(crate) mod visited;
