//! A person gets the session in a window, and gives it back.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    project::{Project, eventually},
    screen::Screen,
    site::Site,
};

/// What the issue allows for cleaning up.
const CLEAN: Duration = Duration::from_secs(10);

/// Time that a window gets to come or go.
const WAIT_TIMEOUT: Duration = Duration::from_secs(20);

const FORM: &str = "<title>Form</title><body style='height: 4000px'><button>Go</button>\
    <iframe src='http://localhost:PORT/inner'></iframe>";
const STORED: &str = "[localStorage.getItem('k').replace('\\ud800', '!'), localStorage.getItem('gone'), \
    sessionStorage.getItem('s'), scrollY]";

/// A project whose commands come from a screen; `None` where there is no X.
pub fn with_screen() -> Option<(Screen, Project)> {
    let screen = Screen::start()?;
    // By its name the tests know in which browser a page is.
    let project =
        Project::new().with("DISPLAY", screen.name()).with("BROWSE_USER_AGENT", "headless");
    Some((screen, project))
}

/// The process of the visible browser.
fn visible_pid(project: &Project) -> u64 {
    project.json(&["status"])["visible"][0]["pid"].as_u64().expect("a visible browser")
}

fn kill(signal: &str, pid: u64) {
    let mut kill = Command::new("kill");
    kill.args([signal, &pid.to_string()]).stderr(Stdio::null());
    assert!(kill.status().expect("kill runs").success());
}

#[test]
fn a_session_moves_to_a_window_and_back() {
    let Some((_screen, project)) = with_screen() else { return };
    let site =
        Site::serve(&[("/form", FORM), ("/inner", "<p>inner"), ("/two", "<title>Two</title>")]);
    project.ok(&["goto", &site.url("/sign-in")]);
    project.ok(&["goto", &site.url("/form")]);
    let keep = "(localStorage.setItem('k', 'half \\ud800'), localStorage.setItem('gone', 1), \
        sessionStorage.setItem('s', 't'), scrollTo(0, 700), 1)";
    project.ok(&["js", keep]);
    project.ok(&["newtab", &site.url("/two")]);
    project.ok(&["load-html", &project.write("x.html", "<h1>Typed in</h1>").display().to_string()]);
    project.ok(&["tab", "1"]);
    let tree = project.ok(&["--raw", "snapshot", "-i"]);
    let reference = tree.split_whitespace().next().expect("a ref").to_owned();

    let shown = project.json(&["connect"]);
    assert_eq!(shown[0]["note"], json!(null), "{shown}");
    assert_eq!(project.json(&["tabs"])[0]["id"], json!(1));
    assert_eq!(project.json(&["js", "navigator.userAgent.includes('Headless')"]), json!(false));
    let stored = project.json(&["js", STORED]);
    assert_eq!(stored, json!(["half !", "1", "t", 700]), "as in the hidden browser");
    assert_eq!(project.fail(&["click", &reference]), ("REF_STALE".to_owned(), 1));
    project.ok(&["click", "text=Go"]);
    assert!(project.ok(&["text", "--tab", "2"]).contains("Typed in"));
    project.ok(&["screenshot", "seen.png", "--tab", "2"]);

    // While a person has it, agents look and do not act.
    project.ok(&["handoff", "solve the captcha"]);
    for act in [&["click", "text=Go"][..], &["goto", "about:blank"], &["js", "1"], &["press", "a"]]
    {
        assert_eq!(project.fail(act), ("HANDED_OFF".to_owned(), 1), "{act:?}");
    }
    assert!(project.ok(&["snapshot", "-i"]).contains("Go"));
    assert_eq!(project.json(&["resume"])["tabs"][0]["change"], json!("same"));

    project.ok(&["js", "(localStorage.setItem('k', 'new'), localStorage.removeItem('gone'), 1)"]);
    project.ok(&["goto", &site.url("/who")]);
    assert!(project.ok(&["--raw", "text"]).contains("sid=s3cret"), "http-only cookies move");
    project.ok(&["disconnect"]);
    assert_eq!(project.json(&["js", "navigator.userAgent.includes('Headless')"]), json!(true));
    assert!(project.ok(&["--raw", "text"]).contains("sid=s3cret"));
    let stored = project.json(&["js", STORED]);
    assert_eq!(stored, json!(["new", null, "t", 0]), "what was removed stays removed");
    assert!(project.ok(&["text", "--tab", "2"]).contains("Typed in"));
    assert_eq!(project.fail(&["resume"]), ("NOT_HANDED_OFF".to_owned(), 1));
}

