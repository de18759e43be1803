//! What the daemon itself asks the network for: HTTP without cookies, to
//! addresses that were checked, with the owner's approval.

mod approvals;
mod checked;
mod exchange;
mod hop;
mod tls;

pub use approvals::{Action, Approvals, Pending};
pub use checked::Reach;
pub use exchange::{Answer, Ask, Gate, exchange};
