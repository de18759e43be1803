//! What the owner approves and denies.

use browse_base::{Error, HINT_KEY, Result};
use browse_outbound::{Approvals, OwnerDecision, PendingApproval};
use browse_policy::SessionRule;
use browse_proto::{Reason, v1};

use crate::dispatch::CallContext;

/// Decides on what waits under an id, or on a decision; lists what waits, or what was decided,
/// when there is none.
pub async fn approve(cx: &CallContext, request: v1::ApproveRequest) -> Result<v1::ApproveResponse> {
    check_decides(cx)?;
    let approvals = cx.daemon().approvals();
    let rows = match request.id.as_deref() {
        Some(_) if request.decisions => {
            let message = "`--decisions` lists all of them, without an id";
            return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "approve"));
        }
        Some(id) => vec![decide(approvals, id, &request)?],
        None if request.deny || request.always || request.revoke => {
            let message = "`--deny`, `--always` and `--revoke` need the id of what is meant";
            return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "approve"));
        }
        None if request.decisions => approvals
            .decisions()
            .iter()
            .map(|decision| row(&decision.approval, decision.verdict.name()))
            .collect(),
        None => approvals.pending().iter().map(|pending| row(pending, "waits")).collect(),
    };
    Ok(v1::ApproveResponse { approvals: rows })
}

/// Refuses callers of a fleet whose token is for one session: what waits does not show in which
/// session that is.
fn check_decides(cx: &CallContext) -> Result<()> {
    match cx.capability().session {
        SessionRule::Only(_) if cx.is_of_fleet() => {
            let message = "approvals are for tokens without a session of their own";
            Err(Error::new(Reason::SessionDenied, message)
                .with(HINT_KEY, "Sign in with a token for all sessions of the tenant"))
        }
        SessionRule::Only(_) | SessionRule::Any => Ok(()),
    }
}

fn decide(approvals: &Approvals, id: &str, request: &v1::ApproveRequest) -> Result<v1::Approval> {
    let verdict = match (request.deny, request.always) {
        (true, _) => OwnerDecision::Denied,
        (_, true) => OwnerDecision::ApprovedAlways,
        _ => OwnerDecision::Approved,
    };
    let decided = match request.revoke {
        true => approvals.revoke(id).map(|decision| row(&decision.approval, "revoked")),
        false => approvals.decide(id, verdict).map(|approval| row(&approval, verdict.name())),
    };
    decided.ok_or_else(|| {
        let what = if request.revoke { "no decision was made" } else { "nothing waits" };
        let message = format!("{what} for approval as `{}`", id.escape_debug());
        Error::new(Reason::ApprovalNotFound, message)
    })
}

fn row(approval: &PendingApproval, state: &str) -> v1::Approval {
    v1::Approval {
        id: approval.id.clone(),
        client: approval.client.clone(),
        action: approval.action.description.clone(),
        waiting_s: approval.since.elapsed().as_secs(),
        state: state.to_owned(),
    }
}