#[test]
fn the_panel_of_a_window_is_the_dashboard() {
    let Some((_screen, project)) = with_screen() else { return };
    let site = Site::page("<title>Seen</title><button>Go</button>");
    project.ok(&["goto", &site.url("/")]);
    let shown = project.ok(&["connect"]);
    assert!(shown.contains("the side panel shows what you do"), "{shown}");
    let tabs = project.json(&["tabs"]);
    assert_eq!(tabs.as_array().map(Vec::len), Some(1), "the panel is not a tab: {tabs}");
    // Only the panel follows something here.
    let open = eventually(WAIT_TIMEOUT, || match project.json(&["status"])["calls"].as_u64() {
        Some(calls) if calls >= 2 => Ok(()),
        calls => Err(calls),
    });
    open.expect("the panel follows the session");
    let clients = || project.json(&["status"])["clients"].to_string();
    assert!(clients().contains("\"panel:default\""), "{}", clients());
    // Pictures have the size of the window, by which clicks in them are placed.
    // The page becomes narrower when the panel has come.
    let same = eventually(WAIT_TIMEOUT, || {
        let size = project.json(&["js", "[innerWidth, innerHeight].join('x')"]);
        let size = format!(" {} ", size.as_str().expect("a size"));
        let pictures = project.run(&["--raw", "view", "1", "--timeout", "3s"]).stdout;
        if pictures.contains(&size) { Ok(()) } else { Err((size, pictures)) }
    });
    same.expect("the size of the page");
    // It is over the pipe: no port is open that an agent could look for.
    assert_eq!(project.json(&["dashboard", "close"])["ended"], json!(0));
    project.ok(&["disconnect"]);
    assert!(!clients().contains("panel:"), "{}", clients());
}

#[test]
fn the_person_at_a_window_says_that_they_are_done() {
    let Some((_screen, project)) = with_screen() else { return };
    let site = Site::serve(&[("/", "<title>A</title><button>Go</button>"), ("/b", "B")]);
    project.ok(&["goto", &site.url("/")]);
    let asked = project.ok(&["handoff", "sign in"]);
    assert!(asked.contains("`browse resume --wait`"), "{asked}");
    let early = project.fail(&["resume", "--wait", "--timeout", "1s"]);
    assert_eq!(early, ("HANDED_OFF".to_owned(), 1));
    assert!(project.ok(&["overview"]).contains("asks a person: sign in"));
    let mut waiting = project.command(&["resume", "--wait"]);
    let waiting = waiting.stdout(Stdio::piped()).spawn().expect("it runs");
    let done = eventually(WAIT_TIMEOUT, || match project.json(&["status"])["calls"].as_u64() {
        Some(calls) if calls >= 1 => Ok(()),
        calls => Err(calls),
    });
    done.expect("it waits");
    assert_eq!(project.json(&["control", "continue"])["was_handed_off"], json!(true));
    let resumed = waiting.wait_with_output().expect("it ends");
    assert!(String::from_utf8_lossy(&resumed.stdout).contains("1 same"), "{resumed:?}");
    assert_eq!(project.json(&["status"])["visible"], json!([]), "the window is closed");

    // Who does not wait acts in the window meanwhile, and learns what changed later.
    project.ok(&["handoff"]);
    assert_eq!(project.fail(&["click", "text=Go"]).0, "HANDED_OFF");
    project.ok(&["control", "continue"]);
    let next = project.run(&["goto", &site.url("/b")]);
    assert!(next.code == Some(0) && next.stderr.contains("the person is done"), "{next:?}");
    assert_eq!(project.json(&["status"])["visible"][0]["handed_off"], json!(false));
    assert_eq!(project.json(&["resume", "--wait"])["tabs"][0]["change"], json!("moved"));
    assert_eq!(project.fail(&["resume", "--wait"]), ("NOT_HANDED_OFF".to_owned(), 1));
}

