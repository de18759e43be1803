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
    let reopened = project.run(&["url", "--session", "other", "--raw"]);
    assert_eq!((reopened.code, reopened.stdout.trim()), (Some(0), "about:blank"), "{reopened:?}");
    assert_eq!(reopened.stderr, "note: opened the session `other`\n");
}

#[test]
fn console_and_network_are_those_of_the_page() {
    let page = |name: &str| format!("<title>{name}</title><script>console.log('{name}')</script>");
    let site = Site::serve(&[("/a", &page("first")), ("/b", &page("second"))]);
    let project = Project::new();
    project.ok(&["goto", &site.url("/a")]);
    project.ok(&["goto", &site.url("/b")]);
    let console = project.run(&["console", "--raw"]);
    assert!(!console.stdout.contains("first") && console.stdout.contains("second"), "{console:?}");
    assert!(console.stderr.contains("1 messages of earlier pages with `--all`"), "{console:?}");
    assert!(project.ok(&["console", "--all"]).contains("first"));
    let network = project.ok(&["network", "--raw"]);
    assert!(!network.contains("/a") && network.contains("/b"), "{network}");
    assert!(project.ok(&["network", "--all"]).contains("/a"));
}

#[test]
fn the_activity_says_where_and_what_a_ref_was() {
    let site = Site::page("<button>Save</button><input aria-label=Name value=Ada>");
    let project = Project::new();
    project.ok(&["goto", &site.url("/"), "--session", "work"]);
    let tree = project.ok(&["--raw", "snapshot", "-i", "--session", "work"]);
    let field = tree.lines().find(|line| line.contains("textbox")).expect("a field");
    let reference = field.split_whitespace().next().expect("a ref");
    project.ok(&["fill", reference, "Grace", "--session", "work"]);
    let activity = project.ok(&["activity", "--raw"]);
    let line = activity.lines().find(|line| line.contains("fill")).expect("the call");
    assert!(line.contains(&format!("work root fill {reference} textbox \"Name\" ok")), "{line}");
    assert!(!activity.contains("Grace") && !activity.contains("Ada"), "{activity}");
}

#[test]
fn a_state_replaces_the_tabs() {
    let site = Site::serve(&[("/a", "<title>A</title>"), ("/b", "<title>B</title>")]);
    let project = Project::new().with("BROWSE_KEYCHAIN", "false");
    project.ok(&["goto", &site.url("/a")]);
    project.ok(&["state", "save", "one"]);
    project.ok(&["newtab", &site.url("/b")]);
    project.ok(&["state", "load", "one", "--replace"]);
    let tabs = project.json(&["tabs"]);
    assert_eq!(tabs.as_array().map(Vec::len), Some(1), "{tabs}");
    assert_eq!(tabs[0]["url"], json!(site.url("/a")));
}

#[test]
fn waiting_counts_and_takes_the_time_that_is_named() {
    let site = Site::page(
        "<ul id=list></ul><p id=soon>x</p><script>setTimeout(() => { soon.remove();\
         list.innerHTML = '<li>1<li>2<li>3' }, 300);\
         setTimeout(() => list.insertAdjacentHTML('afterend', '<button id=late>Late</button>'), 1800)</script>",
    );
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["wait", "--gone", "#soon"]);
    project.ok(&["wait", "#list li", "--count", "3"]);
    assert_eq!(
        project.fail(&["wait", "li", "--count", "4+", "--timeout", "300ms"]).0,
        "WAIT_TIMEOUT"
    );
    assert_eq!(project.fail(&["wait", "--count", "4"]).0, "ARGUMENT_INVALID");
    // Without a time the page has come to rest, and the answer comes soon.
    project.ok(&["click", "#late", "--timeout", "10s"]);
    assert_eq!(project.json(&["js", "const n = 40; return n + 2"]), json!(42));
    assert_eq!(project.fail(&["pdf", "x.txt"]), ("ARGUMENT_INVALID".to_owned(), 2));
}
