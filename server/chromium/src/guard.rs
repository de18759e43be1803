//! Where pages may go: the rules, and the two places that enforce them.
//!
//! [`document`] sees every document request of every tab, frame and popup on
//! the browser session and gives clean refusals. [`proxy`] carries all
//! traffic of a restricted context and catches the rest: subresources,
//! workers, WebSockets, beacons, and names that resolve to forbidden places.

pub(crate) mod connect_policy;
pub(crate) mod credentials;
pub(crate) mod document;
pub(crate) mod forwarder;
pub(crate) mod live_rules;
pub(crate) mod proxy;
pub(crate) mod refusals;
pub(crate) mod restrictions;
pub(crate) mod route;