/// What scripts and requests can tell of a browser.
const REPORT: &str = "fetch('/reported').then(() => navigator.userAgentData.getHighEntropyValues([\
    'architecture', 'bitness', 'model', 'platformVersion', 'fullVersionList', 'uaFullVersion', 'wow64',\
    'formFactors'])).then(hints => [hints, navigator.userAgent, navigator.appVersion, \
    navigator.languages, navigator.webdriver])";

#[test]
fn a_window_says_the_same_and_webdriver_stays() {
    let Some((_screen, project)) = with_screen() else { return };
    let project = project.with("BROWSE_USER_AGENT", "plain");
    let site = Site::serve(&[("/", "<title>Home</title>"), ("/reported", "x")]);
    project.ok(&["goto", &site.url("/")]);
    let hidden = project.json(&["js", REPORT]);
    assert!(!hidden.to_string().contains("Headless"), "{hidden}");
    assert_eq!(hidden[4], json!(true), "it is driven by a program, and says so");
    assert_eq!(project.json(&["useragent"]), hidden[1]);
    project.ok(&["connect"]);
    assert_eq!(project.json(&["js", REPORT]), hidden);
    project.ok(&["disconnect"]);
    // A session may say something else, and goes back.
    project.ok(&["useragent", "Explorer/1.0"]);
    assert_eq!(project.json(&["js", "navigator.userAgent"]), json!("Explorer/1.0"));
    project.ok(&["useragent", "--reset"]);
    assert_eq!(project.json(&["js", REPORT]), hidden);
}

const FIELDS: &str = "<title>Fields</title><input name=a><input name=p type=password>\
    <textarea name=t>old</textarea><input type=checkbox name=c><input type=radio name=r value=1 checked>\
    <input type=radio name=r value=2><select name=s><option>x<option>y</select>\
    <div id=host></div><div id=edit contenteditable></div><input name=f type=file>\
    <script>host.attachShadow({mode: 'open'}).innerHTML = '<input name=deep>';\
    document.addEventListener('input', event => document.title += '.');</script>";
const HELD: &str = "[...document.querySelectorAll('input, textarea, select')].map(f => \
    f.type == 'checkbox' || f.type == 'radio' ? f.checked : f.type == 'file' ? f.files.length : f.value)\
    .concat(host.shadowRoot.firstChild.value, edit.innerText)";

#[test]
fn what_was_typed_moves_along() {
    let Some((_screen, project)) = with_screen() else { return };
    let site = Site::serve(&[("/fields", FIELDS)]);
    project.ok(&["goto", &site.url("/fields")]);
    for (target, text) in [
        ("[name=a]", "Ada"),
        ("[name=p]", "s3cret"),
        ("[name=t]", "two\nlines"),
        ("#edit", "a note"),
    ] {
        project.ok(&["fill", target, text]);
    }
    project.ok(&["fill", "#host >>> input", "deep"]);
    project.ok(&["check", "[name=c]"]);
    project.ok(&["check", "[name=r][value='2']"]);
    project.ok(&["select", "[name=s]", "y"]);
    let held = json!(["Ada", "s3cret", "two\nlines", true, false, true, "y", 0, "deep", "a note"]);
    assert_eq!(project.json(&["js", HELD]), held);
    for command in ["connect", "disconnect"] {
        let moved = project.json(&[command]);
        let noted = moved[0]["note"].is_null() && moved["tabs"][0]["note"].is_null();
        assert!(noted, "{command}: {moved}");
        assert_eq!(project.json(&["js", HELD]), held, "{command}");
    }
    let file = project.write("f.txt", "x");
    project.ok(&["upload", "[name=f]", &file.display().to_string()]);
    let shown_text = project.ok(&["connect"]);
    assert!(
        shown_text.contains("a field or file that was filled in is not as it was"),
        "{shown_text}"
    );
}

