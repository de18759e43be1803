//! Finding a Chromium and bringing it up.

pub(crate) mod arguments;
pub(crate) mod find;
pub(crate) mod hint;
pub(crate) mod info;
pub(crate) mod options;
pub(crate) mod process;
pub(crate) mod profile;
pub(crate) mod spawn;
pub(crate) mod user_agent;
