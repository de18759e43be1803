//! What a browser context keeps: cookies, and the storage and databases of origins.

pub(crate) mod cookie;
pub(crate) mod cookie_jar;
pub(crate) mod databases;
pub(crate) mod origin;