#[test]
fn a_window_that_ends_gives_the_session_back() {
    let Some((_screen, project)) = with_screen() else { return };
    // The person goes on to the next page.
    let leaving = "<title>A</title><script>if (!navigator.userAgent.includes('Headless')) \
        setTimeout(() => location = '/b', 300)</script>";
    let staying = "<title>C</title>";
    let site = Site::serve(&[("/a", leaving), ("/b", "<title>B</title>"), ("/c", staying)]);
    project.ok(&["goto", &site.url("/a")]);
    for end in ["-TERM", "-KILL"] {
        project.ok(&["handoff"]);
        let there = eventually(WAIT_TIMEOUT, || match project.json(&["get", "title"]) {
            title if title == json!("B") => Ok(()),
            title => Err(title),
        });
        there.expect("the person is at the next page");
        kill(end, visible_pid(&project));
        let reported = eventually(WAIT_TIMEOUT, || {
            let output = project.run(&["get", "title"]);
            if output.stderr.contains("is gone") { Ok(output) } else { Err(output) }
        });
        let reported = reported.expect("the next call is reported");
        assert!(reported.stdout.contains('B'), "{end}: {reported:?}");
        assert_eq!(project.json(&["resume"])["tabs"][0]["change"], json!("moved"), "{end}");
        assert_eq!(project.json(&["status"])["visible"], json!([]));
        project.ok(&["goto", &site.url("/a")]);
    }
    project.ok(&["goto", &site.url("/c")]);
    // Its last tab closed: the window is gone, and the tabs are not.
    project.ok(&["connect"]);
    project.ok(&["closetab"]);
    assert_eq!(project.json(&["tabs"])[0]["url"], json!(site.url("/c")));
    assert_eq!(project.fail(&["disconnect"]), ("NOT_CONNECTED".to_owned(), 1));
}

#[test]
fn a_killed_daemon_leaves_no_window() {
    let Some((_screen, project)) = with_screen() else { return };
    let site = Site::page("<title>A</title>");
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["connect"]);
    let profiles = project.processes().iter().filter(|(_, line)| is_main(line)).count();
    assert_eq!(profiles, 2, "a hidden browser and a visible one");
    kill("-KILL", project.daemon_pid().expect("a daemon").into());
    project.assert_empty_within(CLEAN);
}

fn is_main(line: &str) -> bool {
    line.contains("remote-debugging-pipe") && !line.contains("--type=")
}

#[test]
fn a_window_keeps_the_daemon_and_its_rules() {
    let Some((_screen, project)) = with_screen() else { return };
    let project = project.with("BROWSE_IDLE_TIMEOUT", "1s");
    let site = Site::page("<title>A</title>");
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["connect"]);
    let pid = project.daemon_pid();
    let refused = project.fail(&["goto", "http://169.254.169.254/"]);
    assert_eq!(refused, ("ADDRESS_DENIED".to_owned(), 3));
    let leave = "(location = 'http://169.254.169.254/', 1)";
    project.ok(&["js", leave]);
    // The promise is that nothing happens; longer than the limit of idleness.
    let begun = Instant::now();
    let gone = eventually(Duration::from_secs(3), || {
        if project.daemon_pid() == pid { Err(()) } else { Ok(()) }
    });
    assert!(gone.is_err() && begun.elapsed() > Duration::from_secs(2), "the daemon stays");
    assert_eq!(project.json(&["url"]), json!(site.url("/")));
}

#[test]
fn without_a_screen_the_session_stays() {
    let project = Project::new();
    let site = Site::page("<title>A</title>");
    project.ok(&["goto", &site.url("/")]);
    if cfg!(target_os = "linux") {
        let asked = project.ok(&["handoff", "sign in"]);
        assert!(asked.contains("waits for a person"), "at a dashboard: {asked}");
        assert_eq!(project.fail(&["click", "text=A"]).0, "HANDED_OFF");
        assert!(project.ok(&["resume"]).contains("1 same"));
        let project = project.with("DISPLAY", ":64999");
        assert_eq!(project.fail(&["connect"]), ("SCREEN_MISSING".to_owned(), 1));
        assert_eq!(project.json(&["get", "title"]), json!("A"));
    }
}
