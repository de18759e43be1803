//! Tabs and sessions.

use serde_json::json;

use crate::{project::Project, site::Site};

#[test]
fn a_background_tab_can_be_read_and_captured() {
    let site = Site::serve(&[("/a", "<title>A</title>"), ("/b", "<title>B</title>")]);
    let project = Project::new();
    project.ok(&["goto", &site.url("/a")]);
    let first = project.json(&["tabs"])[0]["id"].to_string();
    project.json(&["newtab", &site.url("/b")]);
    assert_eq!(project.json(&["get", "title"]), json!("B"));
    assert_eq!(project.json(&["get", "title", "--tab", &first]), json!("A"));
    project.ok(&["screenshot", "a.png", "--tab", &first]);
    assert!(project.path().join("a.png").exists());
    project.ok(&["closetab"]);
    assert_eq!(project.json(&["get", "title"]), json!("A"));
}

#[test]
fn a_ref_of_another_tab_is_told() {
    let site = Site::page("<button>Go</button>");
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    let tree = project.ok(&["--raw", "snapshot", "-i"]);
    let reference = tree.split_whitespace().next().expect("a ref").to_owned();
    project.ok(&["newtab", &site.url("/")]);
    project.ok(&["snapshot", "-i"]);
    assert_eq!(project.fail(&["click", &reference]), ("REF_OTHER_TAB".to_owned(), 1));
}

#[test]
fn sessions_do_not_share_cookies() {
    let site = Site::page("<title>S</title>");
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["js", "document.cookie = 'who=ada'"]);
    project.ok(&["session", "new", "other"]);
    project.ok(&["goto", &site.url("/"), "--session", "other"]);
    assert_eq!(project.json(&["js", "document.cookie", "--session", "other"]), json!(""));
    assert_eq!(project.json(&["js", "document.cookie"]), json!("who=ada"));
    project.ok(&["session", "close", "other"]);
    assert_eq!(project.fail(&["url", "--session", "other"]).0, "SESSION_NOT_FOUND");
}
