//! Traces of steps: what a session did, command by command, with the page at each moment. They
//! lie on disk, in a ring with a size limit, and outlive the daemon.

mod export;
mod files;
mod har;
mod page_markup;
mod playwright;
mod scrubber;
mod step;
mod store;
mod typed_secrets;
mod writer;

pub use export::TraceFile;
pub use har::format_time;
pub use page_markup::{DocumentTokens, MarkupError};
pub use scrubber::Scrubber;
pub use step::{
    ConsoleLine, FrameState, PageResource, ResourceName, TraceHeader, TracedPage, TracedRequest,
    TracedStep,
};
pub use store::{TraceStore, TraceSummary};
pub use typed_secrets::TypedSecrets;
pub use writer::{LogPosition, TraceWriter};
