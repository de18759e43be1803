//! Each bad input gets one clear error, and leaves the daemon healthy.

use crate::{project::Project, site::Site};

const PAGE: &str = r#"<title>Page</title><button id=a>One</button><button>Two</button>
<button id=off disabled>Off</button><div style="position:relative"><button id=under>Under</button>
<div id=cover style="position:absolute;inset:0">Cover</div></div>
<button id=hidden style="display:none">Hidden</button><input id=text>"#;

#[test]
fn every_bad_input_has_its_reason_and_exit_code() {
    let site = Site::page(PAGE);
    let project = Project::new();
    project.write("steps.js", "1");
    project.ok(&["goto", &site.url("/")]);
    let tree = project.ok(&["--raw", "snapshot", "-i"]);
    let stale =
        tree.split_whitespace().find(|word| word.starts_with("@e")).expect("a ref").to_owned();
    project.ok(&["goto", &site.url("/")]);

    let unreachable = "http://127.0.0.1:1/";
    let fast = ["--timeout", "1500ms"];
    let cases: &[(&[&str], &str, i32)] = &[
        (&["clik", "@e1"], "COMMAND_UNKNOWN", 2),
        (&["click"], "ARGUMENT_INVALID", 2),
        (&["click", "--frobnicate", "a"], "ARGUMENT_INVALID", 2),
        (&["goto", "http://"], "URL_INVALID", 2),
        (&["goto", "javascript:alert(1)"], "URL_INVALID", 2),
        (&["goto", "http://169.254.169.254/"], "ADDRESS_DENIED", 3),
        (&["goto", "http://[::ffff:a9fe:a9fe]/"], "ADDRESS_DENIED", 3),
        (&["goto", "http://2852039166/"], "ADDRESS_DENIED", 3),
        (&["goto", "file:///etc/passwd"], "FILE_DENIED", 3),
        (&["click", "#none"], "ELEMENT_NOT_FOUND", 1),
        (&["click", "button"], "ELEMENT_AMBIGUOUS", 1),
        (&["click", "##"], "SELECTOR_INVALID", 2),
        (&["click", "@e99999"], "REF_UNKNOWN", 1),
        (&["click", &stale], "REF_STALE", 1),
        (&["click", "#off"], "ELEMENT_DISABLED", 1),
        (&["click", "#under"], "ELEMENT_COVERED", 1),
        (&["click", "#hidden"], "ELEMENT_HIDDEN", 1),
        (&["fill", "#a", "x"], "ELEMENT_NOT_EDITABLE", 1),
        (&["select", "#a", "x"], "ELEMENT_WRONG_KIND", 1),
        (&["check", "#a"], "ELEMENT_WRONG_KIND", 1),
        (&["press", "Hyper"], "KEY_UNKNOWN", 2),
        (&["js", "("], "SCRIPT_FAILED", 1),
        (&["js", "null.x"], "SCRIPT_FAILED", 1),
        (&["tab", "999"], "TAB_NOT_FOUND", 1),
        (&["text", "--tab", "999"], "TAB_NOT_FOUND", 1),
        (&["forward"], "HISTORY_END", 1),
        (&["eval", "none.js"], "FILE_UNREADABLE", 2),
        (&["eval", "/etc/hostname"], "FILE_DENIED", 3),
        (&["skill", "run", "none"], "SKILL_NOT_FOUND", 1),
        (&["skill", "diff", "none"], "SKILL_NOT_FOUND", 1),
        (&["skill", "trust", "link-check", "--hash", "1"], "ARGUMENT_INVALID", 2),
        (&["highlight"], "ARGUMENT_INVALID", 2),
        (&["is", "visible", "#hidden", "--assert"], "ASSERTION_FAILED", 1),
        (&["text", "--token", "wrong"], "TOKEN_INVALID", 3),
        // The last ones, because they leave the page.
        (&["goto", unreachable], "NAVIGATION_FAILED", 1),
        (&["goto", "http://no-such-host.invalid/"], "NAVIGATION_FAILED", 1),
    ];
    for (args, reason, code) in cases {
        // Some of them leave an error page behind.
        project.ok(&["goto", &site.url("/")]);
        let failed = project.fail(&[args, &fast[..]].concat());
        assert_eq!((failed.0.as_str(), failed.1), (*reason, *code), "{args:?}");
    }
    project.ok(&["goto", &site.url("/")]);
    assert!(project.ok(&["get", "title"]).contains("Page"));
}

