//! Credentials pass through many commands, and stay out of every record.

use std::fs;

use crate::{project::Project, site::Site};

/// No shape and no name gives it away.
const LIVE: &str = "Kumquat/7/Zither";

const PAGE: &str = "<title>Shop</title><script>
    fetch('/ping', {headers: {authorization: 'Bearer Kumquat/7/Zither'}});
</script>";

#[test]
fn no_record_holds_a_live_secret() {
    let site = Site::serve(&[("/", PAGE), ("/ping", "pong")]);
    let project = Project::new().with("BROWSE_LOG", "debug");
    let pair = |name: &str| format!("{name}={LIVE}");
    let export = format!(
        r#"[{{"name": "imported", "value": "{LIVE}", "domain": "127.0.0.1"}},
            {{"name": "bad;", "value": "{LIVE}", "domain": "127.0.0.1"}},
            {{"name": "typed", "value": ["{LIVE}"], "domain": "127.0.0.1"}}]"#
    );
    project.write("export.json", &export);
    project.write("broken.json", &export[..export.len() - 3]);
    project.ok(&["goto", &site.url("/")]);
    let mut reported = String::new();
    let link = site.url(&format!("/?access_token={LIVE}"));
    let lines: &[&[&str]] = &[
        &["cookie", &pair("sid")],
        &["cookie", &pair("ctl;")],
        &["cookie", &pair("dom"), "--domain", "169.254.169.254"],
        &["cookie", &pair("__Host-x"), "--domain", "example.com"],
        &["cookie", LIVE],
        &["cookie-import", "export.json"],
        &["cookie-import", "broken.json"],
        &["cookies"],
        &["--json", "cookies"],
        &["storage", "set", "auth_token", LIVE],
        &["storage"],
        &["--json", "--raw", "storage"],
        &["state", "save", "work"],
        &["state", "list"],
        &["state", "load", "work", "--replace"],
        &["cookie-import-browser"],
        &["cookie", "--delete", "sid"],
        &["goto", &link],
        &["reload"],
        &["back"],
        &["newtab", &link],
        &["closetab"],
        &["network"],
    ];
    for line in lines {
        let output = project.run(line);
        assert!(matches!(output.code, Some(0..=3)), "{line:?}: {output:?}");
        // What was typed as a name comes back as a name.
        if !line.contains(&LIVE) || line[0] == "storage" {
            reported.push_str(&output.stdout);
            reported.push_str(&output.stderr);
        }
    }
    let kept = project.json(&["js", "localStorage.auth_token + document.cookie"]).to_string();
    assert!(kept.contains(LIVE), "the secret was not live: {kept}");
    assert!(!reported.contains(LIVE), "{reported}");
    let activity = project.ok(&["--json", "activity"]);
    assert!(activity.contains("cookie-import") && !activity.contains("Kumquat"), "{activity}");
    project.ok(&["stop"]);
    let mut read = 0;
    let mut folders = vec![project.path().join(".browse"), project.home()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = fs::read(entry.path()).expect("a file of ours");
            read += 1;
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains("Kumquat"), "{} holds it", entry.path().display());
        }
    }
    assert!(read >= 3, "only {read} files were read");
}
