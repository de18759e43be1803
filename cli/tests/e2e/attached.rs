//! Sessions in a browser that runs already: what is reached there, and what stays of it.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, stream::MaybeTlsStream};

use crate::{
    project::{Project, eventually},
    site::Site,
};

/// What takes longer does not come.
const LIMIT: Duration = Duration::from_secs(15);

/// A whole Chromium starts slowly beside many others.
const START_LIMIT: Duration = Duration::from_secs(60);

/// A Chromium that a person has started, with a profile of its own.
struct Theirs {
    child: Child,
    _profile: tempfile::TempDir,
    port: u16,
    path: String,
}

impl Theirs {
    fn start(pages: &[String]) -> Self {
        Self::start_program(&program(), &[], pages)
    }

    /// One with the pages of a browser, such as `chrome://version`, which the shell lacks.
    fn start_whole(pages: &[String]) -> Self {
        let whole = ["/usr/bin/chromium", "/usr/bin/google-chrome"];
        let found = whole.into_iter().map(PathBuf::from).find(|path| path.exists());
        Self::start_program(&found.unwrap_or_else(program), &[], pages)
    }

    fn start_program(program: &Path, args: &[String], pages: &[String]) -> Self {
        let profile =
            tempfile::Builder::new().prefix("browse-theirs-").tempdir().expect("a folder");
        let mut command = Command::new(program);
        command.args(["--headless=new", "--no-sandbox", "--remote-debugging-port=0"]);
        command.args(["--no-first-run", "--disable-gpu", "--mute-audio"]).args(args);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        command.env("HOME", profile.path());
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = quiet.process_group(0).spawn().expect("Chromium is installed");
        let file = profile.path().join("DevToolsActivePort");
        let (port, path) = eventually(START_LIMIT, || {
            let text = fs::read_to_string(&file).unwrap_or_default();
            let mut lines = text.lines();
            let port = lines.next().and_then(|line| line.parse().ok());
            port.zip(lines.next().map(str::to_owned)).ok_or("it does not listen")
        })
        .expect("a port");
        let theirs = Self { child, _profile: profile, port, path };
        for page in pages {
            theirs.protocol().call("Target.createTarget", json!({ "url": page }), None);
            theirs.wait_for(page);
        }
        theirs
    }

    fn address(&self) -> String {
        format!("ws://127.0.0.1:{}{}", self.port, self.path)
    }

    /// The addresses of its tabs.
    fn tabs(&self) -> Vec<String> {
        let targets = self.protocol().call("Target.getTargets", json!({}), None);
        let infos = targets["targetInfos"].as_array().expect("a list").clone();
        let pages = infos.into_iter().filter(|info| info["type"] == "page");
        let mut all: Vec<String> =
            pages.map(|info| info["url"].as_str().expect("an address").to_owned()).collect();
        all.sort();
        all
    }

    /// Waits until a tab of it has this address.
    fn wait_for(&self, url: &str) {
        let there = || match self.tabs().iter().any(|tab| tab == url) {
            true => Ok(()),
            false => Err(self.tabs()),
        };
        eventually(LIMIT, there).unwrap_or_else(|tabs| panic!("{url}: {tabs:?}"));
    }

    /// Another client of it: the eyes of its person.
    fn protocol(&self) -> Protocol {
        let (socket, _) = tungstenite::connect(self.address()).expect("a WebSocket");
        Protocol { socket, last_id: 0 }
    }

    /// What a tab of it says of a script.
    fn evaluate(&self, url: &str, script: &str) -> Value {
        let mut protocol = self.protocol();
        let session = protocol.attach_to(url);
        let params = json!({ "expression": script, "returnByValue": true, "awaitPromise": true });
        protocol.call("Runtime.evaluate", params, Some(&session))["result"]["value"].clone()
    }

    fn end(&mut self) {
        let group = Pid::from_child(&self.child);
        let _ = kill_process_group(group, Signal::KILL);
        let _ = self.child.wait();
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        self.end();
    }
}

fn program() -> PathBuf {
    let named = std::env::var_os("BROWSE_CHROMIUM").map(PathBuf::from);
    let usual = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome"];
    let found = usual.into_iter().map(PathBuf::from).find(|path| path.exists());
    named.or(found).expect("Chromium is installed")
}

struct Protocol {
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    last_id: u64,
}

