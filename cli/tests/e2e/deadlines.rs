//! No command outlives its deadline, whatever the page does.

use std::time::{Duration, Instant};

use crate::{
    project::{Project, eventually},
    site::Site,
};

/// A page that hangs as soon as it is loaded.
const LOOP: &str = "<title>Loop</title><button>Go</button>\
    <script>onload = () => setTimeout(() => { while (true) {} })</script>";

/// What a busy machine may add to a deadline; how fast it is, benchmarks say.
const SLACK: Duration = Duration::from_secs(2);

#[track_caller]
fn ends_in_time(project: &Project, args: &[&str], deadline: Duration) -> (String, i32) {
    let begun = Instant::now();
    let timeout = format!("{}ms", deadline.as_millis());
    let failed = project.fail(&[args, &["--timeout", &timeout]].concat());
    let took = begun.elapsed();
    assert!(took < deadline + SLACK, "{args:?} took {took:?}");
    failed
}

#[test]
fn a_page_in_an_endless_loop_holds_nothing_up() {
    let site = Site::page(LOOP);
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    let second = Duration::from_secs(1);
    for args in
        [&["text"][..], &["snapshot", "-i"], &["click", "button"], &["js", "1"], &["screenshot"]]
    {
        let (reason, code) = ends_in_time(&project, args, second);
        let known = ["DEADLINE_EXCEEDED", "OUTCOME_UNKNOWN", "TAB_HUNG"];
        assert!(known.contains(&reason.as_str()) && code == 1, "{args:?}: {reason} {code}");
    }
    for args in [&["status"][..], &["tabs"], &["closetab"]] {
        let begun = Instant::now();
        project.ok(args);
        assert!(begun.elapsed() < SLACK, "{args:?} {:?}", begun.elapsed());
    }
    project.ok(&["goto", &site.url("/status/500")]);
}

#[test]
fn a_server_that_never_answers_holds_nothing_up() {
    let site = Site::page("<title>Fine</title>");
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    let (reason, code) =
        ends_in_time(&project, &["goto", &site.url("/hang")], Duration::from_secs(1));
    assert_eq!((reason.as_str(), code), ("DEADLINE_EXCEEDED", 1));
    let (reason, _) = ends_in_time(&project, &["text"], Duration::from_secs(2));
    assert_eq!(reason, "NAVIGATION_PENDING");
    project.ok(&["goto", &site.url("/")]);
    assert!(project.ok(&["get", "title"]).contains("Fine"));
}

#[test]
fn an_alert_is_answered_and_reported() {
    let site = Site::page("<button onclick=\"alert('hello there')\">Alert</button>");
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    let receipt = project.ok(&["click", "button"]);
    assert!(receipt.contains("alert") && receipt.contains("hello there"), "{receipt}");
    project.ok(&["text"]);
}

/// Changes what it observes, for ever: no script is ended by ending one call.
const OBSERVER: &str = "const loop = () => { new MutationObserver(() => { document.body.dataset.x = Math.random() })\
    .observe(document.body, { attributes: true }); document.body.dataset.x = 1 };";

#[test]
fn a_tab_that_hangs_before_it_went_anywhere_is_left() {
    let site = Site::serve(&[("/fine", "<title>Fine</title>")]);
    let project = Project::new();
    for _ in ["the first", "another"] {
        project.ok(&["js", "void setTimeout(() => { for (;;); })"]);
        let went = project.ok(&["goto", &site.url("/fine"), "--timeout", "10s"]);
        assert!(went.contains("Fine"), "{went}");
        project.ok(&["newtab"]);
    }
}

#[test]
fn a_page_whose_script_cannot_be_ended_is_left() {
    let hanging = format!(
        "<title>Hangs</title><button onclick='loop()'>Go</button><script>{OBSERVER}</script>"
    );
    let parting = format!(
        "<title>Parts</title><script>{OBSERVER} addEventListener('pagehide', loop)</script>"
    );
    let site =
        Site::serve(&[("/", &hanging), ("/parts", &parting), ("/fine", "<title>Fine</title>")]);
    let project = Project::new();
    let second = Duration::from_secs(1);
    let hang = || {
        let (reason, _) = ends_in_time(&project, &["click", "button"], second);
        assert_eq!(reason, "OUTCOME_UNKNOWN");
    };
    project.ok(&["goto", &site.url("/fine")]);
    project.ok(&["goto", &site.url("/")]);
    hang();
    project.ok(&["goto", &site.url("/fine"), "--timeout", "10s"]);
    assert!(project.ok(&["get", "title"]).contains("Fine"));
    let back = project.ok(&["back", "--timeout", "10s"]);
    assert!(back.contains("Hangs"), "the history is as it was: {back}");
    hang();
    assert!(project.ok(&["reload", "--timeout", "10s"]).contains("Hangs"));
    hang();
    assert!(project.ok(&["back", "--timeout", "10s"]).contains("Fine"));
    // It hangs while the next document comes into its process.
    project.ok(&["goto", &site.url("/parts")]);
    ends_in_time(&project, &["goto", &site.url("/fine")], second);
    project.ok(&["newtab", &site.url("/fine"), "--timeout", "10s"]);
    project.ok(&["goto", &site.url("/fine"), "--tab", "1", "--timeout", "10s"]);
    assert!(project.ok(&["get", "title", "--tab", "1"]).contains("Fine"));
    assert_eq!(project.json(&["tabs"]).as_array().map(Vec::len), Some(2));
}

