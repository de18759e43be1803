//! The pipe to Chromium: messages, calls and sessions.

pub(crate) mod call;
pub(crate) mod cbor;
pub(crate) mod envelope;
pub(crate) mod params;
pub(crate) mod pipe;
pub(crate) mod reader;
pub(crate) mod session;
pub(crate) mod writer;
