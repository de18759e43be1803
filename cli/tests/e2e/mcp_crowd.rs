//! Many agents at once, over MCP and in shells: none touches the tabs of another.

use std::thread;

use serde_json::json;

use crate::{
    mcp::{Server, reference},
    project::Project,
    site::Site,
};

const AGENTS: usize = 20;
const SHELLS: usize = 5;

/// A page that says where it is, and remembers who wrote into it.
const PAGE: &str = "<title>Form</title><label>Name <input name=n></label>";

#[test]
fn twenty_agents_and_five_shells_do_not_touch_the_tabs_of_each_other() {
    let (project, site) = (Project::new(), Site::page(PAGE));
    project.ok(&["tabs"]);
    let (project, site) = (&project, &site);
    thread::scope(|scope| {
        for number in 0..AGENTS {
            scope.spawn(move || {
                let mut server = Server::start(project, &[]);
                let url = site.url(&format!("/?agent-{number}"));
                let page = server.ok("open", json!({"url": url, "view": "interactive"}));
                let field = reference(&page, "Name");
                for round in 0..3 {
                    let text = format!("agent-{number}-{round}");
                    let steps = json!([["fill", field, text]]);
                    server.ok("act", json!({ "steps": steps }));
                    let seen = json!([["get", "value", field], ["url"], ["tabs"]]);
                    let seen = server.ok("act", json!({ "steps": seen }));
                    assert!(seen.contains(&text) && seen.contains(&url), "{seen}");
                    assert_eq!(seen.matches("/?").count(), 2, "its address and its tab: {seen}");
                }
            });
        }
        for number in 0..SHELLS {
            scope.spawn(move || {
                let session = format!("shell-{number}");
                let run = |args: &[&str]| project.ok(&[&["--session", &session], args].concat());
                let url = site.url(&format!("/?{session}"));
                run(&["goto", &url]);
                let field = reference(&run(&["snapshot", "-i"]), "Name");
                for round in 0..3 {
                    let text = format!("{session}-{round}");
                    run(&["fill", &field, &text]);
                    assert!(run(&["get", "value", &field]).contains(&text));
                    assert!(run(&["url"]).contains(&url));
                }
                assert_eq!(run(&["tabs"]).matches("/?").count(), 1);
            });
        }
    });
}
