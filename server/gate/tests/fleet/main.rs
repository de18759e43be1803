//! Three replicas of the gateway, in front of pods that are played, which speak as pods do and
//! have no browser, and in front of `browsed --pod` with its browser.

mod access_log;
mod collector;
mod faults;
// The command line has it, too, and uses all of it.
#[allow(dead_code)]
#[path = "../../../../cli/tests/support/issuer.rs"]
mod issuer;
mod login;
mod queue;
mod real_pods;
mod restore;
mod routing;
mod s3;
mod support;
mod tenants;
mod traces;
