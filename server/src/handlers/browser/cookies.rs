//! Cookies and storage. Values are credentials: none is answered whole, and
//! none is in an error.

mod admission;
mod browsers;
mod cookie_import;
mod delete;
mod export;
mod import;
mod import_browser;
mod list;
mod redaction;
mod set;
mod storage;
mod timestamps;

pub use admission::CookieHostRules;
pub use cookie_import::CookieImport;
pub use delete::delete_cookie;
pub use import::import_cookies;
pub use import_browser::import_browser_cookies;
pub use list::cookies;
pub use set::set_cookie;
pub use storage::{set_storage, storage};
