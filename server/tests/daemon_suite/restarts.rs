//! A browser that dies under its sessions, and the next one.

use std::time::Duration;

use browse_net::HostPolicy;
use browse_policy::ClientId;
use browse_proto::{Command, metadata, v1};
use browse_sessions::{SessionRules, SessionSnapshot};
use futures::StreamExt as _;
use prost::Message as _;
use prost_types::Any;
use tonic::{Request, Response, Status};

use super::{
    process::{kill, reason},
    support::site::{Route, Site},
    world::World,
};

const PAGE: &str =
    "<title>Shop</title><button onclick='fetch(`/buy`, { method: `POST` })'>Buy</button>
<a href='/far'>far</a><p id=told></p><script>
    told.textContent = [document.cookie, localStorage.cart, sessionStorage.step].join(' ');
</script>";

/// What a visitor leaves behind.
const VISIT: &str = "(() => { document.cookie = 'sid=ada; max-age=1000'; \
    localStorage.cart = 'two \\ud800'; sessionStorage.step = '3'; return 0; })()";

impl World {
    async fn open(&self, url: &str) -> u64 {
        let request = v1::NewTabRequest { url: Some(url.to_owned()) };
        self.browser().new_tab(self.root(request)).await.unwrap().into_inner().tab_id
    }

    async fn evaluate(&self, tab: u64, script: &str) -> Result<Response<v1::JsResponse>, Status> {
        let request = v1::JsRequest { expression: script.to_owned() };
        self.browser().js(in_tab(self, tab, request)).await
    }

    async fn value(&self, tab: u64, script: &str) -> String {
        self.evaluate(tab, script).await.unwrap().into_inner().value
    }

    async fn tabs(&self) -> Vec<v1::Tab> {
        let answer = self.browser().list_tabs(self.root(v1::ListTabsRequest {})).await;
        answer.unwrap().into_inner().tabs
    }

    /// Kills the browser and waits until that is noticed.
    async fn kill_browser(&self) {
        let slot = self.daemon.sessions().browser_handle();
        let browser = slot.browser().await.unwrap();
        let mut ended = slot.watch_exits();
        ended.borrow_and_update();
        kill(u64::from(browser.info().pid));
        ended.changed().await.unwrap();
    }

