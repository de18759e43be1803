//! Tools that a page offers to agents.

mod call;
mod list;

pub use call::call_page_tool;
pub use list::list_page_tools;

use browse_proto::Reason;

use crate::dispatch::CallContext;
use browse_base::{Error, Result, quote};
use browse_chromium::{PageTool, PageTools};

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

/// Names the tools that there are.
fn not_found(name: &str, tools: &[PageTool], is_callable: impl Fn(&PageTool) -> bool) -> Error {
    let is_in_another_frame = tools.iter().any(|tool| tool.name == name && !is_callable(tool));
    let message = match is_in_another_frame {
        true => format!(
            "another frame offers `{}`: choose it with `browse frame`, or reload the page",
            quote(name)
        ),
        false => format!("the page offers no tool `{}`", quote(name)),
    };
    let error = Error::new(Reason::PageToolNotFound, message);
    tools
        .iter()
        .filter(|tool| is_callable(tool))
        .fold(error, |error, tool| error.with("tools", &tool.name))
}