impl Protocol {
    /// Attaches to the tab with this address; answers the session.
    fn attach_to(&mut self, url: &str) -> String {
        let targets = self.call("Target.getTargets", json!({}), None);
        let infos = targets["targetInfos"].as_array().expect("a list").clone();
        let info = infos.iter().find(|info| info["url"] == url).expect("the tab");
        let params = json!({ "targetId": info["targetId"], "flatten": true });
        let attached = self.call("Target.attachToTarget", params, None);
        attached["sessionId"].as_str().expect("a session").to_owned()
    }

    fn call(&mut self, method: &str, params: Value, session: Option<&str>) -> Value {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        self.socket.send(Message::text(message.to_string())).expect("it is sent");
        loop {
            let Message::Text(text) = self.socket.read().expect("an answer") else { continue };
            let mut answer: Value = serde_json::from_str(text.as_str()).expect("JSON");
            if answer["id"] == self.last_id {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].take();
            }
        }
    }
}

fn site() -> Site {
    Site::serve(&[
        ("/", "<title>ours</title><h1>Ours</h1><a href=/popup target=_blank>popup</a>"),
        ("/popup", "<title>popup</title>popup"),
        ("/mail", "<title>MAILTITLE</title><h1>Inbox</h1><button>Send</button>"),
        ("/mail/2", "<title>MAILTITLE 2</title>second"),
        ("/secret", "<title>SECRETTITLE</title>SECRETTEXT"),
    ])
}

/// A browser with a tab that nobody gives, and a project.
fn with_secret_tab(site: &Site) -> (Theirs, Project) {
    (Theirs::start(&[site.url("/secret")]), Project::new())
}

fn pages_of(project: &Project) -> Vec<String> {
    let tabs = project.json(&["tabs"]);
    let urls = tabs.as_array().expect("a list").iter();
    urls.map(|tab| tab["url"].as_str().expect("an address").to_owned()).collect()
}

#[test]
fn only_tabs_that_were_opened_or_given_are_seen_and_all_else_stays() {
    let site = site();
    let secret = site.url("/secret");
    let theirs = Theirs::start(&[secret.clone(), site.url("/mail")]);
    let project = Project::new();
    let (address, mail) = (theirs.address(), site.url("/mail"));
    let before = theirs.tabs();
    let width = theirs.evaluate(&mail, "innerWidth");

    assert_eq!(project.fail(&["connect", "--cdp", &address]), ("CDP_CONSENT_MISSING".into(), 3));
    project.ok(&["connect", "--cdp", &address, "--consent"]);
    let mut printed = project.ok(&["session", "list"]);
    let host = format!("ws://127.0.0.1:{}", theirs.port);
    assert!(printed.contains(&host) && !printed.contains(&theirs.path), "{printed}");
    assert_eq!(project.json(&["tabs"]), json!([]));
    assert_eq!(project.fail(&["text"]), ("TAB_NOT_FOUND".into(), 1));
    assert_eq!(theirs.tabs(), before);
    project.ok(&["goto", &site.url("/")]);
    printed += &project.ok(&["click", "text=popup"]);
    let ours = [site.url("/"), site.url("/popup")];
    let seen = || Some(pages_of(&project)).filter(|pages| *pages == ours).ok_or("one tab");
    eventually(LIMIT, seen).expect("the window that it opened is a tab");

    let adopted = project.json(&["adopt", &mail]);
    assert_eq!(adopted["url"], mail.as_str());
    printed += &project.ok(&["snapshot", "-i"]);
    assert!(printed.contains("Send"), "{printed}");
    project.ok(&["viewport", "400x300"]);
    project.ok(&["header", "X-Ours: 1"]);
    for line in
        [&["tabs"] as &[&str], &["status"], &["session", "list"], &["activity"], &["cookies"]]
    {
        printed += &project.ok(line);
    }
    for word in ["SECRETTITLE", "SECRETTEXT", "/secret"] {
        assert!(!printed.contains(word), "{word}: {printed}");
    }
    assert_eq!(theirs.evaluate(&mail, "innerWidth"), 400);

    // A tab that was given is given back, and may be given again.
    let id = adopted["tab_id"].to_string();
    project.ok(&["closetab", &id]);
    assert_eq!(theirs.evaluate(&mail, "innerWidth"), width, "its size is its own again");
    let again = project.json(&["adopt", &mail]);
    assert_ne!(again["tab_id"], adopted["tab_id"]);
    project.ok(&["text"]);
    project.ok(&["viewport", "400x300"]);

    let summary = project.ok(&["disconnect"]);
    assert!(summary.contains("3 tabs"), "{summary}");
    assert_eq!(theirs.tabs(), before);
    assert_eq!(theirs.evaluate(&mail, "innerWidth"), width, "no emulation is left");
    let loaded = "new Promise(done => { const f = document.createElement('iframe'); \
        f.src = '/popup'; f.onload = () => done(f.contentDocument.title); document.body.append(f) })";
    assert_eq!(theirs.evaluate(&mail, loaded), "popup", "no interception is left");
    assert_eq!(project.json(&["tabs"]), json!([]));
    project.ok(&["goto", &site.url("/")]);
    assert_eq!(theirs.tabs(), before, "it is browse's own browser again");
    // It was asked once.
    project.ok(&["--session", "other", "connect", "--cdp", &address]);
    assert_eq!(project.fail(&["connect", "--cdp", &address]), ("CDP_CONNECTED".into(), 1));
}

