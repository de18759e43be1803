//! Two agents and the owner in one browser: each touches its own tabs alone.

use browse_proto::v1;
use serde_json::{Value, json};

use super::{remote_host::Agent, support::site::Site, world::World};

const PAGE: &str = "<title>t</title><h1>Hello</h1><button>Press</button>";

/// A step of a batch on a tab.
fn step(tab: &Value, request: &str, fields: Value) -> Value {
    let mut request = json!({"@type": format!("browse.v1.{request}")});
    request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    match tab {
        Value::Null => json!({"request": request}),
        tab => json!({"tab": tab, "request": request}),
    }
}

async fn batch(agent: &Agent, steps: &[Value]) -> Vec<Value> {
    let body = json!({ "steps": steps }).to_string();
    let results = agent.ok("BrowserService/Batch", &body).await;
    results.as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_touches_its_own_tabs_alone() {
    let site = Site::start().await.page("/", PAGE);
    let world = World::with_browser().await;
    world.load(PAGE).await;
    let (ada, bob) = (world.agent_in_default("ada").await, world.agent_in_default("bob").await);
    let open = json!({"url": site.url("/")}).to_string();
    // The session of the owner goes anywhere, and agents only where they may.
    let refused = ada.call("BrowserService/NewTab", &open).await;
    assert_eq!(refused.reason(), "HOST_DENIED");
    let tab = ada.ok("BrowserService/NewTab", "{}").await["tab_id"].clone();
    let named = format!("browse-tab: {}", tab.as_str().expect("64 bits are text"));
    for (method, body) in [
        ("Snapshot", "{}"),
        ("Text", "{}"),
        ("Screenshot", "{}"),
        ("Click", r#"{"target":"button"}"#),
        ("Goto", r#"{"url":"https://example.com/"}"#),
        ("CloseTab", "{}"),
        ("Reload", "{}"),
    ] {
        let method = format!("BrowserService/{method}");
        let answer = bob.call_with(&method, &[&named], body).await;
        assert_eq!((answer.status, answer.reason().as_str()), (403, "TAB_DENIED"), "{method}");
    }
    let body = json!({ "id": tab }).to_string();
    assert_eq!(bob.call("BrowserService/CloseTab", &body).await.reason(), "TAB_DENIED");
    let steps = [
        step(&tab, "TextRequest", json!({})),
        step(&Value::Null, "CloseTabRequest", json!({ "id": tab })),
        step(&Value::Null, "ChainRequest", json!({})),
        step(&Value::Null, "JsRequest", json!({"expression": "1"})),
    ];
    let found = batch(&bob, &steps).await;
    let reasons: Vec<_> = found.iter().map(|step| step["error"]["reason"].clone()).collect();
    assert_eq!(reasons, ["TAB_DENIED", "TAB_DENIED", "BATCH_INVALID", "TUNNEL_DENIED"]);
    // Whoever names no tab gets one of his own, and never the owner's.
    let text = bob.ok("BrowserService/Text", "{}").await;
    assert!(!text.to_string().contains("Hello"), "{text}");
    // A ref of the owner's tab leads nowhere.
    let snapshot = v1::SnapshotRequest::default();
    let seen = world.browser().snapshot(world.root(snapshot)).await.unwrap().into_inner();
    let reference = seen.tree.split('@').nth(1).and_then(|rest| rest.split([' ', ']']).next());
    let body = json!({"target": format!("@{}", reference.unwrap_or("e1"))}).to_string();
    let refused = bob.call("BrowserService/Click", &body).await;
    assert!(refused.reason().starts_with("REF_"), "{refused:?}");
    // Metadata is for all.
    let tabs = bob.ok("BrowserService/ListTabs", "").await;
    let owners: Vec<_> = tabs.as_array().unwrap().iter().map(|tab| tab["owner"].clone()).collect();
    assert_eq!(owners, ["root", "ada", "bob"]);
    assert_eq!(tabs[0]["active"], true, "guests do not take the owner's commands to their tabs");
    let log = world.refused().await;
    assert!(log.iter().filter(|reason| *reason == "TAB_DENIED").count() >= 8, "{log:?}");

    let request = v1::RevokePairingRequest { name: "ada".to_owned(), ..Default::default() };
    let ended = world.pairs().revoke_pairing(world.root(request)).await.unwrap().into_inner();
    assert_eq!((ended.tabs_closed, ended.tabs_released), (0, 1));
    let tabs = bob.ok("BrowserService/ListTabs", "").await;
    assert_eq!(tabs[1]["owner"], "root", "the tab of who is gone is the owner's");
    // Who comes next under the name does not get it.
    let ada = world.agent_in_default("ada").await;
    assert_eq!(ada.call_with("BrowserService/Text", &[&named], "{}").await.reason(), "TAB_DENIED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_of_an_agent_with_nothing_but_http() {
    let site = Site::start().await.page("/", PAGE);
    let outside = Site::start().await.page("/", PAGE);
    let world = World::with_browser().await;
    let host = format!("127.0.0.1:{}", site.port());
    let paired = world.pair("ada", |request| {
        request.host = vec![host.clone()];
        request.rate = Some(1000);
    });
    let paired = paired.await;
    let ada = Agent::redeem(&paired).await;
    let opened = ada.ok("BrowserService/NewTab", &json!({"url": site.url("/")}).to_string()).await;
    assert_eq!(opened["suggested_skills"], json!([]));
    let file = "file:///etc/passwd".to_owned();
    for (url, reason) in [(outside.url("/"), "HOST_DENIED"), (file, "FILE_DENIED")] {
        let refused = ada.call("BrowserService/Goto", &json!({ "url": url }).to_string()).await;
        assert_eq!(refused.reason(), reason, "{url}");
    }
    let snapshot = ada.call("BrowserService/Snapshot", r#"{"interactive":true}"#).await;
    let untrusted = &snapshot.json()["untrusted"];
    assert!(untrusted["source"].as_str().unwrap().contains("127.0.0.1"), "{snapshot:?}");
    // What is read is marked, however it is asked for.
    let raw = ["accept: text/plain", "browse-content: raw"];
    let text = ada.call_with("BrowserService/Text", &raw, "{}").await;
    assert!(text.body.starts_with("--- untrusted ") && text.body.contains("Hello"), "{text:?}");
    ada.ok("BrowserService/Click", r#"{"target":"button"}"#).await;
    let picture = ada.call_with("BrowserService/Screenshot", &["accept: image/png"], "{}").await;
    assert_eq!(picture.status, 200);
    assert!(picture.body.contains("PNG"));

    let url = site.url("/");
    let new: Vec<_> =
        (0..20).map(|_| step(&Value::Null, "NewTabRequest", json!({ "url": url }))).collect();
    let tabs = batch(&ada, &new).await;
    let read = tabs.iter().map(|tab| step(&tab["response"]["tab_id"], "TextRequest", json!({})));
    let texts = batch(&ada, &read.collect::<Vec<_>>()).await;
    let good = texts.iter().filter(|text| text["response"].to_string().contains("Hello")).count();
    assert_eq!(good, 20, "{texts:?}");
    let listed = world.pairs().list_pairings(world.root(v1::ListPairingsRequest {})).await.unwrap();
    assert_eq!(listed.into_inner().pairings[0].tabs, 21);
    let request = v1::RevokePairingRequest { name: "ada".to_owned(), ..Default::default() };
    let ended = world.pairs().revoke_pairing(world.root(request)).await.unwrap().into_inner();
    assert_eq!((ended.tabs_closed, ended.tabs_released), (21, 0));
    assert!(world.daemon.sessions().tabs().is_empty());
}
