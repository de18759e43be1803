//! From a permitted call to its handler and back: context, deadline, content
//! guard, books.

mod services;

mod service_impls;
mod steps;

mod saved_file;
mod stream;
#[cfg(test)]
mod stream_law_test;
mod unary;

mod call_metadata;
mod context;
pub mod denial_audit;
mod tab_acquisition;

mod classification;
mod stream_window;

mod deadline;
pub mod dialog;
mod response_metadata;

pub use call_metadata::CallMetadata;
pub use context::{CallContext, browser_gone};
pub use saved_file::{run_save_as, saves_file};
pub use services::routes;
pub use steps::{run_as, run_step, step_command};