#[test]
fn a_tab_is_given_by_the_address_that_it_alone_has() {
    let site = site();
    let theirs = Theirs::start(&[site.url("/secret"), site.url("/mail"), site.url("/mail/2")]);
    let project = Project::new();
    let mail = format!("127.0.0.1:{}/mail", site.port());
    assert_eq!(project.fail(&["adopt", &mail]), ("NOT_CONNECTED".into(), 1));
    project.ok(&["connect", "--cdp", &theirs.address(), "--consent"]);
    for (given, count) in
        [(mail.as_str(), "2 tabs"), ("127.0.0.1", "3 tabs"), ("example.com", "no tab")]
    {
        let output = project.run(&["adopt", given]);
        assert_eq!(output.code, Some(1), "{output:?}");
        assert!(output.stderr.contains(count), "{output:?}");
        assert!(
            !output.stderr.contains("/secret") && !output.stderr.contains("TITLE"),
            "{output:?}"
        );
    }
    assert_eq!(project.fail(&["adopt", "chrome://version"]), ("CDP_TAB_NOT_FOUND".into(), 1));
    let shows = |expected: &[String]| {
        let pages = || match pages_of(&project) {
            pages if pages == expected => Ok(()),
            pages => Err(pages),
        };
        eventually(LIMIT, pages).expect("the tabs that were given");
    };
    project.ok(&["adopt", &format!("{mail}/2")]);
    shows(&[site.url("/mail/2")]);
    project.ok(&["adopt", &mail]);
    shows(&[site.url("/mail/2"), site.url("/mail")]);
}

#[test]
fn pages_of_the_browser_itself_are_not_read() {
    let site = site();
    let mail = site.url("/mail");
    let theirs = Theirs::start_whole(std::slice::from_ref(&mail));
    let project = Project::new();
    project.ok(&["connect", "--cdp", &theirs.address(), "--consent"]);
    project.ok(&["adopt", &mail]);
    // The person looks at something else in that tab.
    let version = "chrome://version/".to_owned();
    let mut protocol = theirs.protocol();
    let session = protocol.attach_to(&mail);
    protocol.call("Page.navigate", json!({ "url": version }), Some(&session));
    theirs.wait_for(&version);
    for words in [&["text"][..], &["js", "document.body.innerText"], &["screenshot", "x.png"]] {
        let output = project.run(words);
        assert_ne!(output.code, Some(0), "{output:?}");
        assert!(output.stderr.contains("a page of the browser itself"), "{output:?}");
        assert!(!format!("{output:?}").contains("Command Line"), "{output:?}");
    }
    project.ok(&["goto", &site.url("/")]);
    assert!(project.ok(&["text"]).contains("Ours"));
}

