//! Routes, and that the guard comes before them; recorded requests; traces.

use std::time::Duration;

use browse_net::HostPolicy;
use browse_policy::Scopes;
use browse_proto::{Scope, v1};
use browse_sessions::{SessionName, SessionRules};
use serde_json::{Value, json};
use tonic::Request;

use super::{
    process::reason,
    support::site::{Route, Site},
    world::{World, within},
};

fn route(glob: &str) -> v1::RouteRequest {
    v1::RouteRequest { glob: glob.to_owned(), ..Default::default() }
}

fn fulfil(glob: &str, body: &str) -> v1::RouteRequest {
    v1::RouteRequest { body: Some(body.to_owned()), ..route(glob) }
}

async fn add(world: &World, request: v1::RouteRequest) {
    world.browser().route(world.root(request)).await.unwrap();
}

async fn goto(world: &World, url: &str) -> Result<(), tonic::Status> {
    let goto = v1::GotoRequest { url: url.to_owned(), wait: 0 };
    world.browser().goto(world.root(goto)).await.map(drop)
}

async fn js(world: &World, expression: &str) -> Value {
    let request = v1::JsRequest { expression: expression.to_owned() };
    let answer = world.browser().js(world.root(request)).await.unwrap();
    serde_json::from_str(&answer.into_inner().value).unwrap()
}

