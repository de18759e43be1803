//! From a permitted call to its handler and back: context, deadline, content
//! guard, books.

mod call;
mod context;
mod glue;
mod run;
mod services;
mod steps;
mod stream;

pub use call::Call;
pub use context::Context;
pub use services::routes;
pub use steps::step;