#[test]
fn windows_of_the_person_stay_theirs() {
    let site = site();
    let mail = site.url("/mail");
    let theirs = Theirs::start(std::slice::from_ref(&mail));
    let before = theirs.tabs();
    let project = Project::new();
    let open = |path: &str| {
        project.ok(&["connect", "--cdp", &theirs.address(), "--consent"]);
        project.ok(&["adopt", &mail]);
        // What is put into a page that still loads, its parser may take out again.
        project.ok(&["wait", "--load"]);
        let link = format!("<a href={path} target=_blank rel=opener>open it</a>");
        project.ok(&["js", &format!("(document.body.innerHTML = '{link}', 1)")]);
        project.ok(&["click", "text=open it"]);
        let came = || match pages_of(&project) {
            pages if pages == [mail.clone(), site.url(path)] => Ok(()),
            pages => Err(pages),
        };
        eventually(LIMIT, came).expect("the window that was opened now, and no other");
        project.ok(&["disconnect"]);
    };
    // The person may have opened it in that tab meanwhile, so it stays; the next time it is one
    // that they have.
    open("/popup");
    open("/mail/2");
    let expected = [before, vec![site.url("/popup"), site.url("/mail/2")]].concat();
    let mut tabs = theirs.tabs();
    tabs.retain(|tab| !expected.contains(tab));
    assert_eq!((tabs, theirs.tabs().len()), (Vec::new(), expected.len()));
}

#[test]
fn a_window_that_shows_a_metadata_service_is_not_read() {
    let site = site();
    let rules =
        format!("--host-resolver-rules=MAP metadata.google.internal 127.0.0.1:{}", site.port());
    let theirs = Theirs::start_program(&program(), &[rules], &[]);
    let project = Project::new();
    project.ok(&["connect", "--cdp", &theirs.address(), "--consent"]);
    project.ok(&["goto", &site.url("/")]);
    let link =
        "<a href=http://metadata.google.internal/secret target=_blank rel=opener>open it</a>";
    project.ok(&["js", &format!("(document.body.innerHTML = '{link}', 1)")]);
    project.run(&["click", "text=open it"]);
    // It is taken in time, and its document is refused; or it is closed. Whenever one looks, nothing
    // of it is there to read.
    for _ in 0..20 {
        for tab in project.json(&["tabs"]).as_array().expect("a list") {
            let output = project.run(&["text", "--tab", &tab["id"].to_string()]);
            assert!(!format!("{output:?}").contains("SECRET"), "{output:?}");
        }
    }
    let shows_it = |tab: &String| tab.contains("metadata");
    assert!(!theirs.tabs().iter().any(shows_it), "{:?}", theirs.tabs());
}

#[test]
fn tabs_of_one_profile_are_driven_together() {
    let site = site();
    let mail = site.url("/mail");
    let theirs = Theirs::start(std::slice::from_ref(&mail));
    let mut protocol = theirs.protocol();
    let private = protocol.call("Target.createBrowserContext", json!({}), None);
    let hidden = site.url("/secret");
    let params = json!({ "url": hidden, "browserContextId": private["browserContextId"] });
    protocol.call("Target.createTarget", params, None);
    theirs.wait_for(&hidden);
    let project = Project::new();
    project.ok(&["connect", "--cdp", &theirs.address(), "--consent"]);
    project.ok(&["adopt", &mail]);
    let output = project.run(&["adopt", &hidden]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(output.stderr.contains("take it in a session of its own"), "{output:?}");
    project.ok(&["--session", "private", "connect", "--cdp", &theirs.address()]);
    project.ok(&["--session", "private", "adopt", &hidden]);
    // A new tab would be in the profile, and is closed again.
    let before = theirs.tabs();
    assert_eq!(project.fail(&["--session", "private", "newtab"]).0, "FOREIGN_BROWSER");
    let closed = || match theirs.tabs() {
        tabs if tabs == before => Ok(()),
        tabs => Err(tabs),
    };
    eventually(LIMIT, closed).expect("the tab in the profile is closed again");
}

#[test]
fn a_tab_that_was_given_back_is_attached_to_nothing() {
    let site = site();
    let mail = site.url("/mail");
    let theirs = Theirs::start(std::slice::from_ref(&mail));
    let project = Project::new();
    project.ok(&["connect", "--cdp", &theirs.address(), "--consent"]);
    let is_attached = || {
        let targets = theirs.protocol().call("Target.getTargets", json!({}), None);
        let infos = targets["targetInfos"].as_array().expect("a list").clone();
        infos.iter().any(|info| info["url"] == mail.as_str() && info["attached"] == true)
    };
    let id = project.json(&["adopt", &mail])["tab_id"].to_string();
    assert!(is_attached());
    project.ok(&["closetab", &id]);
    assert!(!is_attached());
    // A tab of another session is not taken, and goes back too.
    project.ok(&["adopt", &mail]);
    project.ok(&["--session", "other", "connect", "--cdp", &theirs.address()]);
    let refused = project.fail(&["--session", "other", "adopt", &mail]);
    assert_eq!(refused, ("CDP_CONNECTED".into(), 1));
    project.ok(&["disconnect"]);
    assert!(!is_attached());
}

#[test]
fn a_server_that_says_nothing_holds_up_nobody_else() {
    let site = site();
    let theirs = Theirs::start(&[]);
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("an address").port();
    let project = Project::new();
    let address = format!("wss://127.0.0.1:{port}/x");
    let output = project.run(&["connect", "--cdp", &address, "--consent", "--timeout", "1s"]);
    assert_ne!(output.code, Some(0), "{output:?}");
    let other = ["--session", "other", "connect", "--cdp", &theirs.address(), "--consent"];
    project.ok(&[&other[..], &["--timeout", "8s"]].concat());
    // The connection that failed does not come later.
    project.ok(&["goto", &site.url("/")]);
    assert_eq!(pages_of(&project), [site.url("/")]);
    drop(silent);
    assert_eq!(pages_of(&project), [site.url("/")]);
    project.ok(&["stop"]);
    project.assert_empty_within(LIMIT);
}

#[test]
fn what_would_sign_the_person_out_or_lose_files_is_refused() {
    let site = site();
    let mail = site.url("/mail");
    let theirs = Theirs::start(std::slice::from_ref(&mail));
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["state", "save", "own"]);
    project.ok(&["closetab"]);
    project.ok(&["connect", "--cdp", &theirs.address(), "--consent"]);
    project.ok(&["adopt", &mail]);
    for words in [
        &["state", "load", "own", "--no-tabs", "--replace"][..],
        &["click", "button", "--download", "x.csv"],
    ] {
        assert_eq!(project.fail(words), ("FOREIGN_BROWSER".into(), 3), "{words:?}");
    }
}

