//! Every command of the browser, on a real page, as text and as JSON.

mod case;
#[path = "../support/project.rs"]
#[allow(dead_code)]
mod project;
#[path = "../support/screen.rs"]
mod screen;
#[path = "../support/site.rs"]
#[allow(dead_code)]
mod site;

mod batch;
mod capture;
mod cookies;
mod diagnostics;
mod emulation;
mod input;
mod inspection;
mod navigation;
mod network;
mod reading;
mod state;
mod styling;
mod tabs;
mod watch;
mod webmcp;
mod window;

use browse_proto::Command;

const GROUPS: &[&[case::Case]] = &[
    navigation::CASES,
    emulation::CASES,
    reading::CASES,
    inspection::CASES,
    styling::CASES,
    diagnostics::CASES,
    network::CASES,
    input::CASES,
    capture::CASES,
    cookies::CASES,
    state::CASES,
    tabs::CASES,
    window::CASES,
    batch::CASES,
    watch::CASES,
    webmcp::CASES,
];

/// Commands that need a browser that a person runs: see `e2e/attached.rs`.
const ATTACHED: [&str; 1] = ["adopt"];

#[test]
fn every_command_of_the_browser_has_a_case() {
    let cases: Vec<_> = GROUPS.iter().copied().flatten().map(|case| case.command).collect();
    for command in Command::all().iter().filter(|c| c.service == "BrowserService") {
        let has_case = cases.contains(&command.name) || ATTACHED.contains(&command.name);
        assert!(has_case, "`{}` has no case", command.name);
    }
    for name in cases {
        assert!(Command::by_name(name).is_some(), "there is no command `{name}`");
    }
}
