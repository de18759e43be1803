//! Cookies of the other browsers of this machine.

mod database;
mod places;
mod seal;

pub use database::{Database, Row};
pub use places::{BROWSERS, Known, Profile, profiles};
pub use seal::{Keys, Seal};
