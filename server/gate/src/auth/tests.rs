//! Tests of authentication as a whole, with keys that are made for each test.

pub mod issuer;
pub mod server;

mod callers;
mod jwts;
mod refresh;
