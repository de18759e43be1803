//! The user agent.

use browse_proto::v1;

use super::invalid;
use crate::dispatch::CallContext;
use browse_base::Result;

/// Characters of a user agent.
const MAX_USER_AGENT_CHARS: usize = 1_000;

/// Prints or sets the user agent.
pub async fn user_agent(
    cx: &CallContext,
    request: v1::UserAgentRequest,
) -> Result<v1::UserAgentResponse> {
    if let Some(agent) = &request.agent {
        check_user_agent(agent)?;
    }
    if request.reset {
        cx.page().emulate(|state| state.user_agent = None).await?;
    } else if request.agent.is_some() {
        cx.page().emulate(|state| state.user_agent = request.agent).await?;
    }
    let agent = cx.page().emulation().user_agent.unwrap_or_else(|| cx.page().default_user_agent());
    Ok(v1::UserAgentResponse { agent })
}

fn check_user_agent(agent: &str) -> Result<()> {
    if agent.trim().is_empty() {
        return Err(invalid("the user agent is empty; `--reset` goes back to the browser's own"));
    }
    if agent.len() > MAX_USER_AGENT_CHARS || !agent.bytes().all(|byte| (0x20..0x7f).contains(&byte))
    {
        return Err(invalid(format!(
            "a user agent is at most {MAX_USER_AGENT_CHARS} printable ASCII characters, as headers are"
        )));
    }
    Ok(())
}