    /// Waits until the session `default` was kept so.
    async fn kept(&self, is_so: impl Fn(&SessionSnapshot) -> bool) {
        while !is_so(&self.daemon.sessions().get("default").unwrap().snapshot()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

fn in_tab<T>(world: &World, tab: u64, message: T) -> Request<T> {
    let mut request = world.root(message);
    request.metadata_mut().insert(metadata::TAB, tab.into());
    request
}

fn notice<T>(answer: &Response<T>) -> String {
    let notice = answer.metadata().get(metadata::NOTICE);
    notice.map(|notice| notice.to_str().unwrap().to_owned()).unwrap_or_default()
}

fn has_sid(kept: &SessionSnapshot) -> bool {
    kept.cookies().contains(&("sid".to_owned(), "ada".to_owned()))
}

#[tokio::test(flavor = "multi_thread")]
async fn tabs_come_back_with_their_addresses_cookies_and_storage() {
    let site = Site::start().await.page("/", PAGE).page("/other", PAGE);
    let world = World::with_kept_browser().await;
    let shop = world.open(&site.url("/")).await;
    world.value(shop, VISIT).await;
    let other = world.open(&site.url("/other")).await;
    let snapshot = v1::SnapshotRequest { interactive: true, ..Default::default() };
    let seen = world.browser().snapshot(in_tab(&world, shop, snapshot)).await.unwrap();
    let stale = seen.get_ref().tree.split('@').nth(1).unwrap();
    let stale = format!("@{}", stale.split([' ', ']']).next().unwrap());
    world.kept(|kept| has_sid(kept) && kept.memory_bytes() > 200).await;
    let hits = site.hits().len();
    world.kill_browser().await;
    let tabs = world.tabs().await;
    let reported: Vec<_> = tabs.iter().map(|tab| (tab.id, tab.url.clone(), tab.active)).collect();
    let expected = [(shop, site.url("/"), false), (other, site.url("/other"), true)];
    assert!(reported.ends_with(&expected), "{reported:?}");
    assert!(tabs.iter().all(|tab| tab.state == "unloaded"), "{tabs:?}");
    assert_eq!(site.hits().len(), hits, "nothing is loaded before it is used");
    let click = v1::ClickRequest { target: stale, ..Default::default() };
    let clicked = world.browser().click(in_tab(&world, shop, click)).await;
    assert_eq!(reason(&clicked.unwrap_err()), "REF_STALE");
    assert_eq!(site.hits()[hits..].iter().filter(|hit| !hit.ends_with("favicon.ico")).count(), 1);
    assert!(site.hits()[hits].starts_with("GET "), "{:?}", site.hits());
    // What the page found as it loaded.
    assert_eq!(world.value(shop, "told.textContent").await, "\"sid=ada two \\ud800 3\"");
    assert_eq!(world.value(shop, "localStorage.cart.charCodeAt(4)").await, "55296");
    // The other tab has the storage of the origin, as the first one changed it.
    world.value(shop, "localStorage.cart = 'three'").await;
    assert_eq!(world.value(other, "told.textContent").await, "\"sid=ada three \"");
    assert!(world.tabs().await.iter().filter(|tab| tab.id >= shop).all(|tab| tab.state == "idle"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acted_on_is_loaded_again_only_when_a_caller_says_so() {
    let site = Site::start().await.page("/", PAGE).page("/calm", PAGE).hang("/slow").hang("/buy");
    let world = World::with_kept_browser().await;
    let (acted, loading, calm) = (
        world.open(&site.url("/")).await,
        world.open(&site.url("/")).await,
        world.open(&site.url("/calm")).await,
    );
    let script = "fetch('/buy', { method: 'POST' })";
    let goto = v1::GotoRequest { url: site.url("/slow"), wait: 0 };
    let (mut first, mut second) = (world.browser(), world.browser());
    let js = in_tab(&world, acted, v1::JsRequest { expression: script.to_owned() });
    let goto = in_tab(&world, loading, goto);
    let buys = tokio::spawn(async move { first.js(js).await.map(drop) });
    let goes = tokio::spawn(async move { second.goto(goto).await.map(drop) });
    site.wait_hit("/buy").await;
    site.wait_hit("/slow").await;
    world.kill_browser().await;
    for call in [buys, goes] {
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(reason(&error), "BROWSER_GONE");
        assert!(error.message().contains("the browser is gone"), "{error}");
    }
    let hits = site.hits().len();
    for tab in [acted, loading] {
        let error = world.evaluate(tab, "1").await.unwrap_err();
        assert_eq!(reason(&error), "TAB_UNLOADED");
    }
    assert_eq!(site.hits().len(), hits);
    let calmly = world.evaluate(calm, "1").await.unwrap();
    assert!(notice(&calmly).starts_with("BROWSER%5FRESTARTED"), "{}", notice(&calmly));
    for tab in [acted, loading] {
        let reload = in_tab(&world, tab, v1::ReloadRequest { wait: 0 });
        let there = world.browser().reload(reload).await.unwrap().into_inner();
        assert_eq!((there.url, there.title), (site.url("/"), "Shop".to_owned()));
        assert_eq!(world.value(tab, "document.title").await, "\"Shop\"");
    }
    let count = |what: &str| site.hits().iter().filter(|hit| hit.contains(what)).count();
    assert_eq!((count("POST "), count("/slow")), (1, 1), "{:?}", site.hits());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_does_not_go_on_in_the_next_browser() {
    let site = Site::start().await.page("/", PAGE).hang("/buy");
    let world = World::with_kept_browser().await;
    world.open(&site.url("/")).await;
    let step = |script: &str| {
        let full = Command::by_name("js").unwrap().request.full_name;
        let value = v1::JsRequest { expression: script.to_owned() }.encode_to_vec();
        let type_url = format!("type.googleapis.com/{full}");
        v1::Step { tab: None, request: Some(Any { type_url, value }) }
    };
    let steps = vec![step("fetch('/buy')"), step("fetch('/again')")];
    let request = world.root(v1::BatchRequest { steps });
    let mut client = world.browser();
    let batch = tokio::spawn(async move { client.batch(request).await.unwrap().into_inner() });
    site.wait_hit("/buy").await;
    world.kill_browser().await;
    let results = batch.await.unwrap().results;
    for result in results {
        let Some(v1::step_result::Outcome::Error(error)) = result.outcome else { panic!() };
        assert_eq!(error.reason, "BROWSER_GONE");
    }
    assert!(!site.hits().iter().any(|hit| hit.ends_with("/again")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rules_of_a_restricted_session_stand_in_the_next_browser() {
    let far = Site::start().await.page("/", PAGE);
    let html = format!("{PAGE}<img src='{}'>", far.url("/"));
    let site = Site::start().await.page("/", &html);
    let world = World::with_kept_browser().await;
    let hosts = HostPolicy::from_patterns([format!("127.0.0.1:{}", site.port())]).unwrap();
    let (name, owner) = ("narrow".parse().unwrap(), ClientId::root());
    world.daemon.sessions().open(&name, &owner, SessionRules { hosts }).await.unwrap();
    let narrow = |message: v1::GotoRequest| {
        let mut request = world.root(message);
        request.metadata_mut().insert(metadata::SESSION, "narrow".parse().unwrap());
        request
    };
    let to = |url: String| v1::GotoRequest { url, wait: 0 };
    for round in 0..2 {
        world.browser().goto(narrow(to(site.url("/")))).await.unwrap();
        let refused = world.browser().goto(narrow(to(far.url("/")))).await.unwrap_err();
        assert_eq!(reason(&refused), "HOST_DENIED");
        // The tab that is loaded again goes by the same rules.
        world.browser().goto(narrow(to(site.url("/")))).await.unwrap();
        if round == 0 {
            world.kill_browser().await;
            let mut request = world.root(v1::TextRequest { target: None });
            request.metadata_mut().insert(metadata::SESSION, "narrow".parse().unwrap());
            world.browser().text(request).await.unwrap();
        }
    }
    assert_eq!(far.hits(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn captures_end_with_what_they_have() {
    let site = Site::start().await.page("/", PAGE).page("/next", PAGE);
    let world = World::with_kept_browser().await;
    let tab = world.open(&site.url("/")).await;
    world.browser().start_har(in_tab(&world, tab, v1::StartHarRequest {})).await.unwrap();
    let film = v1::StartRecordingRequest { fps: Some(30), ..Default::default() };
    world.browser().start_recording(in_tab(&world, tab, film)).await.unwrap();
    let goto = v1::GotoRequest { url: site.url("/next"), wait: 0 };
    world.browser().goto(in_tab(&world, tab, goto)).await.unwrap();
    let paint = "(() => { let n = 0; setInterval(() => { \
        document.body.style.background = `rgb(${++n % 256}, 0, 0)`; }, 20); return 0; })()";
    world.value(tab, paint).await;
    let session = world.daemon.sessions().get("default").unwrap();
    while session.recording().as_ref().unwrap().frame_count() < 3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    world.kill_browser().await;
    let stopped =
        world.browser().stop_har(in_tab(&world, tab, v1::StopHarRequest::default())).await;
    let har = stopped.unwrap().into_inner();
    assert!(har.entries >= 1, "{}", har.note);
    assert!(String::from_utf8(har.har).unwrap().contains("/next"));
    let stop = in_tab(&world, tab, v1::StopRecordingRequest {});
    let mut parts = world.browser().stop_recording(stop).await.unwrap().into_inner();
    let mut tail = None;
    while let Some(part) = parts.next().await {
        tail = part.unwrap().tail.or(tail);
    }
    let tail = tail.unwrap();
    assert!(tail.bytes > 0 && tail.note.contains("the browser ended"), "{tail:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_ends_too_often_is_left_alone() {
    let site = Site::start().await.route("/", Route::Html(PAGE.to_owned()));
    let world = World::with_kept_browser().await;
    let tab = world.open(&site.url("/")).await;
    for _ in 0..3 {
        world.kill_browser().await;
    }
    let error = world.evaluate(tab, "1").await.unwrap_err();
    assert_eq!(reason(&error), "BROWSER_GONE");
    assert!(error.message().contains("3 times within a minute"), "{error}");
    let status = world.control().status(world.root(v1::StatusRequest {})).await.unwrap();
    assert_eq!(status.get_ref().browser.as_ref().unwrap().state, "gone");
    assert_eq!(world.tabs().await.len(), 1, "tabs are known all the same");
    assert!(!world.daemon.is_shutting_down());
}