/// What a script comes to, as soon as the tab answers.
fn answers(project: &Project, script: &str, within: Duration) -> String {
    let ask = || {
        let output = project.run(&["js", script, "--timeout", "30s"]);
        if output.code == Some(0) { Ok(output.stdout) } else { Err(output.stderr) }
    };
    eventually(within, ask).expect("the tab answers")
}

/// Large enough that no reading ends within the deadline of the test.
const LARGE: &str = "<title>Large</title><body><script>
    const row = '<div><p>some <b>words</b> and <a href=/>a link</a></p><ul><li>one</li><li>two <input></li></ul></div>';
    document.body.insertAdjacentHTML('beforeend', row.repeat(40_000));
    </script>";

#[test]
fn a_reading_of_a_large_page_ends_with_its_deadline() {
    let site = Site::page(LARGE);
    let project = Project::new();
    project.ok(&["goto", &site.url("/"), "--timeout", "60s"]);
    // Laid out: what the browser does at once cannot be stopped.
    project.ok(&["js", "document.body.offsetHeight", "--timeout", "60s"]);
    // What a reading takes that is not stopped, on this machine and at its load.
    let begun = Instant::now();
    project.ok(&["snapshot", "--timeout", "60s"]);
    let limit = (begun.elapsed() / 4).max(Duration::from_secs(1));
    let mut late = Vec::new();
    for args in [
        &["markdown"][..],
        &["text"],
        &["snapshot"],
        &["snapshot", "-i"],
        &["links"],
        &["forms"],
        &["accessibility"],
        &["find", "nothing like it"],
    ] {
        let begun = Instant::now();
        let outcome = project.run(&[args, &["--timeout", "500ms"]].concat());
        let ended = Instant::now();
        answers(&project, "1", Duration::from_secs(60));
        let answered = ended.elapsed();
        println!("{args:?}: {:?} in {:?}, then {answered:?}", outcome.code, ended - begun);
        if answered > limit {
            late.push(format!("{args:?} {answered:?}"));
        }
    }
    assert!(late.is_empty(), "{late:?}");
}

#[test]
fn a_long_task_of_the_page_survives_the_deadline_of_a_reading() {
    let site = Site::page(
        "<title>Busy</title><button onclick=\"setTimeout(() => { const end = Date.now() + 2500;
        while (Date.now() < end) {} document.title = 'done' })\">Go</button>",
    );
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["js", "document.querySelector('button').click()"]);
    project.fail(&["markdown", "--timeout", "500ms"]);
    assert!(answers(&project, "document.title", Duration::from_secs(30)).contains("done"));
}

/// Its process waits for a server, and nothing can end that but the server.
const WAITING: &str = "<title>Waiting</title><input id=t><button id=go>Open</button>\
    <button id=wait>Wait</button><script>go.onclick = () => window.open('/form');\
    document.getElementById('wait').onclick = () => { const request = new XMLHttpRequest();\
    request.open('GET', '/slow', false); request.send() }</script>";

#[test]
fn a_busy_page_and_its_neighbours_lose_nothing() {
    let form = "<title>Form</title><input id=t>";
    let site = Site::serve(&[("/", WAITING), ("/form", form), ("/fine", "<title>Fine</title>")]);
    let project = Project::new().with("BROWSE_FETCH_ALLOW", "127.0.0.1");
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["click", "#go"]);
    project.ok(&["fill", "#t", "of an hour", "--tab", "2"]);
    project.ok(&["fill", "#t", "of a day", "--tab", "1"]);
    let wait = ["click", "#wait", "--tab", "1"];
    ends_in_time(&project, &wait, Duration::from_secs(1));
    // What is refused anyway leaves no page for it.
    for refused in ["file:///etc/passwd", "chrome://version", "http://169.254.169.254/"] {
        ends_in_time(&project, &["goto", refused, "--tab", "1"], Duration::from_secs(1));
    }
    std::thread::scope(|threads| {
        threads.spawn(|| {
            // The other tab of the process is busy with it for as long.
            ends_in_time(&project, &["text", "--tab", "2"], Duration::from_secs(1));
            project.ok(&["fetch", &site.url("/go-on")]);
        });
        let went = project.ok(&["goto", &site.url("/fine"), "--tab", "1", "--timeout", "30s"]);
        assert!(went.contains("Fine"), "{went}");
    });
    assert!(project.ok(&["get", "value", "#t", "--tab", "2"]).contains("of an hour"));
    let back = project.ok(&["back", "--tab", "1"]);
    assert!(back.contains("Waiting"), "{back}");
}