/// What a script sees of an address.
async fn seen(world: &World, url: &str) -> Value {
    let script = format!("fetch('{url}').then(async r => [r.status, await r.text()], e => 'none')");
    js(world, &script).await
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_answered_ended_and_held_up() {
    let world = World::with_browser().await;
    let site = Site::start().await.page("/", "<title>own</title>").page("/real", "real");
    goto(&world, &site.url("/")).await.unwrap();
    let abroad = site.url_on("localhost", "/abroad");
    add(&world, fulfil("*/made*", "made")).await;
    add(&world, v1::RouteRequest { abort: true, ..route("*/none") }).await;
    add(&world, v1::RouteRequest { delay: Some(150), ..route("*/real") }).await;
    add(&world, v1::RouteRequest { status: Some(418), ..route("*/teapot") }).await;
    add(&world, fulfil("http://localhost:*/abroad", "abroad")).await;
    assert_eq!(seen(&world, "/made?x=1").await, json!([200, "made"]));
    assert_eq!(seen(&world, "/none").await, json!("none"));
    assert_eq!(seen(&world, "/teapot").await, json!([418, ""]));
    // Another origin, with a preflight: the page is meant to read it.
    let script = format!("fetch('{abroad}', {{headers: {{'x-own': 1}}}}).then(r => r.text())");
    assert_eq!(js(&world, &script).await, json!("abroad"));
    let took = "(async () => { const t = performance.now(); await fetch('/real'); \
        return performance.now() - t })()";
    assert!(js(&world, took).await.as_f64().unwrap() >= 145.0);
    goto(&world, &site.url("/made/page")).await.unwrap();
    assert_eq!(js(&world, "document.body.textContent").await, json!("made"), "documents as well");
    let error = goto(&world, &site.url("/none")).await.unwrap_err();
    assert_eq!(reason(&error), "NAVIGATION_FAILED", "{error}");
    let hits: Vec<_> = site.hits().into_iter().filter(|hit| !hit.contains("favicon")).collect();
    assert_eq!(hits.iter().filter(|hit| hit.contains("/made") || hit.contains("/none")).count(), 0);

    let list = world.browser().list_routes(world.root(v1::ListRoutesRequest {})).await.unwrap();
    let routes = list.into_inner().routes;
    assert_eq!(routes.len(), 5);
    assert_eq!((routes[0].action.as_str(), routes[0].hits), ("fulfil", 2), "{routes:?}");
    let all = world.root(v1::UnrouteRequest { glob: None });
    assert_eq!(world.browser().unroute(all).await.unwrap().into_inner().removed, 5);
    goto(&world, &site.url("/")).await.unwrap();
    assert_eq!(seen(&world, "/made").await[0], json!(404));
    let glob = Some("*/made*".to_owned());
    let error = world.browser().unroute(world.root(v1::UnrouteRequest { glob })).await.unwrap_err();
    assert_eq!(reason(&error), "ROUTE_NOT_FOUND");
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_of_other_sites_are_routed_and_other_tabs_are_not() {
    let world = World::with_browser().await;
    let site = Site::start()
        .await
        .page("/", "<iframe src='http://localhost:{port}/frame'></iframe>")
        .page(
            "/frame",
            "<script>fetch('/data').then(r => r.text()).then(t => parent.postMessage(t, '*'))</script>",
        )
        .page("/data", "real");
    add(&world, fulfil("*/data", "made")).await;
    goto(&world, &site.url("/")).await.unwrap();
    let heard = "new Promise(done => { addEventListener('message', e => done(e.data)); \
        document.querySelector('iframe').src += '?again' })";
    assert_eq!(js(&world, heard).await, json!("made"));
    let url = Some(site.url("/frame"));
    world.browser().new_tab(world.root(v1::NewTabRequest { url })).await.unwrap();
    assert_eq!(seen(&world, "/data").await, json!([200, "real"]), "routes are of a tab");
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_are_routed() {
    let world = World::with_browser().await;
    let script = |body: &str| {
        Route::Raw(200, vec!["Content-Type: text/javascript".into()], body.as_bytes().to_vec())
    };
    let asks = "fetch('/data').then(r => r.text())";
    let site = Site::start()
        .await
        .page("/", "<title>own</title>")
        .page("/data", "real")
        .route("/own.js", script(&format!("{asks}.then(postMessage)")))
        .route(
            "/shared.js",
            script(&format!("onconnect = e => {asks}.then(t => e.ports[0].postMessage(t))")),
        )
        .route(
            "/service.js",
            script(&format!("onmessage = e => {asks}.then(t => e.source.postMessage(t))")),
        );
    goto(&world, &site.url("/")).await.unwrap();
    // One that is there before there are routes.
    let began = "navigator.serviceWorker.register('/service.js').then(() => navigator.serviceWorker.ready).then(() => 1)";
    assert_eq!(js(&world, began).await, json!(1));
    add(&world, fulfil("*/data", "made")).await;
    let heard = "Promise.all([\
        new Promise(done => { new Worker('/own.js').onmessage = e => done(e.data) }),\
        new Promise(done => { new SharedWorker('/shared.js').port.onmessage = e => done(e.data) }),\
        navigator.serviceWorker.ready.then(r => new Promise(done => {\
            navigator.serviceWorker.onmessage = e => done(e.data); r.active.postMessage(1) }))])";
    assert_eq!(js(&world, heard).await, json!(["made", "made", "made"]));
    let all = world.root(v1::UnrouteRequest { glob: None });
    world.browser().unroute(all).await.unwrap();
    let again = "navigator.serviceWorker.ready.then(r => new Promise(done => {\
        navigator.serviceWorker.onmessage = e => done(e.data); r.active.postMessage(1) }))";
    assert_eq!(js(&world, again).await, json!("real"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_that_cannot_begin_is_ended() {
    let world = World::with_browser().await;
    world.load("<button onclick='while (true) {}'>Go</button>").await;
    let click = v1::ClickRequest { target: "button".to_owned(), ..Default::default() };
    let click = within(Duration::from_millis(300), world.root(click));
    world.browser().click(click).await.unwrap_err();
    let start = within(Duration::from_millis(500), world.root(v1::StartTraceRequest::default()));
    if world.browser().start_trace(start).await.is_ok() {
        // Chromium did not wait for the tab that hangs.
        world.browser().stop_trace(world.root(v1::StopTraceRequest::default())).await.unwrap();
        return;
    }
    let request = || world.root(v1::StartTraceRequest::default());
    world
        .browser()
        .goto(world.root(v1::GotoRequest { url: "about:blank".to_owned(), wait: 0 }))
        .await
        .unwrap();
    let begun = tokio::time::Instant::now();
    while let Err(error) = world.browser().start_trace(request()).await {
        assert_eq!(reason(&error), "RECORDING_RUNNING", "{error}");
        assert!(begun.elapsed() < Duration::from_secs(20), "the trace goes on");
    }
    world.browser().stop_trace(world.root(v1::StopTraceRequest::default())).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_guard_comes_before_every_route() {
    let world = World::with_browser().await;
    let site = Site::start().await.page("/", "<title>own</title>");
    let name: SessionName = "guarded".parse().unwrap();
    let hosts = HostPolicy::from_patterns([format!("127.0.0.1:{}", site.port())]).unwrap();
    let owner = world.daemon.sessions().all()[0].owner().clone();
    let rules = SessionRules { hosts };
    world.daemon.sessions().open(&name, &owner, rules).await.unwrap();
    fn there<T>(mut request: Request<T>) -> Request<T> {
        let entries = request.metadata_mut();
        entries.insert(browse_proto::metadata::SESSION, "guarded".parse().unwrap());
        request
    }
    world.browser().route(there(world.root(fulfil("*", "made")))).await.unwrap();
    let goto = |url: String| there(world.root(v1::GotoRequest { url, wait: 0 }));
    let js = |expression: String| there(world.root(v1::JsRequest { expression }));
    world.browser().goto(goto(site.url("/"))).await.unwrap();
    let text = world.browser().js(js("document.body.textContent".to_owned())).await.unwrap();
    assert_eq!(text.get_ref().value, "\"made\"", "what is allowed is routed");
    let evil = site.url_on("localhost", "/evil");
    let error = world.browser().goto(goto(evil.clone())).await.unwrap_err();
    assert_eq!(reason(&error), "HOST_DENIED", "{error}");
    let script = format!("fetch('{evil}', {{mode: 'no-cors'}}).then(() => 'came', () => 'none')");
    let came = world.browser().js(js(script)).await.unwrap();
    assert_eq!(came.get_ref().value, "\"none\"", "no answer stands in for a refused host");
    let frame = format!(
        "new Promise(done => {{ const f = document.createElement('iframe'); f.src = '{evil}'; \
         f.onload = () => done(1); document.body.append(f); setTimeout(done, 300) }})\
         .then(() => {{ try {{ return frames[0].document.body.textContent }} catch {{ return 'other' }} }})"
    );
    let shown = world.browser().js(js(frame)).await.unwrap();
    assert!(!shown.get_ref().value.contains("made"), "{shown:?}");
    let opener = format!(
        "document.body.innerHTML = `<button onclick=\"window.open('{evil}')\">o</button>\
        <a href='{evil}' target=_blank>b</a><a id=n rel=noopener href='{evil}' target=_blank>n</a>`, 1"
    );
    world.browser().js(js(opener)).await.unwrap();
    for target in ["button", "text=b", "#n"] {
        let click = v1::ClickRequest { target: target.to_owned(), ..Default::default() };
        let receipt = world.browser().click(there(world.root(click))).await.unwrap().into_inner();
        let receipt = format!("{receipt:?}");
        assert!(receipt.contains(&format!("not allowed: {evil}")), "{target}: {receipt}");
    }
    let metadata = "http://169.254.169.254/latest".to_owned();
    let error = world.browser().goto(goto(metadata)).await.unwrap_err();
    assert_eq!(reason(&error), "ADDRESS_DENIED", "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn recorded_requests_have_no_secrets() {
    let world = World::with_browser().await;
    let site = Site::start()
        .await
        .page("/", "<title>own</title><script src=/a.js></script>")
        .route(
            "/a.js",
            Route::Raw(
                200,
                vec![
                    "Content-Type: text/javascript".into(),
                    "Set-Cookie: id=hunter2; Path=/".into(),
                ],
                b"let a = 'AKIAABCDEFGHIJKLMNOP'".to_vec(),
            ),
        )
        .route(
            "/picture",
            Route::Raw(200, vec!["Content-Type: image/png".into()], vec![0x89, 0x50, 0xff, 0x00]),
        )
        .redirect("/moved", "/data?token=hunter2")
        .route(
            "/data",
            Route::Raw(
                200,
                vec!["Content-Type: application/json".into()],
                b"{\"password\":\"hunter2\",\"n\":1}".to_vec(),
            ),
        );
    let start = || world.root(v1::StartHarRequest {});
    let stop = || world.root(v1::StopHarRequest::default());
    assert_eq!(
        reason(&world.browser().stop_har(stop()).await.unwrap_err()),
        "RECORDING_NOT_RUNNING"
    );
    world.browser().start_har(start()).await.unwrap();
    assert_eq!(reason(&world.browser().start_har(start()).await.unwrap_err()), "RECORDING_RUNNING");
    goto(&world, &site.url("/")).await.unwrap();
    let script = "fetch('/moved', {method: 'POST', body: 'password=hunter2&a=1', \
        headers: {authorization: 'Bearer hunter2hunter2', 'content-type': 'application/x-www-form-urlencoded'}})\
        .then(r => r.text()).then(() => fetch('/picture?code=hunter2&state=1&zipcode=94103'))\
        .then(r => r.text()).then(() => fetch('/nowhere')).then(r => r.status)";
    assert_eq!(js(&world, script).await, json!(404));
    let answer = world.browser().stop_har(stop()).await.unwrap().into_inner();
    let text = String::from_utf8(answer.har).unwrap();
    assert!(!text.contains("hunter2") && !text.contains("AKIAABCDEFGHIJKLMNOP"), "{text}");
    let log = &serde_json::from_str::<Value>(&text).unwrap()["log"];
    assert_eq!(log["version"], "1.2");
    let entries = log["entries"].as_array().unwrap();
    let of = |path: &str| {
        let ends = |entry: &&Value| {
            let url = entry["request"]["url"].as_str().unwrap();
            url.split('?').next().unwrap().ends_with(path)
        };
        entries.iter().find(ends).unwrap_or_else(|| panic!("{path} is not in {text}"))
    };
    assert_eq!(of("/a.js")["response"]["content"]["text"], "let a = '[redacted]'");
    let picture = &of("/picture")["response"]["content"];
    assert_eq!((&picture["text"], &picture["encoding"]), (&json!("iVD/AA=="), &json!("base64")));
    assert!(text.contains("zipcode=94103"), "{text}");
    assert_eq!(of("/moved")["response"]["status"], 302);
    assert_eq!(of("/moved")["request"]["method"], "POST");
    assert_eq!(of("/moved")["request"]["postData"]["text"], "password=[redacted]&a=1");
    let data = &of("/data");
    assert_eq!(data["request"]["queryString"][0]["value"], "[redacted]");
    assert_eq!(data["response"]["content"]["text"], "{\"password\":\"[redacted]\",\"n\":1}");
    assert_eq!(of("/nowhere")["response"]["status"], 404);
    assert!(data["time"].as_f64().unwrap() > 0.0 && data["timings"]["wait"].is_number());
    assert_eq!(answer.entries as usize, entries.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_is_json_and_not_for_a_caller_of_one_session() {
    let world = World::with_browser().await;
    world.load("<p>text</p>").await;
    let start = || v1::StartTraceRequest::default();
    let stop = || v1::StopTraceRequest::default();
    let mut browser = world.browser();
    let error = browser.stop_trace(world.root(stop())).await.unwrap_err();
    assert_eq!(reason(&error), "RECORDING_NOT_RUNNING");
    let minted = world.mint("agent", Scopes::of(&[Scope::Admin]));
    let error = browser.start_trace(super::world::by(minted.token(), start())).await.unwrap_err();
    assert_eq!(reason(&error), "SESSION_DENIED", "{error}");
    browser.start_trace(world.root(start())).await.unwrap();
    let error = browser.start_trace(world.root(start())).await.unwrap_err();
    assert_eq!(reason(&error), "RECORDING_RUNNING");
    js(&world, "performance.mark('here'), 1").await;
    let request = within(Duration::from_secs(20), world.root(stop()));
    let trace = browser.stop_trace(request).await.unwrap().into_inner();
    let value: Value = serde_json::from_slice(&trace.trace).unwrap();
    let events = value["traceEvents"].as_array().unwrap();
    assert!(events.iter().any(|event| event["name"] == "here"), "{} events", events.len());
    assert!(!trace.truncated);
    browser.start_trace(world.root(start())).await.unwrap();
    browser.stop_trace(world.root(stop())).await.unwrap();
}
