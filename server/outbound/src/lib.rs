//! What the daemon itself asks the network for: HTTP without cookies, to
//! addresses that were checked, with the owner's approval.

mod approvals;
mod download;
mod http_request;
mod redirects;
mod ssrf_check;
mod tls;

pub use approvals::{
    ApprovalAction, ApprovalDecision, Approvals, NotAllowed, OwnerDecision, PendingApproval,
};
pub use download::DownloadLimits;
pub use redirects::{OutboundRequest, OutboundResponse, UrlGate, send_following_redirects};
pub use ssrf_check::FetchPolicy;
