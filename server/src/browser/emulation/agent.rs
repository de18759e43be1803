//! The user agent.

use browse_proto::v1;

use super::invalid;
use crate::{dispatch::Context, error::Result};

/// Characters of a user agent.
const MOST: usize = 1_000;

/// Prints or sets the user agent.
pub async fn user_agent(
    cx: &Context,
    request: v1::UserAgentRequest,
) -> Result<v1::UserAgentResponse> {
    if let Some(agent) = &request.agent {
        check(agent)?;
    }
    if request.reset {
        cx.page().emulate(|state| state.agent = None).await?;
    } else if request.agent.is_some() {
        cx.page().emulate(|state| state.agent = request.agent).await?;
    }
    let agent = cx.page().emulation().agent.unwrap_or_else(|| cx.page().own_agent());
    Ok(v1::UserAgentResponse { agent })
}

fn check(agent: &str) -> Result<()> {
    if agent.trim().is_empty() {
        return Err(invalid("the user agent is empty; `--reset` goes back to the browser's own"));
    }
    if agent.len() > MOST || !agent.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return Err(invalid(format!(
            "a user agent is at most {MOST} printable ASCII characters, as headers are"
        )));
    }
    Ok(())
}
