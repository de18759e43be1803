//! The bundled skills that visit any host, and the SDKs in them, against real
//! pages.

use std::fs;

use serde_json::json;

use crate::{project::Project, site::Site};

const PAGE: &str = "<!doctype html><html lang=en><title>Harbour</title>
<meta name=author content=Ada><main><h1>Welcome</h1>
<p>Buy <a href=/ropes>ropes</a>, <a href=/gone>anchors</a>, <a href='/redirect?/ropes'>sails</a>,
<a href=/ropes#new>more ropes</a> or <a href=mailto:a@b.example>write</a>.</main>";

const LOGIN: &str =
    "<form onsubmit=\"if (p.value == 'pa55 word') location = '/sign-in'; return false\">
<input autocomplete=username><input id=p type=password><button>Go</button></form>";

fn site() -> Site {
    Site::serve(&[("/", PAGE), ("/ropes", "<p>Ropes"), ("/login", LOGIN)])
}

#[test]
fn a_page_becomes_markdown_with_metadata_and_links() {
    let (site, project) = (site(), Project::new());
    let url = format!("url={}", site.url("/"));
    let page = project.json(&["skill", "run", "page-to-markdown", "--arg", &url]);
    assert_eq!((&page["title"], &page["author"]), (&json!("Harbour"), &json!("Ada")));
    assert_eq!((&page["status"], &page["published"]), (&json!(200), &json!(null)));
    assert!(page["markdown"].as_str().is_some_and(|text| text.starts_with("# Welcome")), "{page}");
    assert_eq!(page["links"].as_array().map(Vec::len), Some(4), "{page}");
    // A copy of somebody else is another content: nobody trusts it yet.
    let bundled = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../browser-skills");
    let copy = project.home().join("skills/page-to-markdown");
    fs::create_dir_all(copy.join("_lib")).expect("made");
    for file in ["SKILL.md", "script.py", "document.py", "_lib/browse_sdk.py"] {
        fs::copy(bundled.join("page-to-markdown").join(file), copy.join(file)).expect("copied");
    }
    let run = ["skill", "run", "page-to-markdown", "--source", "global", "--arg", &url];
    assert_eq!(project.fail(&run), ("SKILL_UNTRUSTED".to_owned(), 3));
    project.ok(&["skill", "trust", "page-to-markdown", "--source", "global"]);
    assert_eq!(project.json(&run)["title"], "Harbour");
}

#[test]
fn links_are_checked_in_parallel_tabs() {
    let site = site();
    let mut project = Project::new();
    // The home of a test has no toolchain.
    for (name, folder) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
        let place = std::env::var(name)
            .ok()
            .or_else(|| Some(std::env::home_dir()?.join(folder).to_string_lossy().into_owned()));
        project = project.with(name, &place.unwrap_or_default());
    }
    let url = format!("url={}", site.url("/"));
    let found = project.json(&["skill", "run", "link-check", "--arg", &url, "--arg", "tabs=3"]);
    assert_eq!((&found["links"], &found["checked"]), (&json!(3), &json!(3)), "{found}");
    let broken =
        json!([{"url": site.url("/gone"), "text": "anchors", "status": 404, "reason": null}]);
    assert_eq!(found["broken"], broken);
    let moved = json!([{"url": site.url("/redirect?/ropes"), "to": site.url("/ropes")}]);
    assert_eq!(found["redirected"], moved);
    let wrong = ["skill", "run", "link-check", "--arg", &url, "--arg", "tabs=17"];
    let output = project.run(&wrong);
    assert!(output.stderr.contains("`tabs` wants 1 to 16"), "{output:?}");
}

#[test]
fn secrets_of_a_login_stay_out_of_sight() {
    let site = site();
    let origin = site.url("");
    let project = Project::new()
        .with("LOGIN_ORIGIN", &origin)
        .with("LOGIN_USER", "ada")
        .with("LOGIN_PASSWORD", "pa55 word");
    let (login, save) = (site.url("/login"), site.url("/who"));
    let place = project.path().join("who.txt");
    let run = |login: &str| {
        let args =
            [format!("login={login}"), format!("save={save}"), format!("path={}", place.display())];
        let mut words = vec!["skill", "run", "login-and-save", "--raw"];
        args.iter().for_each(|arg| words.extend(["--arg", arg]));
        project.run(&words)
    };
    let output = run(&login);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(
        output.stdout.starts_with(&format!("{{\"path\":\"{}\"", place.display())),
        "{output:?}"
    );
    let saved = fs::read_to_string(&place).expect("it was saved");
    assert!(saved.contains("s3cret"), "{saved}");
    let other = run(&login.replace("127.0.0.1", "localhost"));
    assert!(other.stderr.contains("`login` is not of LOGIN_ORIGIN"), "{other:?}");
    for entry in fs::read_dir(project.path().join(".browse")).expect("a folder").flatten() {
        let text = fs::read(entry.path()).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&text).contains("pa55"), "{:?}", entry.path());
    }
    assert!(!format!("{output:?}{other:?}").contains("pa55"));
}
