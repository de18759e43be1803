//! From a permitted call to its handler and back: context, deadline, content
//! guard, books.

mod services;

mod glue;
mod steps;

mod run;
mod saving;
mod stream;
#[cfg(test)]
mod stream_law;

mod approach;
mod call;
mod context;
pub mod denials;

mod gathered;
mod judge;

mod limits;
pub mod question;
mod tell;

pub use call::Call;
pub use context::{Context, browser_gone};
pub use saving::{save_as, saves};
pub use services::routes;
pub use steps::{command, run_as, step};
