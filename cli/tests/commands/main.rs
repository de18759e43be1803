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
mod talk;
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
    talk::CASES,
    window::CASES,
    batch::CASES,
    watch::CASES,
    webmcp::CASES,
];

/// Commands that need a person: see `e2e/attached.rs` and `e2e/talk.rs`.
const WITH_A_PERSON: [&str; 2] = ["adopt", "ask"];

#[test]
fn every_command_of_the_browser_has_a_case() {
    let cases: Vec<_> = GROUPS.iter().copied().flatten().map(|case| case.command).collect();
    for command in Command::all().iter().filter(|c| c.service == "BrowserService") {
        let has_case = cases.contains(&command.name) || WITH_A_PERSON.contains(&command.name);
        assert!(has_case, "`{}` has no case", command.name);
    }
    for name in cases {
        assert!(Command::by_name(name).is_some(), "there is no command `{name}`");
    }
}
