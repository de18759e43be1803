//! Tools that a page offers to agents.

mod call;
mod list;

pub use call::call_page_tool;
pub use list::list_page_tools;

use browse_proto::Reason;

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::PageTools;

/// The tools of the page.
///
/// # Errors
/// `WEBMCP_OFF`, `WEBMCP_UNAVAILABLE`.
async fn page_tools(cx: &CallContext) -> Result<PageTools> {
    if !cx.daemon().settings().webmcp {
        return Err(Error::new(Reason::WebmcpOff, "the setting `webmcp` is off"));
    }
    cx.page().page_tools().await.map_err(|fault| match fault {
        browse_chromium::Error::Protocol { message, .. } if message.contains("wasn't found") => {
            Error::new(Reason::WebmcpUnavailable, "the browser has no WebMCP")
        }
        other => other.into(),
    })
}
