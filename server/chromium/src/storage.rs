//! What a browser context keeps: cookies, and the storage of origins.

pub(crate) mod cookie;
pub(crate) mod cookie_jar;
pub(crate) mod origin;
