//! What the owner approves.

use browse_proto::{Reason, v1};

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_outbound::PendingApproval;

/// Approves what waits under an id; lists what waits when there is none.
pub async fn approve(cx: &CallContext, request: v1::ApproveRequest) -> Result<v1::ApproveResponse> {
    let approvals = cx.daemon().approvals();
    let row = |pending: &PendingApproval, state: &str| v1::Approval {
        id: pending.id.clone(),
        client: pending.client.clone(),
        action: pending.action.description.clone(),
        waiting_s: pending.since.elapsed().as_secs(),
        state: state.to_owned(),
    };
    let rows = match request.id.as_deref() {
        None => approvals.pending().iter().map(|pending| row(pending, "waits")).collect(),
        Some(id) => {
            let approved = approvals.approve(id).ok_or_else(|| {
                let message = format!("nothing waits for approval as `{}`", id.escape_debug());
                Error::new(Reason::ApprovalNotFound, message)
            })?;
            vec![row(&approved, "approved")]
        }
    };
    Ok(v1::ApproveResponse { approvals: rows })
}
