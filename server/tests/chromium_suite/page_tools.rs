//! Tools of a page: which there are, and what becomes of a call.

use std::sync::Arc;
use std::time::Duration;

use browse_chromium::{Page, PageTool, PageToolKind, PageToolOutcome, PageTools};
use serde_json::{Value, json};

use crate::support::browser::{Fixture, options, soon};
use crate::support::site::{Route, Site};

const HOME: &str = "<form toolname=send tooldescription='Sends it' toolautosubmit action=/found>\
    <input name=q toolparamdescription='What to send' required></form>\
    <form toolname=write tooldescription='Writes it' action=/found><input id=written name=q>\
    <button>Go</button></form>\
    <form toolname=answer tooldescription='Answers' toolautosubmit onsubmit=\"event.preventDefault();\
    event.respondWith(Promise.resolve('for ' + this.q.value))\"><input name=q></form>\
    <iframe src='http://localhost:{port}/frame'></iframe>\
    <iframe allow=tools src='http://localhost:{port}/frame'></iframe>\
    <iframe src='/near'></iframe><script>\
    const add = (name, execute, more) =>\
        document.modelContext.registerTool({name, description: name, execute, ...more});\
    add('sum', ({a, b}) => ({sum: a + b}), {inputSchema: {type: 'object'}, annotations: {readOnlyHint: true}});\
    add('nothing', () => {});\
    add('throws', () => { throw new Error('no luck') });\
    add('rejects', async () => { throw 'plain words' });\
    add('circle', () => { const a = {}; a.a = a; return a });\
    add('never', (input, {signal}) => new Promise(() => {\
        signal.onabort = () => document.title = 'stopped' }));\
    add('leaves', () => { location = '/found'; return new Promise(() => {}) });\
    add('leaves-for-another-site', () => {\
        location = 'http://localhost:{port}/found'; return new Promise(() => {}) });\
    add('answers-and-leaves', () => { location = '/found'; return 'bye' });\
    add('removed', () => 1);\
    </script>";

async fn start() -> (Site, Fixture) {
    let frame = "<script>document.modelContext.registerTool({name: 'inner', \
        description: 'Inner', execute: () => 'inside'}).catch(() => {})</script>";
    let near = frame.replace("inner", "near");
    let site = Site::start().await.page("/", HOME).page("/frame", frame).page("/near", &near);
    site.set("/found", Route::Html("<title>Found</title>".to_owned()));
    let mut wanted = options();
    wanted.launch.page_tools = true;
    let fixture = Fixture::start_with(wanted).await;
    fixture.goto(&site.url("/")).await;
    (site, fixture)
}

fn find<'a>(tools: &'a PageTools, name: &str) -> &'a PageTool {
    tools.all().iter().find(|tool| tool.name == name).expect(name)
}

async fn call(page: &Arc<Page>, name: &str, input: Value) -> PageToolOutcome {
    soon(async {
        let tools = page.page_tools().await.unwrap();
        tools.call(find(&tools, name), &input).await.unwrap()
    })
    .await
}

#[tokio::test]
async fn functions_and_forms_of_all_frames_are_tools() {
    let (site, fixture) = start().await;
    let main = fixture.page.main_frame().id;
    for _ in 0..2 {
        let tools = fixture.page.page_tools().await.unwrap();
        let kind = |name: &str| find(&tools, name).kind;
        assert_eq!(kind("sum"), PageToolKind::Function);
        assert_eq!(kind("send"), PageToolKind::SubmittedForm);
        assert_eq!(kind("write"), PageToolKind::FilledForm);
        assert!(find(&tools, "sum").is_read_only && !find(&tools, "never").is_read_only);
        let schema = find(&tools, "send").input_schema.as_ref().unwrap();
        assert_eq!(schema["properties"]["q"]["description"], "What to send");
        assert_eq!(schema["required"], json!(["q"]));
        let is_inner = |tool: &PageTool| ["inner", "near"].contains(&&*tool.name);
        assert!(tools.all().iter().all(|tool| is_inner(tool) == (tool.frame != main)));
        assert!(tools.all().iter().any(|tool| tool.name == "near"), "a frame of the same site");
        // Of two frames of another site, the one that may offer tools.
        assert_eq!(tools.all().iter().filter(|tool| tool.name == "inner").count(), 1);
    }
    let change = "document.querySelector('form').setAttribute('tooldescription', 'New'); \
        document.querySelectorAll('iframe').forEach(frame => frame.remove())";
    fixture.js(change).await;
    let tools = fixture.page.page_tools().await.unwrap();
    assert_eq!(find(&tools, "send").description, "New");
    assert!(tools.all().iter().all(|tool| tool.frame == main), "frames that are gone");
    fixture.goto("about:blank").await;
    assert!(fixture.page.page_tools().await.unwrap().all().is_empty(), "a page that is gone");
    let plain = Fixture::start().await;
    plain.goto(&site.url("/")).await;
    assert!(plain.page.page_tools().await.unwrap().all().is_empty(), "they are off");
}

