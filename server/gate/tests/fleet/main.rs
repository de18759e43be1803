//! Three replicas of the gateway, in front of pods that are played, which speak as pods do and
//! have no browser, and in front of `browsed --pod` with its browser.

mod access_log;
mod attempts;
mod collector;
mod cost;
mod dashboard;
// The same: a page is played.
#[allow(dead_code)]
#[path = "../../../../cli/tests/support/dashboard_page.rs"]
mod dashboard_page;
mod devtools;
mod faults;
// The benchmark, which a test runs in a small size.
#[allow(dead_code)]
#[path = "../../benches/gateway_cost/main.rs"]
mod gateway_cost;
// The command line has it, too, and uses all of it.
#[allow(dead_code)]
#[path = "../../../../cli/tests/support/issuer.rs"]
mod issuer;
mod login;
mod mcp;
mod mcp_client;
mod mcp_ends;
mod mcp_http;
mod mcp_limits;
mod queue;
mod real_pods;
mod restore;
mod routing;
mod s3;
mod sandboxes;
mod served;
// The same: a page is all that is served here.
#[allow(dead_code)]
#[path = "../../../../cli/tests/support/site.rs"]
mod site;
mod skills;
mod support;
mod tenants;
mod traces;
mod websockets;