#[test]
fn an_http_error_status_is_reported_and_is_no_error() {
    let site = Site::page(PAGE);
    let project = Project::new();
    let arrived = project.json(&["goto", &site.url("/status/500")]);
    assert_eq!(arrived["status"], 500);
    assert_eq!(project.json(&["goto", &site.url("/nowhere")])["status"], 404);
}

#[test]
fn a_long_argument_is_answered() {
    let site = Site::page(PAGE);
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    for long in ["x".repeat(20_000), "ü ".repeat(10_000)] {
        let output = project.run(&["find", &long]);
        assert_eq!(output.code, Some(0), "{output:?}");
        assert!(output.stderr.contains("no line of the snapshot matches"), "{output:?}");
        assert!(output.stderr.len() < 1_000, "{output:?}");
        let failed = project.fail(&["click", &format!("text={long}"), "--timeout", "1500ms"]);
        assert_eq!(failed, ("ELEMENT_NOT_FOUND".to_owned(), 1));
    }
    let failed = project.fail(&["url", "--token", &"x".repeat(20_000)]);
    assert_eq!(failed, ("TOKEN_INVALID".to_owned(), 3));
}

#[test]
fn a_near_miss_is_named() {
    let project = Project::new();
    let output = project.run(&["clik", "@e1"]);
    assert!(output.stderr.contains("click"), "{output:?}");
    assert!(output.stderr.starts_with("error: "), "{output:?}");
    assert!(output.stderr.contains("\nhint: "), "{output:?}");
}

#[test]
fn text_in_a_hidden_part_is_no_target() {
    let site = Site::page(
        "<div onclick=\"document.title = 'WRONG'\"><a>Save</a>\
         <button style=\"display:none\">Delete</button></div>",
    );
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    let failed = project.fail(&["click", "text=Delete", "--timeout", "1500ms"]);
    assert_eq!(failed, ("ELEMENT_NOT_FOUND".to_owned(), 1));
    assert_ne!(project.json(&["get", "title"]), "WRONG");
}

#[test]
fn standard_input_that_never_ends_is_given_up() {
    let project = Project::new();
    let mut command = project.command(&["chain", "--json", "--timeout", "200ms"]);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().expect("browse is built");
    let held = child.stdin.take();
    let output = child.wait_with_output().expect("it ends");
    assert!(String::from_utf8_lossy(&output.stdout).contains("DEADLINE_EXCEEDED"), "{output:?}");
    assert_eq!(output.status.code(), Some(1));
    drop(held);
}

#[test]
fn steps_may_begin_with_a_byte_order_mark() {
    let project = Project::new();
    let output = project.feed(&["--raw", "chain"], "\u{feff}[\"url\"]\n");
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), "1 url: about:blank\n"));
}

#[test]
fn a_password_is_left_out_of_links_titles_and_errors() {
    let site = Site::page("<a href=/next>Next</a><form action=/send><input name=a></form>");
    let project = Project::new();
    let secret = format!("http://ada:s3cret@127.0.0.1:{}/", site.port());
    assert_eq!(project.json(&["goto", &secret])["title"], "");
    assert!(project.ok(&["links"]).contains("/next"));
    let closed = "http://ada:s3cret@127.0.0.1:1/";
    let lines: [&[&str]; 8] = [
        &["links"],
        &["forms"],
        &["tabs", "--json"],
        &["snapshot", "--json"],
        &["goto", closed],
        &["goto", closed, "--json"],
        &["url"],
        &["tabs", "--json"],
    ];
    for line in lines {
        let output = project.run(line);
        assert!(!format!("{output:?}").contains("s3cret"), "{line:?}: {output:?}");
    }
}

#[test]
fn a_password_in_an_address_is_never_shown() {
    let site = Site::page("<title>In</title><script>console.log(1); throw 2</script>");
    let project = Project::new();
    let secret = format!("http://ada:s3cret@127.0.0.1:{}/", site.port());
    for line in [&["goto", secret.as_str()][..], &["newtab", &secret], &["goto", "ada:s3cret@["]] {
        let output = project.run(line);
        assert!(!format!("{output:?}").contains("s3cret"), "{output:?}");
    }
    for line in ["url", "tabs", "network", "console", "activity", "snapshot"] {
        let printed = project.ok(&[line]);
        assert!(!printed.contains("s3cret"), "{line}: {printed}");
    }
    project.ok(&["stop"]);
    for file in std::fs::read_dir(project.path().join(".browse")).expect("a folder").flatten() {
        let bytes = std::fs::read(file.path()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("s3cret"), "{}", file.path().display());
    }
}
