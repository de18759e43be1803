//! Cookies and storage. Values are credentials: none is answered whole, and
//! none is in an error.

mod admission;
mod delete;
mod export;
mod import;
mod intake;
mod list;
mod peek;
mod set;
mod storage;
mod times;

pub use admission::Admission;
pub use delete::delete_cookie;
pub use import::import_cookies;
pub use intake::{Counts, Intake};
pub use list::cookies;
pub use set::set_cookie;
pub use storage::{set_storage, storage};
