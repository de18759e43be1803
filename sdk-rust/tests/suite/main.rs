//! The SDK as its users see it. One program: a daemon of the tests serves all.

// A request of a later version may have more fields.
#![allow(clippy::needless_update)]

mod client;
mod json;
mod place;
mod readme;
mod save;
mod support;
