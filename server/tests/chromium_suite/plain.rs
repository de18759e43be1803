//! What the browser says it is: in every request from the first one on, and to
//! every script.

use browse_chromium::{EvaluateOptions, LoadState, Navigated, Page, UserAgentMode};
use serde_json::{Value, json};

use crate::support::browser::{Fixture, js, options, soon};
use crate::support::site::{Route, Site};

/// All that scripts can ask a browser for.
const REPORT: &str = "navigator.userAgentData.getHighEntropyValues(['architecture', 'bitness', \
    'model', 'platformVersion', 'fullVersionList', 'uaFullVersion', 'wow64', 'formFactors'])\
    .then(hints => ({hints, agent: navigator.userAgent, version: navigator.appVersion, \
    languages: navigator.languages, language: navigator.language}))";

/// A page that makes a request of every kind.
const HOME: &str = "<img src=/img><iframe src='http://localhost:{port}/frame'></iframe><script>\
    fetch('/fetch');\
    const reported = {};\
    new Worker('/worker.js').onmessage = event => reported.worker = event.data;\
    const shared = new SharedWorker('/shared.js');\
    shared.port.onmessage = event => reported.shared = event.data;\
    navigator.serviceWorker.onmessage = event => reported.service = event.data;\
    navigator.serviceWorker.register('/service.js');\
    const other = 'http://localhost:{port}/popup-of-another-site';\
    </script>";

/// What a worker reads of itself.
const OF_WORKER: &str = "[navigator.userAgent, JSON.stringify(navigator.userAgentData), ...navigator.languages].join('|')";

async fn start_site() -> Site {
    let hints = "Accept-CH: Sec-CH-UA-Full-Version-List, Sec-CH-UA-Platform-Version, \
        Sec-CH-UA-Arch, Sec-CH-UA-Bitness, Sec-CH-UA-Model, Sec-CH-UA-Full-Version, \
        Sec-CH-UA-WoW64, Sec-CH-UA-Form-Factors";
    let site = Site::start().await.page("/frame", "<script>fetch('/of-frame')</script>");
    let home = HOME.replace("{port}", &site.port().to_string()).into_bytes();
    let head = vec!["Content-Type: text/html".to_owned(), hints.to_owned()];
    site.set("/", Route::Raw(200, head, home));
    let script = |text: &str| {
        let kind = vec!["Content-Type: text/javascript".to_owned()];
        let text = text.replace("SELF", OF_WORKER).into_bytes();
        Route::Raw(200, kind, text)
    };
    site.set(
        "/worker.js",
        script("fetch('/of-worker'); new Worker('/nested.js'); postMessage(SELF)"),
    );
    site.set("/nested.js", script("fetch('/of-nested')"));
    site.set(
        "/shared.js",
        script("onconnect = event => { fetch('/of-shared'); event.ports[0].postMessage(SELF) }"),
    );
    site.set(
        "/service.js",
        script(
            "fetch('/of-service'); onactivate = event => event.waitUntil(clients.claim()\
             .then(() => clients.matchAll({includeUncontrolled: true}))\
             .then(all => all.forEach(client => client.postMessage(SELF))))",
        ),
    );
    for path in ["/popup", "/popup-of-another-site", "/without-opener", "/tab"] {
        site.set(path, Route::Html(format!("<title>{path}</title>")));
    }
    site
}

/// Every path that is asked for.
const PATHS: [&str; 18] = [
    "/",
    "/img",
    "/fetch",
    "/frame",
    "/of-frame",
    "/worker.js",
    "/of-worker",
    "/nested.js",
    "/of-nested",
    "/shared.js",
    "/of-shared",
    "/service.js",
    "/of-service",
    "/popup",
    "/popup-of-another-site",
    "/without-opener",
    "/tab",
    "/again",
];

async fn ask(page: &Page, expression: &str) -> Value {
    let frame = page.main_frame().id;
    let wanted = EvaluateOptions { user_gesture: true, ..EvaluateOptions::default() };
    page.evaluate(&frame, expression, wanted).unwrap().await.unwrap()
}

