//! Cookies and storage. Values are credentials: none is answered whole, and
//! none is in an error.

mod admission;
mod browsers;
mod delete;
mod export;
mod import;
mod import_browser;
mod intake;
mod list;
mod peek;
mod set;
mod storage;
mod times;

pub use admission::Admission;
pub use delete::delete_cookie;
pub use import::import_cookies;
pub use import_browser::import_browser_cookies;
pub use intake::{Intake, words};
pub use list::cookies;
pub use set::set_cookie;
pub use storage::{set_storage, storage};