#[tokio::test]
async fn a_call_ends_in_one_of_six_ways() {
    use PageToolOutcome::{Answered, Failed, Filled, Left};
    let (site, fixture) = start().await;
    let page = &fixture.page;
    let none = || json!({});
    assert_eq!(call(page, "sum", json!({"a": 1, "b": 2})).await, Answered(json!({"sum": 3})));
    assert_eq!(call(page, "inner", none()).await, Answered(json!("inside")));
    assert_eq!(call(page, "near", none()).await, Answered(json!("inside")));
    assert_eq!(call(page, "answer", json!({"q": "x"})).await, Answered(json!("for x")));
    assert!(matches!(call(page, "nothing", none()).await, Answered(_)));
    assert_eq!(call(page, "throws", none()).await, Failed("Error: no luck".to_owned()));
    assert_eq!(call(page, "rejects", none()).await, Failed("plain words".to_owned()));
    let Failed(words) = call(page, "circle", none()).await else { panic!("it fails") };
    assert!(words.contains("circular"), "{words}");
    let Failed(words) = call(page, "send", json!({"other": 1})).await else { panic!("it fails") };
    assert!(words.contains("other"), "{words}");
    assert_eq!(call(page, "write", json!({"q": "here"})).await, Filled);
    assert_eq!(fixture.js("written.value").await, "here");
    for (name, outcome, ends_at) in [
        ("send", Left(None), site.url("/found?q=it")),
        ("leaves", Left(None), site.url("/found")),
        ("leaves-for-another-site", Left(None), site.url_on("localhost", "/found")),
    ] {
        fixture.goto(&site.url("/")).await;
        let input = if name == "send" { json!({"q": "it"}) } else { none() };
        assert_eq!(call(page, name, input).await, outcome, "{name}");
        assert_eq!(page.url(), ends_at, "{name}");
    }
    let data = "<script type='application/ld+json'>{\"found\": 2}</script>";
    site.set("/found", Route::Html(data.to_owned()));
    fixture.goto(&site.url("/")).await;
    let reported = Left(Some(json!([{"found": 2}])));
    assert_eq!(call(page, "send", json!({"q": "it"})).await, reported);
    fixture.goto(&site.url("/")).await;
    assert_eq!(call(page, "answers-and-leaves", none()).await, Answered(json!("bye")));
}

#[tokio::test]
async fn a_call_that_is_given_up_is_cancelled_and_others_go_on() {
    let (_site, fixture) = start().await;
    let tools = fixture.page.page_tools().await.unwrap();
    let none = json!({});
    let never = tools.call(find(&tools, "never"), &none);
    let given_up = tokio::time::timeout(Duration::from_millis(500), never).await;
    assert!(given_up.is_err(), "{given_up:?}");
    let sum = call(&fixture.page, "sum", json!({"a": 2, "b": 2})).await;
    assert_eq!(sum, PageToolOutcome::Answered(json!({"sum": 4})));
    assert_eq!(fixture.js("document.title").await, "stopped");
    // Two at once: a list in the middle of a call takes nothing from it.
    let waits = "document.modelContext.registerTool({name: 'waits', description: 'Waits', \
        execute: () => new Promise(done => globalThis.done = done)}).then(() => 1)";
    fixture.js(waits).await;
    let tools = fixture.page.page_tools().await.unwrap();
    let input = json!({});
    let waiting = tools.call(find(&tools, "waits"), &input);
    let meanwhile = async {
        assert!(
            call(&fixture.page, "sum", json!({"a": 1, "b": 1})).await
                == PageToolOutcome::Answered(json!({"sum": 2}))
        );
        fixture.js("done('at last')").await
    };
    let (outcome, _) = soon(async { tokio::join!(waiting, meanwhile) }).await;
    assert_eq!(outcome.unwrap(), PageToolOutcome::Answered(json!("at last")));
}

#[tokio::test]
async fn a_tool_that_was_removed_is_gone() {
    let (site, fixture) = start().await;
    let tools = fixture.page.page_tools().await.unwrap();
    let removed = find(&tools, "removed").clone();
    fixture.goto(&site.url("/frame")).await;
    let outcome = soon(tools.call(&removed, &json!({}))).await.unwrap();
    assert_eq!(outcome, PageToolOutcome::Gone);
}