/// What the three kinds of workers have read of themselves.
async fn worker_reports(page: &Page) -> Value {
    loop {
        let reported = js(page, "reported").await;
        if reported.as_object().is_some_and(|reported| reported.len() == 3) {
            return reported;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// What a browser says: to scripts, to workers, and in the headers of each path.
async fn reported(fixture: &Fixture, site: &Site) -> (Value, Value, Vec<(String, Value)>) {
    fixture.goto(&site.url("/")).await;
    let workers = soon(worker_reports(&fixture.page)).await;
    // A script of a caller opens one window.
    for open in [
        "open('/popup') && 1",
        "open(other) && 1",
        "open('/without-opener', '_blank', 'noopener') === null",
    ] {
        ask(&fixture.page, open).await;
    }
    let tab = fixture.context.new_page().await.unwrap();
    let Navigated::Document(loader) = tab.navigate(&site.url("/tab")).await.unwrap() else {
        panic!("a document")
    };
    tab.wait_for(&loader, LoadState::Load).await.unwrap();
    let scripts = ask(&tab, REPORT).await;
    ask(&tab, "fetch('/again').then(() => 1)").await;
    for path in PATHS {
        soon(site.wait_hit(path)).await;
    }
    let headers = |path: &str| {
        let heads = site.heads();
        let is_it = |head: &&Vec<String>| {
            let requested = head[0].split(' ').nth(1).unwrap_or_default();
            requested == path
        };
        let head = heads.iter().find(is_it).expect("it was asked for").clone();
        let shown = |line: &str| {
            let (name, value) = line.split_once(": ")?;
            let name = name.to_ascii_lowercase();
            let counts =
                name.starts_with("sec-ch-") || ["user-agent", "accept-language"].contains(&&*name);
            counts.then(|| (name, json!(value)))
        };
        Value::Object(head.iter().skip(1).filter_map(|line| shown(line)).collect())
    };
    (scripts, workers, PATHS.iter().map(|path| ((*path).to_owned(), headers(path))).collect())
}

/// A value with the word that makes the difference taken out.
fn without_headless(value: &Value) -> Value {
    serde_json::from_str(&value.to_string().replace("HeadlessChrome", "Chrome")).unwrap()
}

#[tokio::test]
async fn the_browser_says_what_it_says_with_a_window() {
    let site = start_site().await;
    let shell = Fixture::start().await;
    let (scripts, workers, headers) = reported(&shell, &site).await;
    let all = format!("{scripts}{workers}{headers:?}");
    assert!(!all.contains("Headless"), "{all}");
    for (path, sent) in &headers {
        assert_eq!(sent["user-agent"], scripts["agent"], "{path}");
        assert_eq!(sent["accept-language"], "en-US,en;q=0.9", "{path}");
    }
    let full_version = shell.browser.info().product.split('/').nth(1).unwrap().to_owned();
    assert_eq!(scripts["hints"]["uaFullVersion"], full_version);
    assert_eq!(shell.page.default_user_agent(), scripts["agent"]);

    // The full browser without a window differs from one with a window by one word.
    let other = start_site().await;
    let mut wanted = options();
    wanted.launch.executable = Some("/usr/lib/chromium/chromium".into());
    wanted.launch.user_agent = UserAgentMode::Headless;
    let full = Fixture::start_with(wanted).await;
    let reference = reported(&full, &other).await;
    assert!(reference.0["agent"].as_str().unwrap().contains("HeadlessChrome"));
    assert_eq!(scripts, without_headless(&reference.0));
    assert_eq!(workers, without_headless(&reference.1));
    for ((path, sent), (_, expected)) in headers.iter().zip(&reference.2) {
        let mut expected = without_headless(expected);
        // docs/identity.md lists it among the limits.
        if path == "/without-opener" {
            expected.as_object_mut().unwrap().remove("sec-ch-ua-form-factors");
        }
        assert_eq!(*sent, expected, "{path}");
    }
}

#[tokio::test]
async fn the_full_browser_says_it_as_well() {
    let site = start_site().await;
    let full = Fixture::start_full().await;
    let (scripts, workers, headers) = reported(&full, &site).await;
    let all = format!("{scripts}{workers}{headers:?}");
    assert!(!all.contains("Headless") && !all.contains("q=0.9,"), "{all}");
}

#[tokio::test]
async fn another_user_agent_goes_over_it_and_leaves_it() {
    let site = start_site().await;
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/tab")).await;
    let own = fixture.js("navigator.userAgent").await;
    fixture.page.emulate(|state| state.user_agent = Some("Fox/1.0".to_owned())).await.unwrap();
    fixture.goto(&site.url("/tab")).await;
    assert_eq!(fixture.js("navigator.userAgent").await, "Fox/1.0");
    fixture.page.emulate(|state| state.locale = Some("de-DE".to_owned())).await.unwrap();
    fixture.page.emulate(|state| state.user_agent = None).await.unwrap();
    fixture.goto(&site.url("/tab")).await;
    assert_eq!(fixture.js("navigator.userAgent").await, own);
    assert_eq!(fixture.js("navigator.languages").await, json!(["de-DE", "de"]));
    fixture.page.emulate(|state| state.locale = None).await.unwrap();
    fixture.goto(&site.url("/tab")).await;
    assert_eq!(fixture.js("navigator.languages").await, json!(["en-US", "en"]));
    assert!(!ask(&fixture.page, REPORT).await.to_string().contains("Headless"));
    let heads = site.heads();
    let agents: Vec<&str> =
        heads.iter().flatten().filter_map(|line| line.strip_prefix("User-Agent: ")).collect();
    let own = own.as_str().unwrap();
    assert_eq!(agents, [own, "Fox/1.0", own, own]);
}

#[tokio::test]
async fn the_browser_says_what_it_is_when_that_is_wanted() {
    let site = start_site().await;
    let mut wanted = options();
    wanted.launch.user_agent = UserAgentMode::Headless;
    let fixture = Fixture::start_with(wanted).await;
    fixture.goto(&site.url("/tab")).await;
    let reported = ask(&fixture.page, REPORT).await;
    assert!(reported["agent"].as_str().unwrap().contains("HeadlessChrome"), "{reported}");
    assert!(reported["hints"].to_string().contains("HeadlessChrome"), "{reported}");
}

#[tokio::test]
async fn what_the_user_wrote_for_chromium_stays() {
    let site = start_site().await;
    let mut wanted = options();
    wanted.launch.extra_args = vec!["--user-agent=Mine/1.0".to_owned()];
    let fixture = Fixture::start_with(wanted).await;
    fixture.goto(&site.url("/tab")).await;
    assert_eq!(fixture.js("navigator.userAgent").await, "Mine/1.0");
    let mut wanted = options();
    wanted.launch.extra_args = vec!["--accept-lang=de".to_owned()];
    let fixture = Fixture::start_with(wanted).await;
    fixture.goto(&site.url("/tab")).await;
    assert_eq!(fixture.js("navigator.languages").await, json!(["de"]));
    assert!(!fixture.js("navigator.userAgent").await.to_string().contains("Headless"));
}