#[test]
fn cookies_and_storage_are_those_of_given_sites_alone() {
    let site = site();
    let other = format!("http://localhost:{}/who", site.port());
    let theirs = Theirs::start(&[]);
    for page in [site.url("/who"), other.clone()] {
        let signs_in = page.replace("/who", "/sign-in");
        theirs.protocol().call("Target.createTarget", json!({ "url": signs_in }), None);
        theirs.wait_for(&page);
    }
    let project = Project::new();
    project.ok(&["connect", "--cdp", &theirs.address(), "--consent"]);
    assert_eq!(project.fail(&["cookies"]), ("TAB_NOT_FOUND".into(), 1));
    project.ok(&["adopt", &format!("127.0.0.1:{}", site.port())]);
    let cookies = project.json(&["cookies"]);
    let domains: Vec<&str> = cookies
        .as_array()
        .expect("a list")
        .iter()
        .map(|cookie| cookie["domain"].as_str().expect("a domain"))
        .collect();
    assert_eq!(domains, ["127.0.0.1"], "{cookies}");
    let saved = project.ok(&["state", "save", "mine"]);
    assert!(saved.contains("1 cookie,"), "{saved}");
    project.ok(&["cookie", "mine=1"]);
    let foreign = ["cookie", "theirs=1", "--domain", "localhost"];
    let refused = project.fail(&foreign);
    assert_eq!(refused, ("FOREIGN_BROWSER".into(), 3));
    assert_eq!(theirs.evaluate(&other, "document.cookie.includes('theirs')"), false);
    for line in [
        &["cdp", "Browser.getVersion"] as &[&str],
        &["trace", "start"],
        &["clipboard", "read"],
        &["cdp-url"],
        &["handoff"],
        &["connect"],
        &["press", "Control+V"],
    ] {
        assert_eq!(project.fail(line), ("FOREIGN_BROWSER".into(), 3), "{line:?}");
    }
}

#[test]
fn documents_are_checked_there_too() {
    let site = site();
    let (theirs, project) = with_secret_tab(&site);
    project.ok(&["connect", "--cdp", &theirs.address(), "--consent"]);
    let led_there = site.url("/redirect?http://169.254.169.254/latest");
    assert_eq!(project.fail(&["goto", &led_there]).0, "ADDRESS_DENIED");
    let page = project.write("page.html", "<a href='http://169.254.169.254/latest'>there</a>");
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["load-html", &page.display().to_string()]);
    let clicked = project.run(&["click", "text=there"]);
    assert!(format!("{clicked:?}").contains("not allowed"), "{clicked:?}");
    assert!(theirs.tabs().iter().all(|url| !url.contains("169.254")), "{:?}", theirs.tabs());
}

