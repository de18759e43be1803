//! The dashboard as an extension of the browser that a person uses.

use serde_json::{Value, json};

use crate::{
    dashboard::{own_head, parts, request},
    project::Project,
};

#[test]
fn the_extension_has_one_origin() {
    let project = Project::new();
    project.ok(&["goto", "about:blank"]);
    let printed = project.ok(&["dashboard", "extension", "extension"]);
    let id = printed.lines().find_map(|line| line.strip_prefix("id ")).expect("an id").to_owned();
    assert!(printed.contains("Load unpacked"), "{printed}");
    let read = |name: &str| {
        std::fs::read_to_string(project.path().join("extension").join(name)).expect(name)
    };
    let manifest: Value = serde_json::from_str(&read("manifest.json")).expect("JSON");
    assert_eq!(manifest["permissions"], json!(["sidePanel"]));
    assert_eq!(manifest["host_permissions"], json!(["http://127.0.0.1/*"]));
    assert!(read("index.html").contains("name=\"browse-transport\" content=\"link\""));
    // A newer one is written in its place, and nothing else is replaced.
    project.ok(&["dashboard", "extension", "extension"]);
    std::fs::create_dir(project.path().join("web")).expect("a folder");
    project.write("web/index.html", "mine");
    assert_eq!(project.fail(&["dashboard", "extension", "web"]).0, "FILE_UNWRITABLE");
    let web = project.path().join("web");
    assert_eq!(std::fs::read_to_string(web.join("index.html")).expect("there"), "mine");
    assert_eq!(std::fs::read_dir(&web).expect("a folder").count(), 1, "nothing was added");

    let link = project.ok(&["dashboard", "--no-open"]);
    let (port, code) = parts(&link);
    let body = json!({ "code": code }).to_string();
    let head = |origin: &str| {
        let own = format!("origin: http://127.0.0.1:{port}");
        own_head(port, "/redeem").replace(&own, &format!("origin: {origin}"))
    };
    for other in [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        "chrome-extension://abcdefghijklmnopabcdefghijklmnop".to_owned(),
        format!("moz-extension://{id}"),
        format!("chrome-extension://{id}.evil.example"),
        format!("chrome-extension://{id}/"),
    ] {
        let (status, answer) = request(port, &head(&other), &body);
        assert_eq!(status, 403, "{other}: {answer}");
    }
    let own = head(&format!("chrome-extension://{id}"));
    let foreign = format!("{own}\r\nsec-fetch-site: cross-site");
    assert_eq!(request(port, &foreign, &body).0, 403, "a page that names the origin");
    let (status, answer) = request(port, &format!("{own}\r\nsec-fetch-site: none"), &body);
    assert_eq!(status, 200, "{answer}");
    // The extension needs no leave to read it, and nobody else gets one.
    assert!(!answer.to_lowercase().contains("access-control"), "{answer}");
}
