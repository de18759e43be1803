//! From a permitted call to its handler and back: context, deadline, content
//! guard, books.

mod steps;

mod saved_file;
mod stream;
#[cfg(test)]
mod stream_law_test;
#[cfg(test)]
mod test_calls;
mod unary;

mod activity_entry;
pub mod arrivals;
mod call_metadata;
mod call_spans;
mod context;
pub mod denial_audit;
pub mod egress;
mod fleet_session;
mod kept_session;
mod message;
#[cfg(test)]
mod pause_law_test;
mod person_notices;
mod recorder;
mod step_trace;
mod tab_acquisition;

mod classification;
mod stream_window;

mod deadline;
pub mod dialog;
pub(crate) mod downloads;
mod response_metadata;

pub use call_metadata::CallMetadata;
pub use call_spans::SpanRecorder;
pub use context::{CallContext, StepHandlers};
pub use kept_session::acts_in_session;
pub use message::{RequestMessage, ResponseMessage};
pub use saved_file::{collect_saved_file, run_save_as, saves_file};
pub use steps::{run_as, run_handler, run_step, step_command};
pub use stream::{GuardedStream, streaming};
pub use tab_acquisition::{HELD_SINCE_LONG, ensure_not_paused};
pub use unary::{Handler, MAX_MESSAGE_BYTES, unary};