#[test]
fn a_killed_daemon_leaves_no_tab_of_ours_and_no_process() {
    let site = site();
    let (theirs, project) = with_secret_tab(&site);
    let before = theirs.tabs();
    project.ok(&["connect", "--cdp", &theirs.address(), "--consent"]);
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["click", "text=popup"]);
    assert_eq!(theirs.tabs().len(), before.len() + 2);
    let pid = project.daemon_pid().expect("a daemon");
    kill_process(Pid::from_raw(pid as i32).expect("a pid"), Signal::KILL).expect("it is killed");
    eventually(LIMIT, || if theirs.tabs() == before { Ok(()) } else { Err(theirs.tabs()) })
        .expect("only their tabs are left");
    project.assert_empty_within(LIMIT);
}

#[test]
fn a_stopped_daemon_leaves_no_tab_of_ours() {
    let site = site();
    let (theirs, project) = with_secret_tab(&site);
    let before = theirs.tabs();
    project.ok(&["connect", "--cdp", &theirs.address(), "--consent"]);
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["stop"]);
    eventually(LIMIT, || if theirs.tabs() == before { Ok(()) } else { Err(theirs.tabs()) })
        .expect("only their tabs are left");
    project.assert_empty_within(LIMIT);
}

#[test]
fn a_browser_that_ends_is_reported_until_somebody_decides() {
    let site = site();
    let (mut theirs, project) = with_secret_tab(&site);
    project.ok(&["connect", "--cdp", &theirs.address(), "--consent"]);
    project.ok(&["goto", &site.url("/")]);
    theirs.end();
    let gone = || {
        let output = project.run(&["text"]);
        let is_reported = output.stderr.contains("has ended") && output.code != Some(0);
        if is_reported { Ok(output.stderr) } else { Err(output) }
    };
    let reported = eventually(LIMIT, gone).expect("its end is reported");
    assert!(reported.contains("browse disconnect"), "{reported}");
    for line in [&["goto", "about:blank"] as &[&str], &["snapshot"], &["newtab"], &["click", "a"]] {
        assert_eq!(project.fail(line).0, "BROWSER_GONE", "{line:?}");
    }
    // Another session is not concerned.
    project.ok(&["--session", "own", "goto", &site.url("/")]);
    let next = Theirs::start(&[]);
    project.ok(&["connect", "--cdp", &next.address(), "--consent"]);
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["disconnect"]);
    project.ok(&["goto", &site.url("/")]);
}

#[test]
fn the_browser_of_the_setting_has_the_default_session_or_says_why_not() {
    let site = site();
    let (theirs, project) = with_secret_tab(&site);
    let project = project.with("BROWSE_CDP_URL", &theirs.address());
    let count = theirs.tabs().len();
    assert_eq!(project.fail(&["goto", &site.url("/")]), ("CDP_CONSENT_MISSING".into(), 3));
    project.ok(&["connect", "--cdp", &theirs.address(), "--consent"]);
    project.ok(&["goto", &site.url("/")]);
    assert_eq!(theirs.tabs().len(), count + 1);
    project.ok(&["stop"]);
    // With the consent of before.
    project.ok(&["goto", &site.url("/")]);
    assert_eq!(theirs.tabs().len(), count + 1);
    project.ok(&["session", "close", "default"]);
    project.ok(&["goto", &site.url("/")]);
    assert_eq!(theirs.tabs().len(), count + 1, "its successor is there too");
    project.ok(&["--session", "own", "goto", &site.url("/")]);
    assert_eq!(theirs.tabs().len(), count + 1, "other sessions are in browse's own");
}

#[test]
fn confined_callers_stay_out() {
    let site = site();
    let (theirs, project) = with_secret_tab(&site);
    project.ok(&["connect", "--cdp", &theirs.address(), "--consent"]);
    project.ok(&["goto", &site.url("/")]);
    let skill = ["--session", "default", "skill", "run", "page-to-markdown", "--arg", "url=x"];
    let refused = project.run(&skill);
    assert_ne!(refused.code, Some(0), "{refused:?}");
    assert!(
        refused.stderr.contains("FOREIGN_BROWSER")
            || refused.stderr.contains("browser of a person"),
        "{refused:?}"
    );
}

