//! The whole product, as a user meets it: the real command line, daemon and
//! Chromium, on pages served from loopback.

mod attached;
mod bad_input;
mod bundled_skills;
mod cloned;
mod concurrency;
mod config;
mod dashboard;
#[path = "../support/dashboard_page.rs"]
mod dashboard_page;
mod deadlines;
mod death;
mod downloads;
mod egress;
mod egress_ways;
mod extension;
mod fleet_login;
mod fleet_renewal;
mod flood;
mod flows;
mod frames;
#[path = "../support/gateway.rs"]
mod gateway;
mod greetings;
mod health;
#[path = "../support/issuer.rs"]
mod issuer;
mod kept_sessions;
mod leaving;
mod mcp;
mod mcp_approvals;
mod mcp_crowd;
mod mcp_fleet;
mod mcp_injections;
mod ngrok;
mod notes;
mod outputs;
mod pairing;
mod pause;
mod planted;
#[path = "../support/ngrok.rs"]
mod played_ngrok;
mod playground;
#[path = "../support/project.rs"]
mod project;
mod recording;
mod remote;
mod remote_dashboard;
#[path = "../support/screen.rs"]
mod screen;
mod sdk_python;
mod secrets;
mod sharing;
#[path = "../support/site.rs"]
mod site;
mod skill_diff;
mod skills;
mod starts;
mod tabs;
mod talk;
mod terminal;
mod tour;
mod trace_skills;
mod traces;
mod tunnels;
mod watching;
mod webmcp;
mod window;
