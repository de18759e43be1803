//! Three replicas of the gateway, in front of pods that are played, which speak as pods do and
//! have no browser, and in front of `browsed --pod` with its browser.

mod faults;
mod queue;
mod real_pods;
mod routing;
mod support;
mod tenants;
