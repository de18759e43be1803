//! A person pauses agents.

use serde_json::json;

use crate::{
    dashboard::{Dashboard, FORM},
    project::Project,
    site::Site,
};

#[test]
fn a_person_pauses_agents_at_a_dashboard() {
    let project = Project::new();
    let site = Site::page(FORM);
    project.ok(&["goto", &site.url("/")]);
    let dashboard = Dashboard::open(&project, &[]);
    let session = json!({ "session": "default" });
    dashboard.call("DashboardService/PauseAgents", &session).expect("it is open");
    assert_eq!(project.fail(&["click", "text=Send"]), ("HANDED_OFF".to_owned(), 1));
    // The person sees what the agent tried.
    let tried = project.ok(&["activity"]);
    assert!(tried.contains("default root click text=Send HANDED_OFF"), "{tried}");
    assert!(project.ok(&["snapshot", "-i"]).contains("Send"), "looking works");
    assert!(project.ok(&["overview"]).contains("its agents are paused"));
    assert!(dashboard.view_overview().contains("\"paused\":true"));
    dashboard.call("BrowserService/Reload", &json!({})).expect("a person is not an agent");
    assert_eq!(project.fail(&["resume", "--timeout", "1s"]).0, "HANDED_OFF");
    let ended = dashboard.call("DashboardService/ContinueAgents", &session).expect("it is open");
    assert_eq!(ended["was_paused"], json!(true));
    assert!(project.ok(&["resume"]).contains("1 same"));
    project.ok(&["click", "text=Send"]);
    // No agent ends its own pause.
    let agent = project.json(&["agent", "open"]);
    let token = agent["token"].as_str().expect("a token");
    let refused = project.fail(&["control", "continue", "--token", token]);
    assert_eq!(refused.0, "SCOPE_DENIED");
}

#[test]
fn a_dashboard_pairs_no_agent_with_more_than_it_has() {
    let project = Project::new();
    project.ok(&["goto", "about:blank"]);
    let dashboard = Dashboard::open(&project, &["--scope", "read,write,meta,control"]);
    let pair = |scope: &str| {
        let request = json!({ "name": "peer", "scope": [scope] });
        dashboard.call("PairService/NewPairing", &request).map(|answer| answer["name"].clone())
    };
    assert_eq!(pair("read,admin"), Err("SCOPE_DENIED".into()));
    assert_eq!(pair("read,write"), Ok(json!("peer")));
}