/// Passes connections on to a browser, as one that has no `/json`.
fn without_json(port: u16, connections: &Arc<AtomicUsize>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let own = listener.local_addr().expect("an address").port();
    let connections = Arc::clone(connections);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            connections.fetch_add(1, Ordering::SeqCst);
            thread::spawn(move || pass_on(stream, port));
        }
    });
    own
}

fn pass_on(mut stream: TcpStream, port: u16) -> Option<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).ok()? == 1 {
        head.push(byte[0]);
    }
    if head.starts_with(b"GET /json") {
        let answer = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return stream.write_all(answer.as_bytes()).ok();
    }
    let mut browser = TcpStream::connect(("127.0.0.1", port)).ok()?;
    browser.write_all(&head).ok()?;
    let (mut from, mut to) = (stream.try_clone().ok()?, browser.try_clone().ok()?);
    thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        to.shutdown(Shutdown::Both)
    });
    let _ = std::io::copy(&mut browser, &mut stream);
    stream.shutdown(Shutdown::Both).ok()
}

fn write_port_file(home: &Path, text: &str) {
    let profile = home.join(".config/google-chrome");
    fs::create_dir_all(&profile).expect("a profile");
    fs::write(profile.join("DevToolsActivePort"), text).expect("a file");
}

#[test]
#[cfg(target_os = "linux")]
fn the_chrome_of_the_user_is_found_by_its_file_and_keeps_one_connection() {
    let site = site();
    let (theirs, project) = with_secret_tab(&site);
    let connections = Arc::new(AtomicUsize::new(0));
    let port = without_json(theirs.port, &connections);
    let connect = ["connect", "--cdp", "channel:chrome", "--consent"];
    let output = project.run(&connect);
    assert_eq!(output.code, Some(4), "{output:?}");
    assert!(output.stderr.contains("chrome://inspect/#remote-debugging"), "{output:?}");
    let by_port = project.run(&["connect", "--cdp", &port.to_string(), "--consent"]);
    assert!(by_port.stderr.contains("channel:chrome"), "{by_port:?}");
    write_port_file(&project.user_home(), "none\n");
    assert_eq!(project.fail(&connect), ("CDP_UNREACHABLE".into(), 4));
    write_port_file(&project.user_home(), &format!("{port}\n{}\n", theirs.path));
    connections.store(0, Ordering::SeqCst);
    project.ok(&connect);
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["newtab", &site.url("/popup")]);
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[test]
fn what_is_no_browser_says_so() {
    let project = Project::new();
    let site = site();
    let quiet = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let free = {
        let closed = TcpListener::bind("127.0.0.1:0").expect("a free port");
        closed.local_addr().expect("an address").port()
    };
    drop(quiet);
    let table = [
        (format!("ws://127.0.0.1:{free}/x"), "CDP_UNREACHABLE", 4),
        (free.to_string(), "CDP_UNREACHABLE", 4),
        (site.url("/"), "CDP_UNREACHABLE", 4),
        (format!("ws://127.0.0.1:{}/", site.port()), "CDP_UNREACHABLE", 4),
        ("http://169.254.169.254/".to_owned(), "CDP_ADDRESS_REFUSED", 3),
        ("ws://93.184.216.34/x".to_owned(), "CDP_ADDRESS_REFUSED", 3),
        ("chrome".to_owned(), "ARGUMENT_INVALID", 2),
        ("channel:netscape".to_owned(), "ARGUMENT_INVALID", 2),
        ("file:///etc/passwd".to_owned(), "ARGUMENT_INVALID", 2),
        (String::new(), "ARGUMENT_INVALID", 2),
    ];
    for (address, reason, code) in table {
        let line = ["connect", "--cdp", &address, "--consent"];
        assert_eq!(project.fail(&line), (reason.to_owned(), code), "{address}");
    }
    let secret = "wss://127.0.0.1:9/x?token=TOPSECRET";
    let output = project.run(&["connect", "--cdp", secret, "--consent"]);
    let log = fs::read_to_string(project.path().join(".browse/daemon.log")).expect("a log");
    let activity = project.ok(&["activity"]);
    for text in [&output.stdout, &output.stderr, &log, &activity] {
        assert!(!text.contains("TOPSECRET"), "{text}");
    }
    project.ok(&["goto", &site.url("/")]);
    assert_eq!(project.fail(&["connect", "--consent"]), ("ARGUMENT_INVALID".into(), 2));
}
