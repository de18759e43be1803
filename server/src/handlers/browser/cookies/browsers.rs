//! Cookies of the other browsers of this machine.

mod database;
mod encryption;
mod profiles;

pub use database::{CookieDatabase, CookieRow};
pub use encryption::{CookieDecryptor, CookieEncryption};
pub use profiles::{BROWSERS, BrowserCookieProfile, KnownBrowser, find_profiles};
